"""Ranking the plays of a roll by rollouts with the same dice for all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple, overload

import numpy as np
import numpy.typing as npt

from tavli_fast import _core
from tavli_fast._common.arguments import (
    MAX_PLIES,
    BoardLike,
    DiceLike,
    Int8Array,
    one_pair,
    positive_number,
    whole_number,
)
from tavli_fast._common.tables import html_table, outcome_row
from tavli_fast._common.version import version
from tavli_fast._core.constants import (
    TRIAL_COLUMNS,
    TRIAL_PLIES,
    TRIAL_POINTS,
    TRIAL_VALUES,
    UNFINISHED,
)
from tavli_fast.boards.positions import flip
from tavli_fast.cube.model import EFFICIENCY
from tavli_fast.cube.setting import OWNERS, CubeSetting, ladder_of
from tavli_fast.evaluation.evaluate import afterstate_equities
from tavli_fast.evaluation.evaluator import Evaluator, Player, PolicyLike
from tavli_fast.evaluation.outcomes import EQUITY, exact_values, turned
from tavli_fast.notation.legal import legal_plays
from tavli_fast.notation.play import Play
from tavli_fast.notation.position_id import position_of
from tavli_fast.notation.view import view
from tavli_fast.rollouts.options import PLAIN_TRIALS, ROUND, PlayOptions, Settings, workload
from tavli_fast.rollouts.plan import (
    Match,
    board_key,
    cube_setting,
    default_policy,
    match,
    policies,
)
from tavli_fast.rollouts.result import FEW, FEW_TRIALS, sample_moments, trial_values
from tavli_fast.rollouts.rounds import Stop, play_rounds
from tavli_fast.rules.presets import Rules, RulesLike
from tavli_fast.rules.text import rules_name

__all__ = ["RankedPlay", "RankedPlays", "rank_plays"]

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class RankedPlay:
    """A play and the results of its rollout, seen by the player who makes it.

    Attributes:
        play: the play.
        equity: mean points per game; with a cube, the value with it in units of the stake, if the
            opponent then doubles or not, whichever is better for the opponent.
        std_error: the standard error of `equity` (NaN for fewer than two games).
        difference: `equity` minus that of the best play: 0 or less.
        difference_error: the standard error of `difference`, from the trials in pairs: all plays
            have the same dice, so it is smaller than for independent rollouts (NaN for the best
            play).
        outcomes: the probabilities of winning 1 point or more, 2 or more, 3, of losing 2 or more,
            3, and of a draw.
        outcome_errors: their standard errors.
        cubeless: mean points per game without a cube; `equity` itself if none was followed.
    """

    play: Play
    equity: float
    std_error: float
    difference: float
    difference_error: float
    outcomes: tuple[float, ...]
    outcome_errors: tuple[float, ...]
    cubeless: float


@dataclass(frozen=True)
class RankedPlays:
    """The plays of a roll, the best first: a sequence of `RankedPlay`.

    Attributes:
        board: ``int8[2, 26]``, the position.
        dice: the roll.
        plays: the ranking.
        trials: games for each play.
        plies: plies played in all games of all plays together.
        unfinished: trials left out because a game of at least one play did not end.
        rules, policy, settings, seed, first_trial, version: what is needed to repeat the ranking.
        legal: how many plays are legal; those that are not in `plays` were not rolled out.
        cube: the cube and the score at which the plays were ranked; None without them.
        stopped: whether it stopped early, because the best play was clear or the errors small
            enough.
        partial: whether it was interrupted: fewer trials than asked for.
    """

    board: Int8Array
    dice: tuple[int, int]
    plays: tuple[RankedPlay, ...]
    trials: int
    plies: int
    unfinished: int
    rules: Rules
    policy: str
    settings: Settings
    seed: int
    first_trial: int
    version: str
    legal: int
    cube: CubeSetting | None
    stopped: bool
    partial: bool

    @property
    def method(self) -> str:
        """One line that says how the plays were ranked."""
        settings = str(self.settings)
        parts = [
            f"{len(self)} of {self.legal} plays",
            f"{self.trials} trials each" + (", stopped early" if self.stopped else ""),
            f"policy {self.policy}",
            settings or "played to the end",
        ]
        if self.few_trials:
            parts.append(FEW)
        if self.partial:
            parts.append("partial: interrupted")
        return "; ".join(parts)

    @property
    def few_trials(self) -> bool:
        """Whether there are too few trials to trust the standard errors: see
        `RolloutResult.few_trials`."""
        return self.settings.variance_reduction and self.trials < FEW_TRIALS

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return a flat row for each play, for a table of pandas or polars; a play is its text."""
        return [
            {
                "rank": rank,
                "play": str(each.play),
                "equity": each.equity,
                "std_error": each.std_error,
                "difference": each.difference,
                "difference_error": each.difference_error,
                **outcome_row(each.outcomes),
                "cubeless": each.cubeless,
            }
            for rank, each in enumerate(self.plays, 1)
        ]

    def _repr_html_(self) -> str:
        """Return the board with the best play, and the ranking, for a notebook."""
        best = self.plays[0].play if self.plays else ()
        picture = view(self.board, self.rules, dice=self.dice, play=best).svg()
        return picture + html_table(self.to_dicts(), self.method)

    def __len__(self) -> int:
        """Return the number of plays."""
        return len(self.plays)

    def __iter__(self) -> Iterator[RankedPlay]:
        """Iterate over the plays, the best first."""
        return iter(self.plays)

    @overload
    def __getitem__(self, index: int) -> RankedPlay: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[RankedPlay, ...]: ...
    def __getitem__(self, index: int | slice) -> RankedPlay | tuple[RankedPlay, ...]:
        """Return a play by its rank, from 0, or several."""
        return self.plays[index]

    def __repr__(self) -> str:
        """Show the ranking as a table, and in its last line how it came about."""
        lines = [
            f"<RankedPlays: {self.dice[0]}-{self.dice[1]}, rules {rules_name(self.rules)}, "
            f"seed {self.seed}",
            "    equity  std error  difference  its error    win   win2+  win3   lose2+ lose3",
        ]
        for each in self.plays:
            win, win2, win3, lose2, lose3 = each.outcomes[:5]
            lines.append(
                f"  {each.equity:+8.4f} {each.std_error:10.4f} {each.difference:+11.4f} "
                f"{each.difference_error:10.4f} {win:6.3f} {win2:6.3f} {win3:6.3f} {lose2:6.3f} "
                f"{lose3:6.3f}  {each.play}"
            )
        return "\n".join([*lines, f"  {self.method}"]) + ">"


