"""Rollouts: playing positions out many times, in pieces that any executor may work off."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from dataclasses import replace
from itertools import groupby, islice
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tavli_fast import _core
from tavli_fast._common.arguments import (
    MAX_PLIES,
    BoardLike,
    Int8Array,
    board_batch,
    positive_number,
    shown,
)
from tavli_fast._common.version import version
from tavli_fast._common.workers import workers_of
from tavli_fast._core.constants import (
    TRIAL_COLUMNS,
    TRIAL_PLIES,
    TRIAL_POINTS,
    TRIAL_VALUES,
    TRUNCATED,
    UNFINISHED,
)
from tavli_fast.cube.model import EFFICIENCY
from tavli_fast.cube.setting import CubeSetting, ladder_of
from tavli_fast.evaluation.evaluator import Evaluator, PolicyLike
from tavli_fast.evaluation.outcomes import EQUITY, exact_values
from tavli_fast.notation.position_id import position_of
from tavli_fast.notation.xgid import XGID
from tavli_fast.rollouts.journal import Journal, opened
from tavli_fast.rollouts.options import (
    CHUNK,
    PLAIN_TRIALS,
    PlayOptions,
    Workload,
    workload,
)
from tavli_fast.rollouts.plan import Match, Piece, cube_setting, match, play_pieces, policies
from tavli_fast.rollouts.result import RolloutResult, merged, sample_moments, trial_values
from tavli_fast.rollouts.rounds import Stop, play_rounds
from tavli_fast.rules.presets import Rules, RulesLike, resolve_rules

__all__ = ["RolloutResult", "rollout"]


_TASK_TRIALS: Final = 2048
"""About how many random games go to a thread at once: some 20 ms of work, so that progress and
interruption act soon and the hand-over costs little. Does not touch the results."""
_TASK_PIECES: Final = 16
"""The most pieces that go to an executor's worker at once, some half a second's."""


def rollout(  # noqa: PLR0913
    boards: BoardLike | str,
    policy: PolicyLike | tuple[PolicyLike, PolicyLike] | None = None,
    rules: RulesLike | None = None,
    trials: int = PLAIN_TRIALS,
    seed: int | None = None,
    threads: int | None = None,
    executor: Executor | None = None,
    max_plies: int = MAX_PLIES,
    progress: Callable[[int, int], object] | None = None,
    *,
    truncate: int | None = None,
    variance_reduction: bool = False,
    evaluator: Evaluator | None = None,
    stratified: bool = False,
    opening: bool = False,
    same_dice: bool = False,
    cube: CubeSetting | bool | None = None,
    efficiency: float = EFFICIENCY,
    first_trial: int = 0,
    stop_error: float | None = None,
    interim: Callable[[RolloutResult], object] | None = None,
    pieces_in_flight: int | None = None,
    journal: str | os.PathLike[str] | None = None,
) -> RolloutResult:
    """Play each board out many times, from the player on roll, before the dice.

    Random play chooses uniformly among the distinct afterstates of each roll. An evaluator plays
    the afterstate with the highest equity, the first of equals in the order of `afterstates`. A
    `Policy` is asked turn by turn in Python, in one thread. A board whose game is over gives its
    result. The same seed gives bit-identical results for any number of threads and any executor.

    Args:
        boards: integers ``[N, 2, 26]``, or one board ``[2, 26]``; or an `XGID`, or the text of an
            ID, without a roll (`rank_plays` takes one with a roll).
        policy: how both sides play, or a pair of policies, the first for the player on roll:
            ``"random"``; ``"net"`` for the net bundled for the rules, with bear-off tables
            (`with_tables`: without a cube, a game ends where it reaches them, with its exact
            value); a `Net`, a `Linear`; a callable from afterstates to equities or outcome
            probabilities (docs/evaluators.md); or a `Policy`. None is ``"net"`` where the rules
            have a net, their own or one of related rules, else ``"random"``.
        rules: a `Rules` or the name of a preset; None for those that the position states, else
            those of the policy or the evaluator, else Portes.
        trials: the number of games for each board, 1 to 10**15.
        seed: an integer from 0 to 2**128 - 1; None for a fresh one, which the result contains.
        threads: how many threads work; None for as many as this process may use. Not used with an
            `executor`.
        executor: any ``concurrent.futures.Executor`` (a process pool, a cluster's) to spread the
            work over, instead of threads. It is not shut down. It must not be the one whose worker
            calls this function, which would wait for itself. An interruption waits for the games
            that its workers have started.
        max_plies: the number of plies after which a game is cut and counted as unfinished.
        progress: called as ``progress(done, total)`` with numbers of trials, in the calling thread,
            between tasks. If it raises an exception, the rollout stops and the exception goes on.
        truncate: the number of plies after which a game is cut and given the outcomes that the
            `evaluator` estimates there; None plays to the end.
        variance_reduction: whether to subtract the luck of the dice from each result: at every ply,
            the `evaluator`'s value of the play made, minus the mean over all rolls of its values of
            the plays that would have been made. The expected result is unchanged, whatever the
            evaluator; the better it is, the smaller the variance. With few trials and a poor
            evaluator the standard error is too small: see `RolloutResult.few_trials`.
        evaluator: the evaluator for those two and for the cube; None for the first policy.
        stratified: whether to spread the first three rolls evenly over consecutive trials: 36 begin
            with different rolls, 1,296 with different pairs. The result is unbiased for any number
            of trials.
        opening: whether the first roll is not a double, as after an opening roll of one die each.
        same_dice: whether all boards have the same dice, trial by trial.
        cube: also follow each game with the doubling cube: a `CubeSetting`, seen by the player on
            roll; or True for that of the XGID, or for money with a centred cube at 1. The result
            then has `cubeful`: the equities for a centred cube, one owned by either side, and after
            a double that is taken, all from the same games. The policies must be nets. None means
            True for an XGID of a match, else False.
        efficiency: the cube efficiency that both sides assume, 0 to 1; see docs/cube.md.
        first_trial: the first of the seed's trials to play, to continue a rollout; a multiple of
            128.
        stop_error: stop with a board when, after a multiple of 1,280 trials, the standard error of
            its equity is no larger than this; `trials` is then the maximum.
        interim: called with the result so far after every 1,280 trials of all boards. If it raises
            an exception, the rollout stops and the exception goes on.
        pieces_in_flight: how many pieces of work the executor has at a time, waiting or under way;
            None for four for each of its workers, as many as it says it has (the pools of the
            standard library, loky, Dask and mpi4py do) or as this machine has processors.
        journal: a file to which finished pieces of work are appended. If it is there already, the
            rollout goes on with it, and ends with the same bits as if it had never stopped. All
            else must be as it was, but for `trials`, which may be more, and who does the work; the
            seed may be left out. The policies must be nets or random.

    Returns:
        The `RolloutResult` of all boards.

    Raises:
        BoardError: a board is not a possible position.
        EvaluatorError: a callable fails, or returns something that is not an evaluation.
        KeyboardInterrupt: Ctrl-C. Its attribute ``partial`` is the result so far, marked as
            `RolloutResult.partial`; so it is for an exception from `progress` or `interim`.
        OSError: the journal cannot be read or written.
        ValueError: another argument is invalid, or the journal is of another rollout.

    Examples:
        >>> import tavli_fast as tf
        >>> result = tf.rollout(tf.start("plakoto"), rules="plakoto", trials=100, seed=1)
        >>> result.trials, result.equity.shape
        (array([100]), (1,))
    """
    batch, rules, setting = _positions(boards, rules, cube, (*policies(policy), evaluator))
    plan = match(
        rules,
        policy,
        PlayOptions(
            truncate,
            variance_reduction,
            evaluator,
            stratified,
            opening,
            same_dice,
            max_plies,
            setting,
            efficiency,
        ),
    )
    load = plan.load(
        workload(
            trials,
            seed,
            threads,
            executor,
            progress,
            first_trial=first_trial,
            interim=interim,
            pieces_in_flight=pieces_in_flight,
        )
    )
    if load.first % CHUNK:
        raise ValueError(f"first_trial={load.first}: expected a multiple of {CHUNK}")
    largest = np.inf if stop_error is None else positive_number(stop_error, "stop_error")
    if journal is None:
        return _played(plan, batch, load, largest, None)
    with opened(journal, plan, batch, seed) as (kept, entropy):
        return _played(plan, batch, replace(load, entropy=entropy), largest, kept)


def _played(
    plan: Match, batch: Int8Array, load: Workload, largest: float, journal: Journal | None
) -> RolloutResult:
    """Play the trials of a workload, until each board's standard error is no larger than that."""
    tally = _Tally(batch, plan, load)
    over, points = _core.batch.outcomes(batch, plan.rules)
    tally.settle(over, points, load.trials)
    still_open = np.flatnonzero(~over)

    def tasks(at: int, upto: int, stop: Stop) -> Iterator[tuple[Any, ...]]:
        return _tasks(plan, batch, still_open, at, upto, load, stop, journal)

    def known(task: tuple[Any, ...]) -> npt.NDArray[Any] | None:
        return None if journal is None else journal.known(task[2])

    def take(task: tuple[Any, ...], found: npt.NDArray[Any]) -> int:
        if journal is not None:
            journal.add(task[2], found)
        return tally.take(task[2], found)

    def enough() -> bool:
        nonlocal still_open
        with np.errstate(invalid="ignore"):
            precise = tally.result(False).std_error[still_open] <= largest
        still_open = still_open[~precise]
        return not len(still_open)

    result: RolloutResult = play_rounds(
        load,
        len(still_open) * load.trials,
        play_pieces,
        tasks,
        take,
        tally.result,
        enough if largest < np.inf else None,
        known,
    )
    return result


def _positions(
    boards: Any, rules: RulesLike | None, cube: Any, evaluators: tuple[Any, ...]
) -> tuple[Int8Array, Rules, CubeSetting | None]:
    """Return checked boards, their rules, and the cube."""
    if not isinstance(boards, str | XGID):
        checked = resolve_rules(rules, boards, *evaluators)
        return board_batch(boards, checked), checked, cube_setting(cube)
    found = position_of(boards, rules, *evaluators)
    if found.dice is not None:
        raise ValueError(
            f"boards={shown(str(boards))} has a roll to play: expected a position before the roll; "
            "rank_plays rolls out the plays"
        )
    return found.board[np.newaxis], found.rules, cube_setting(cube, found.xgid)


class _Tally:
    """The sums of a rollout under way."""

    def __init__(self, boards: Int8Array, plan: Match, load: Workload) -> None:
        """Begin with nothing."""
        self.boards, self.plan, self.load = boards, plan, load
        self.counts = np.zeros((len(boards), 7), np.int64)
        self.trials, self.plies, self.unfinished, self.truncated = np.zeros(
            (4, len(boards)), np.int64
        )
        self.moments = np.zeros((len(boards), 2, 7 if plan.cube is None else 11))

    def settle(self, over: npt.NDArray[np.bool_], points: Int8Array, trials: int) -> None:
        """Count boards that are over: every trial is their outcome."""
        self.trials[over] = trials
        self.counts[over, 3 + points[over]] = trials
        columns = TRIAL_VALUES if self.plan.cube is None else TRIAL_COLUMNS
        values = np.zeros((len(self.boards), columns))
        values[:, :EQUITY] = exact_values(points)[:, :EQUITY]
        if self.plan.cube is not None:
            ladder = ladder_of(self.plan.cube)
            values[:, TRIAL_VALUES] = ladder.centre[3 + points]
            values[:, TRIAL_VALUES + 1 :] = ladder.values[0, 3 + points][:, np.newaxis]
        self.moments[over, 0] = trial_values(values)[over]

    def take(self, pieces: list[Piece], found: npt.NDArray[Any]) -> int:
        """Add what came of pieces of work; return how many trials they were."""
        if self.plan.plain_random:
            places = [piece.board for piece in pieces]
            np.add.at(self.counts, places, found[:, :7])
            np.add.at(self.unfinished, places, found[:, 7])
            np.add.at(self.plies, places, found[:, 8])
            np.add.at(self.trials, places, [piece.trials for piece in pieces])
            return sum(piece.trials for piece in pieces)
        start = 0
        for piece in pieces:
            self._take_trials(piece.board, found[start : start + piece.trials])
            start += piece.trials
        return start

    def _take_trials(self, board: int, rows: npt.NDArray[np.float64]) -> None:
        """Add the trials of one board."""
        ended = rows[:, TRIAL_POINTS]
        points = ended[ended < TRUNCATED].astype(np.int64)
        self.counts[board] += np.bincount(points + 3, minlength=7)
        self.truncated[board] += int((ended == TRUNCATED).sum())
        if not self.plan.settings.exact or self.plan.cube is not None:
            values = trial_values(rows[ended != UNFINISHED])[:, : self.moments.shape[2]]
            one, so_far = slice(board, board + 1), self.trials[board] - self.unfinished[board]
            self.moments[one] = merged(
                self.moments[one],
                np.array([so_far]),
                sample_moments(values),
                np.array([len(values)]),
            )
        self.unfinished[board] += int((ended == UNFINISHED).sum())
        self.plies[board] += int(rows[:, TRIAL_PLIES].sum())
        self.trials[board] += len(rows)

    def result(self, partial: bool) -> RolloutResult:
        """Return a copy of the sums."""
        most = int(self.trials.max()) if len(self.trials) else 0
        return RolloutResult(
            self.boards,
            self.counts.copy(),
            self.trials.copy(),
            self.plies.copy(),
            self.unfinished.copy(),
            self.truncated.copy(),
            self.moments.copy(),
            self.plan.rules,
            self.plan.name,
            ((self.load.entropy, self.load.first, self.load.first + most),),
            self.plan.settings,
            version(),
            self.plan.cube,
            partial,
        )


def _tasks(
    plan: Match,
    boards: Int8Array,
    places: npt.NDArray[np.intp],
    first: int,
    end: int,
    load: Workload,
    stop: Stop,
    journal: Journal | None,
) -> Iterator[tuple[Match, Int8Array, list[Piece], int, Stop]]:
    """Cut the trials of these boards into pieces, and group those into tasks worth handing over:
    all of a task are in the journal, or none is."""
    size = plan.piece
    pieces = (
        Piece(int(place), start, min(size, end - start))
        for place in places
        for start in range(first, end, size)
    )
    largest = size
    if plan.plain_random:
        # A small job is cut finer, so that every worker has several tasks and none waits long.
        trials = len(places) * (end - first)
        largest = max(CHUNK, min(_TASK_TRIALS, trials // (8 * load.threads)))
    per_task = max(1, largest // min(size, end - first))
    if load.executor is not None:
        # A task costs the client a millisecond or more, so a long rollout has larger ones.
        whole = len(places) * -(-(end - first) // size) // per_task
        per_task *= max(1, min(_TASK_PIECES, whole // (16 * workers_of(load.executor))))
    while several := list(islice(pieces, per_task)):
        parts = [several]
        if journal is not None:
            parts = [list(part) for _, part in groupby(several, journal.has)]
        for task in parts:
            yield plan, boards[[piece.board for piece in task]], task, load.entropy, stop
