"""Match analysis: every decision of a match judged, in batches across all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypedDict, Unpack, overload

from tavli_fast._common.arguments import shown, whole_number, workers
from tavli_fast._common.workers import share
from tavli_fast.analysis.decisions import decisions_of
from tavli_fast.analysis.judging import Found, Judge
from tavli_fast.analysis.method import TRIALS, Method
from tavli_fast.analysis.records import Decision
from tavli_fast.analysis.result import MatchAnalysis
from tavli_fast.analysis.spot import Spot
from tavli_fast.analysis.spots import spots_of
from tavli_fast.analysis.totals import GameSummary, totals_of
from tavli_fast.analysis.values import EfficiencyLike, Valuer
from tavli_fast.cube.match_equity import MatchEquityTable
from tavli_fast.cube.model import EFFICIENCY
from tavli_fast.evaluation.evaluate import MOST_PLIES
from tavli_fast.evaluation.evaluator import Evaluator
from tavli_fast.play.mat.reader import MatMatch
from tavli_fast.play.session import Session
from tavli_fast.rules.presets import Rules

__all__ = ["analyse"]

Match = MatMatch | Session

_PART: Final = 32
"""Turns that are judged together: enough for the evaluator, few enough for threads and memory."""
_NAMES: Final = ("Player 1", "Player 2")


class _Options(TypedDict, total=False):
    """The options of `analyse`, for type checkers."""

    plies: int | Literal["rollout"]
    threads: int | None
    table: MatchEquityTable | None
    efficiency: EfficiencyLike
    replies: Any
    trials: int
    seed: int
    progress: Callable[[int, int], object] | None


@overload
def analyse(
    match: Match, evaluator: Evaluator = ..., **options: Unpack[_Options]
) -> MatchAnalysis: ...
@overload
def analyse(
    match: Iterable[Match], evaluator: Evaluator = ..., **options: Unpack[_Options]
) -> list[MatchAnalysis]: ...
def analyse(
    match: Match | Iterable[Match],
    evaluator: Evaluator = "net",
    *,
    plies: int | Literal["rollout"] = 0,
    threads: int | None = None,
    table: MatchEquityTable | None = None,
    efficiency: EfficiencyLike = EFFICIENCY,
    replies: Any = ((1, 0),),
    trials: int = TRIALS,
    seed: int = 0,
    progress: Callable[[int, int], object] | None = None,
) -> MatchAnalysis | list[MatchAnalysis]:
    """Judge every decision of a match, or of several.

    For each turn: what the play is worth against the best one, with the cube and the score in it;
    whether to double, and the answer; and the luck of the roll. Equities are those of
    `cube_equities` after the play, in units of the stake, so that in a match an equity of 1 is a
    single game won at the present stake. Games without a cube are judged by their points.

    Args:
        match: a `Session`, finished or not, or the result of `read_mat`; or several of them, whose
            decisions share their batches.
        evaluator: judges positions, as in `evaluate`; ``"net"`` is the net for the rules of each
            game. In games with a cube it has to return outcome probabilities.
        plies: how far to look ahead; the plays within 0.16 of the best, eight at most, and the
            cube are judged so. Or ``"rollout"``: they are rolled out, truncated at 7 plies, with
            variance reduction.
        threads: how many threads share the work; None for all processors, or one if the evaluator
            is a callable, which several would call at the same time. The result does not depend on
            it.
        table: the match equity table; None for `MatchEquityTable.compute`'s. A match longer than
            the table is judged as for money.
        efficiency: the cube efficiency, 0 to 1, or a function of boards ``int8[M, 2, 26]``, the
            player on roll first, that returns one for each.
        replies: with two plies or more, which plays are searched after the first; as in `evaluate`.
        trials: of a rollout, for each position.
        seed: of the rollouts.
        progress: called with the number of turns judged and of all turns.

    Returns:
        The `MatchAnalysis`, or a list of them. After Ctrl-C: of what has been judged so far, with
        `MatchAnalysis.partial` set.

    Raises:
        ValueError: an argument is invalid, or the evaluator returns equities alone in a game with a
            cube.
        EvaluatorError: as in `evaluate`.

    Examples:
        >>> import tavli_fast as tf
        >>> session = tf.Session("backgammon", target=1, seed=1)
        >>> score = session.play_out("net", "random")
        >>> found = tf.analyse(session)
        >>> found.totals[0].error_rate < found.totals[1].error_rate
        True
        >>> worst = found.worst(1)[0]
        >>> worst.player, worst.mark
        (1, 'very bad')
    """
    one = isinstance(match, MatMatch | Session)
    matches = [_Match.of(each) for each in ([match] if one else _several(match))]
    if plies != "rollout":
        plies = whole_number(plies, "plies", 0, MOST_PLIES)
    if table is not None and not isinstance(table, MatchEquityTable):
        raise ValueError(f"table={shown(table)}: expected a MatchEquityTable or None")
    if progress is not None and not callable(progress):
        raise ValueError(f"progress={shown(progress)}: expected a callable or None")
    method = Method(
        evaluator,
        plies,
        replies,
        whole_number(trials, "trials", 1),
        whole_number(seed, "seed", 0),
    )
    valuer = Valuer(table, efficiency)
    spots = [list(spots_of(each.session, table)) for each in matches]
    everything = [(at, spot) for at, some in enumerate(spots) for spot in some]
    judges: dict[Rules, Judge] = {}
    for _, spot in everything:
        if spot.rules not in judges:
            judges[spot.rules] = method.judge(spot.rules, valuer)
    found: list[Found | None] = [None] * len(everything)
    parts = _parts([spot for _, spot in everything])
    pool_size = workers(threads)
    if threads is None and not all(judge.player.compiled for judge in judges.values()):
        pool_size = 1
    done = 0

    def work(part: slice) -> list[Found]:
        some = [spot for _, spot in everything[part]]
        return judges[some[0].rules].judged(some)

    def take(part: slice, judged: list[Found]) -> None:
        nonlocal done
        found[part] = judged
        done += len(judged)
        if progress is not None:
            progress(done, len(everything))

    try:
        share(work, parts, take, pool_size)
    except KeyboardInterrupt:
        if not done:
            raise
    decided: list[list[Decision]] = [[] for _ in matches]
    for (at, spot), judged in zip(everything, found, strict=True):
        if judged is not None:
            decided[at] += decisions_of(spot, judged, valuer)
    complete = [
        all(
            each is not None
            for (owner, _), each in zip(everything, found, strict=True)
            if owner == at
        )
        if done < len(everything)
        else True
        for at in range(len(matches))
    ]
    analyses = [
        each.analysis(decisions, method.name(judges), not whole)
        for each, decisions, whole in zip(matches, decided, complete, strict=True)
    ]
    return analyses[0] if one else analyses


@dataclass(frozen=True)
class _Match:
    """A match to analyse."""

    session: Session
    players: tuple[str, str]
    mended: tuple[tuple[int, str], ...] = ()

    @classmethod
    def of(cls, match: Any) -> _Match:
        """Return what an argument means.

        Raises:
            ValueError: it is no match.
        """
        if isinstance(match, Session):
            return cls(match, _NAMES)
        if isinstance(match, MatMatch):
            return cls(match.session, match.players, match.mended)
        raise ValueError(
            f"match={shown(match)}: expected a Session, the result of read_mat, or several of them"
        )

    def analysis(self, decisions: list[Decision], evaluator: str, partial: bool) -> MatchAnalysis:
        """Return the analysis of the match with these decisions."""
        session, games = self.session, []
        gains = [
            tuple((each.points or 0) * (each.winner == side) for side in (0, 1))
            for each in session.history
        ]
        score = [session.score[side] - sum(gain[side] for gain in gains) for side in (0, 1)]
        for number, (record, gain) in enumerate(zip(session.history, gains, strict=True), 1):
            mine = [decision for decision in decisions if decision.game == number]
            totals = totals_of(mine, self.players, session.target, None)
            games.append(
                GameSummary(number, (score[0], score[1]), record.winner, record.points or 0, totals)
            )
            score = [before + more for before, more in zip(score, gain, strict=True)]
        return MatchAnalysis(
            self.players,
            session.target,
            session.score,
            tuple(decisions),
            tuple(games),
            evaluator,
            partial,
            self.mended,
        )


def _several(matches: Any) -> list[Any]:
    """Return matches as a list.

    Raises:
        ValueError: they cannot be listed.
    """
    if isinstance(matches, Iterable) and not isinstance(matches, str | bytes | dict):
        return list(matches)
    _Match.of(matches)
    raise AssertionError


def _parts(spots: Sequence[Spot]) -> list[slice]:
    """Cut the turns into parts of the same rules."""
    parts, first = [], 0
    for at in range(1, len(spots) + 1):
        rules = spots[first].rules
        end = at == len(spots) or at - first == _PART
        if end or (spots[at].rules is not rules and spots[at].rules != rules):
            parts.append(slice(first, at))
            first = at
    return parts