TRIALS: Final = 3 * ROUND
TRUNCATE: Final = 7
WITHIN: Final = 0.16
MOST: Final = 8
CLEAR: Final = 3.0
"""What a ranking does if nobody says otherwise; see `rank_plays`."""


def rank_plays(  # noqa: PLR0913
    board: BoardLike | str,
    dice: DiceLike | None = None,
    policy: PolicyLike | tuple[PolicyLike, PolicyLike] | None = None,
    rules: RulesLike | None = None,
    trials: int | None = None,
    seed: int | None = None,
    threads: int | None = None,
    executor: Executor | None = None,
    max_plies: int = MAX_PLIES,
    progress: Callable[[int, int], object] | None = None,
    *,
    candidates: int | Literal["auto"] | None = "auto",
    truncate: int | Literal["auto"] | None = "auto",
    variance_reduction: bool | Literal["auto"] = "auto",
    evaluator: Evaluator | None = None,
    stratified: bool = False,
    cube: CubeSetting | bool | None = None,
    efficiency: float = EFFICIENCY,
    first_trial: int = 0,
    stop_error: float | None = None,
    stop_jsd: float | Literal["auto"] | None = "auto",
    interim: Callable[[RankedPlays], object] | None = None,
    pieces_in_flight: int | None = None,
) -> RankedPlays:
    """Roll out the plays of a roll with the same dice, and rank them by equity.

    Without a policy, the net of the rules plays (their own or one of related rules), and arguments
    that are ``"auto"`` are chosen for a quick and precise answer: the 8 best plays by the net's own
    estimate, within 0.16 of the best, are rolled out; games are truncated at 7 plies; variance
    reduction is on; and the rollout stops when the best play leads every other by 3 standard errors
    of their difference, or after 3,840 trials. With an explicit policy, or for rules without a net,
    ``"auto"`` means: all plays, all trials, games played to the end. The last line of the printed
    result says what was done.

    Args:
        board: integers ``[2, 26]``, the player on roll first; or an `XGID`, or the text of an ID.
        dice: the roll, two integers 1 to 6; None for that of the XGID or TFID.
        policy: how both sides continue, or a pair of policies, the first for the player on roll; as
            in `rollout`, except that None is as above.
        rules: as in `rollout`.
        trials: the number of games for each play; None for 1,296, or at most 3,840 in the quick way
            without a policy.
        seed: as in `rollout`, like `threads`, `executor`, `max_plies`, `progress`, `evaluator`,
            `stratified`, `efficiency` and `first_trial`.
        threads: how many threads work.
        executor: an executor to use instead of threads.
        max_plies: the number of plies after which a game is cut and its trial left out.
        progress: called as ``progress(done, total)`` with numbers of games.
        candidates: roll out only this many plays, those that the policy itself ranks highest; None
            for all. The policy must be an evaluator.
        truncate: the number of plies after which a game is cut and evaluated; None plays to the
            end.
        variance_reduction: whether to subtract the luck of the dice.
        evaluator: the evaluator for those and for the cube; None for the first policy.
        stratified: whether to spread the first three rolls evenly over consecutive trials.
        cube: rank by the equities with the doubling cube: a `CubeSetting`, seen by the player on
            roll; or True for that of the XGID, or for money. None means True for an XGID of a
            match, else False. The policies must be nets.
        efficiency: the cube efficiency that both sides assume, 0 to 1.
        first_trial: the first of the seed's trials to play.
        stop_error: stop when, after a multiple of 1,280 trials, the standard errors of all equities
            are no larger than this.
        stop_jsd: stop when the best play leads every other by this many standard errors of their
            difference (the joint standard deviation), checked after every 1,280 trials.
        interim: called with the ranking so far after every 1,280 trials of each play.
        pieces_in_flight: as in `rollout`.

    Returns:
        The `RankedPlays`. If there is no legal move, its only play is the empty one.

    Raises:
        BoardError: the board is not a possible position.
        EvaluatorError: a callable fails, or returns something that is not an evaluation.
        KeyboardInterrupt: Ctrl-C. Its attribute ``partial`` is the ranking so far, marked as
            `RankedPlays.partial`; so it is for an exception from `progress` or `interim`.
        ValueError: the game is over, or another argument is invalid.

    Examples:
        >>> import tavli_fast as tf
        >>> ranking = tf.rank_plays(tf.start(), (3, 1), trials=128, seed=1, candidates=2)
        >>> print(ranking[0].play)
        8/5 6/5
    """
    position = position_of(board, rules, *policies(policy), evaluator)
    board, rules = position.board, position.rules
    if dice is None and position.dice is None:
        raise ValueError("dice=None: expected the roll to play, or an XGID or a TFID with one")
    roll = position.dice if dice is None else one_pair(dice)
    assert roll is not None
    if _core.batch.outcomes(board[np.newaxis], rules)[0][0]:
        raise ValueError("board: the game is over, expected a position with plays to rank")
    quick = policy is None and default_policy(rules) == "net"

    def chosen(value: Any, best: Any, plain: Any) -> Any:
        return (best if quick else plain) if isinstance(value, str) and value == "auto" else value

    mine = match(
        rules,
        policy,
        PlayOptions(
            truncate=chosen(truncate, TRUNCATE, None),
            variance_reduction=chosen(variance_reduction, True, False),
            evaluator=evaluator,
            stratified=stratified,
            same_dice=True,
            max_plies=max_plies,
            cube=cube_setting(cube, position.xgid),
            efficiency=efficiency,
        ),
    )
    load = mine.load(
        workload(
            (TRIALS if quick else PLAIN_TRIALS) if trials is None else trials,
            seed,
            threads,
            executor,
            progress,
            first_trial=first_trial,
            interim=interim,
            pieces_in_flight=pieces_in_flight,
        )
    )
    limits = _Limits(
        None if stop_error is None else positive_number(stop_error, "stop_error"),
        None
        if (lead := chosen(stop_jsd, CLEAR, None)) is None
        else positive_number(lead, "stop_jsd"),
    )
    plays = legal = tuple(legal_plays(board, roll, rules)) or (Play((), board),)
    most = chosen(candidates, MOST, None)
    if most is not None:
        within = WITHIN if candidates == "auto" else None
        most = whole_number(most, "candidates", 1)
        plays = _likely(legal, mine.players[0], rules, most, within)
    # Each play's game goes on with the opponent on roll.
    plan = mine.turned()
    sums = _Pairs(plays, rules, mine.cube)
    key = board_key(load.entropy, 0, True)
    stopped = False

    def tasks(at: int, upto: int, stop: Stop) -> Iterator[tuple[Any, ...]]:
        for start in range(at, upto, plan.piece):
            yield plan, sums.boards, key, start, min(plan.piece, upto - start), stop

    def take(_task: tuple[Any, ...], found: Floats) -> int:
        sums.take(found)
        return int(found.shape[0] * found.shape[1])

    def enough() -> bool:
        nonlocal stopped
        stopped = sums.trials < load.trials and limits.reached(sums.ranked())
        return stopped

    def ranking(partial: bool) -> RankedPlays:
        return RankedPlays(
            board,
            roll,
            sums.ranked(),
            sums.trials,
            sums.plies,
            sums.trials - sums.games,
            rules,
            mine.name,
            mine.settings,
            load.entropy,
            load.first,
            version(),
            len(legal),
            mine.cube,
            stopped,
            partial,
        )

    total = len(sums.running) * load.trials
    if not total:  # each play ends the game
        sums.trials = sums.games = load.trials
    result: RankedPlays = play_rounds(
        load, total, play_all, tasks, take, ranking, enough if limits.any else None
    )
    return result


