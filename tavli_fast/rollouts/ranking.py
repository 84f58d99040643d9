"""Ranking the plays of a roll by rollouts with the same dice for all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from typing import Any, Final, Literal, NamedTuple

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
from tavli_fast._common.version import version
from tavli_fast.cube.model import EFFICIENCY
from tavli_fast.cube.setting import CubeSetting
from tavli_fast.evaluation.evaluate import afterstate_equities
from tavli_fast.evaluation.evaluator import Evaluator, Player, PolicyLike
from tavli_fast.notation.legal import legal_plays
from tavli_fast.notation.play import Play
from tavli_fast.notation.position_id import position_of
from tavli_fast.rollouts.options import PLAIN_TRIALS, ROUND, PlayOptions, workload
from tavli_fast.rollouts.pairs import Pairs
from tavli_fast.rollouts.plan import (
    Match,
    board_key,
    cube_setting,
    default_policy,
    match,
    policies,
)
from tavli_fast.rollouts.ranked import RankedPlay, RankedPlays
from tavli_fast.rollouts.rounds import Stop, play_rounds
from tavli_fast.rules.presets import Rules, RulesLike

__all__ = ["rank_plays"]

Floats = npt.NDArray[np.float64]


TRIALS: Final = 3 * ROUND
TRUNCATE: Final = 7
WITHIN: Final = 0.16
LEAST: Final = 3
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
    estimate, within 0.16 of the best, are rolled out, and always 3; games are truncated at 7 plies;
    variance
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
    sums = Pairs(plays, rules, mine.cube)
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
        near = equities[order] >= equities[order[0]] - within
        order = order[: max(int(near.sum()), LEAST)]
    return tuple(plays[place] for place in order)