def play_all(
    plan: Match,
    boards: Int8Array,
    key: npt.NDArray[np.uint64],
    first: int,
    trials: int,
    stop: npt.NDArray[np.uint8] | None,
) -> npt.NDArray[np.float64]:
    """Play the same trials of all boards; return ``float64[len(boards), trials, 8]``."""
    if stop is None:
        stop = np.zeros(1, np.uint8)
    return np.stack([plan.play(board, key, first, trials, stop) for board in boards])


class _Pairs:
    """The sums of a ranking under way: each play's moments, and the products of pairs.

    A play has one value for the ranking, its points, or with a cube two: what it is worth if the
    opponent rolls, and if he doubles and it is taken. He will do what is better for him, or be
    passed, so which of them counts is not known before the end.
    """

    def __init__(self, plays: tuple[Play, ...], rules: Rules, cube: CubeSetting | None) -> None:
        """Begin with nothing."""
        self.plays = plays
        boards = np.stack([play.board for play in plays])
        over, points = _core.batch.outcomes(boards, rules)
        self.running = np.flatnonzero(~over)
        self.boards = flip(boards)[self.running]
        self.trials = self.games = self.plies = 0
        self.cube = None if cube is None else _CubeValues(cube)
        self.kinds = 1 if cube is None else 2
        count = len(plays)
        self.means = np.zeros((count, EQUITY + 1))
        self.squares = np.zeros((count, EQUITY + 1))
        self.ranks = np.zeros(count * self.kinds)
        """The means of the values for the ranking, those of one kind together."""
        self.products = np.zeros((count * self.kinds, count * self.kinds))
        self.exact = exact_values(points)
        self.exact_ranks = self.exact[:, EQUITY:]
        if self.cube is not None:
            self.exact_ranks = np.repeat(self.cube.of_points(points)[:, np.newaxis], 2, axis=1)

    def take(self, found: Floats) -> None:
        """Add trials ``[running plays, trials, 8 or more]``, as the opponent has them."""
        finished = (found[:, :, TRIAL_POINTS] != UNFINISHED).all(axis=0)
        self.trials += found.shape[1]
        self.plies += int(found[:, :, TRIAL_PLIES].sum())
        n, m = self.games, int(finished.sum())
        if not m:
            return
        values = np.repeat(self.exact[:, np.newaxis], m, axis=1)
        ranks = np.repeat(self.exact_ranks.T[:, :, np.newaxis], m, axis=2)
        for place, rows in zip(self.running.tolist(), found[:, finished], strict=True):
            values[place] = turned(trial_values(rows[:, :TRIAL_VALUES]))
            ranks[:, place] = (
                values[place, :, EQUITY] if self.cube is None else self.cube.of_rows(rows)
            )
        share = m / (n + m)
        flat = ranks.reshape(len(self.ranks), m)
        off_centre = flat - flat.mean(axis=1, keepdims=True)
        shift = flat.mean(axis=1) - self.ranks
        self.products += off_centre @ off_centre.T + np.outer(shift, shift) * n * share
        self.ranks += shift * share
        for place in range(len(self.plays)):
            mean, square = sample_moments(values[place])[0]
            off = mean - self.means[place]
            self.means[place] += off * share
            self.squares[place] += square + off**2 * n * share
        self.games += m

    def ranked(self) -> tuple[RankedPlay, ...]:
        """Return the plays, the best first, the first of equals before the others."""
        means = self.means if len(self.running) else self.exact
        if not self.games:
            means = np.full_like(means, np.nan)
        equity, which = self._equities(means)
        order = np.argsort(-equity, kind="stable")
        best = int(order[0])
        own = np.diag(self.products)
        known = which >= 0
        spread = np.where(known, own[which], 0.0)
        shared = np.where(known & known[best], self.products[which, which[best]], 0.0)
        differences = self._errors(np.maximum(spread + spread[best] - 2 * shared, 0))
        spreads, errors = self._errors(spread), self._errors(self.squares)
        return tuple(
            RankedPlay(
                self.plays[place],
                float(equity[place]),
                float(spreads[place]),
                float(equity[place] - equity[best]),
                float("nan") if place == best else float(differences[place]),
                tuple(map(float, means[place, :EQUITY])),
                tuple(map(float, errors[place, :EQUITY])),
                float(means[place, EQUITY]),
            )
            for place in order
        )

    def _equities(self, means: Floats) -> tuple[Floats, npt.NDArray[np.intp]]:
        """Return what the plays are worth, and which of the values that is; -1 where it is certain,
        as the opponent's double is passed."""
        count = len(self.plays)
        places = np.arange(count)
        if self.cube is None:
            return means[:, EQUITY], places
        rolls, taken = self.ranks.reshape(2, count) if len(self.running) else self.exact_ranks.T
        if not self.games:
            return np.full(count, np.nan), places
        doubles = self.cube.may_double & np.isin(places, self.running)
        doubled = np.where(doubles, np.maximum(taken, -1.0), np.inf)
        which = np.where(doubled < rolls, np.where(taken < -1.0, -1, places + count), places)
        return np.minimum(rolls, doubled), which

    def _errors(self, squares: Floats) -> Floats:
        """Return standard errors of means from sums of squared deviations."""
        if self.games < 2:
            return np.full_like(squares, np.nan)
        found: Floats = np.sqrt(squares / (self.games - 1) / self.games)
        return found


class _CubeValues:
    """What games are worth with the cube to the player who chooses the play, in units of the
    stake."""

    def __init__(self, setting: CubeSetting) -> None:
        """Keep what the conversion takes."""
        self.ladder, theirs = ladder_of(setting), setting.turned()
        lost, won = self.ladder.single(0, -1), self.ladder.single(0, 1)
        self.level, self.unit = (won + lost) / 2, (won - lost) / 2
        self.centred = setting.owner == "centre"
        self.place = TRIAL_VALUES + OWNERS.index(theirs.owner)
        self.may_double = bool(ladder_of(theirs).mine[0]) and theirs.owner != "opponent"
        """Whether the opponent may double after the play."""

    def of_points(self, points: npt.NDArray[np.int8]) -> Floats:
        """Return what a play that ends the game is worth."""
        values = self.ladder.centre if self.centred else self.ladder.values[0]
        found: Floats = (values[3 + points.astype(np.intp)] - self.level) / self.unit
        return found

    def of_rows(self, rows: Floats) -> Floats:
        """Return ``float64[2, M]``: what trials, as the opponent has them, are worth if he rolls,
        and if he doubles and it is taken."""
        found: Floats = (-rows[:, [self.place, TRIAL_COLUMNS - 1]].T - self.level) / self.unit
        return found


class _Limits(NamedTuple):
    """Where a ranking may stop."""

    error: float | None
    lead: float | None

    @property
    def any(self) -> bool:
        """Whether there is a limit at all."""
        return self.error is not None or self.lead is not None

    def reached(self, plays: tuple[RankedPlay, ...]) -> bool:
        """Return whether a ranking is precise enough, or its best play clear enough."""
        if self.error is not None and all(each.std_error <= self.error for each in plays):
            return True
        lead = self.lead
        return lead is not None and all(
            -each.difference >= lead * each.difference_error for each in plays[1:]
        )


def _likely(
    plays: tuple[Play, ...], who: Player, rules: Rules, most: int, within: float | None
) -> tuple[Play, ...]:
    """Return the plays that a player's evaluator values most, the best first: at most so many, and
    none that is so much worse than the best."""
    if not who.judges:
        raise ValueError(
            f"candidates={most}: expected None, or an evaluator for a policy, as random play and a "
            "Policy value no play"
        )
    equities = afterstate_equities(np.stack([play.board for play in plays]), who, rules)
    order = np.argsort(-equities, kind="stable")[:most]
    if within is not None:
        order = order[equities[order] >= equities[order[0]] - within]
    return tuple(plays[place] for place in order)
