"""Rollouts: playing positions out to the end, in chunks that any executor may work off."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from ._arguments import (
    MAX_PLIES,
    Int8Array,
    board_batch,
    four_words,
    seed_entropy,
    shown,
    whole_number,
    workers,
)
from ._core import games as _games
from ._core import moves as _moves
from .rules import Rules, resolve_rules, rules_name

__all__ = ["RolloutResult", "rollout"]

CHUNK: Final = 128
"""Trials that share one random stream. A change of it changes the results of every seed."""

MAX_TRIALS: Final = 10**15
"""More games than anyone can wait for, and few enough that sums of them fit in 64 bits."""

_TASK_TRIALS: Final = 2048
"""About how many trials go to the executor at once: some 20 ms of work, so that progress and
interruption act soon and the hand-over costs little. Does not touch the results."""

_IN_FLIGHT: Final = 4
"""Tasks waiting for each worker: enough to keep it busy, few enough that memory does not grow."""


class _Chunk(NamedTuple):
    """Some trials of one board, with a random stream of their own."""

    board: int
    number: int
    trials: int


@dataclass(frozen=True, eq=False)
class RolloutResult:
    """What became of the trials of a batch of boards, as seen by each board's player on roll.

    "On roll" means before the dice are thrown. Two results of the same boards and rules, from
    different seeds, add up: ``a + b``, or ``sum(results)``. The arrays are read-only.

    Attributes:
        boards: ``int8[N, 2, 26]``, what was rolled out.
        counts: ``int64[N, 7]``, games ended at -3, -2, -1, 0, +1, +2, +3 points for the player on
            roll, in this order.
        trials: ``int64[N]``, games begun; each is in `counts` or in `unfinished`.
        plies: ``int64[N]``, plies played in all those games together, dances included.
        unfinished: ``int64[N]``, games cut at ``max_plies``, or where a cascade of doubles had
            too many plays to choose from. They have no result and no part in `equity`.
        rules: the rules played.
        policy: the policy of both sides.
        seeds: the seed of each rollout added up here; with one, ``seed=`` repeats it exactly.
        probabilities: ``float64[N, 7]``, `counts` over `trials`.
        equity: ``float64[N]``, mean points a finished game for the player on roll.
        std_error: ``float64[N]``, the standard error of `equity`.
    """

    boards: Int8Array
    counts: npt.NDArray[np.int64]
    trials: npt.NDArray[np.int64]
    plies: npt.NDArray[np.int64]
    unfinished: npt.NDArray[np.int64]
    rules: Rules
    policy: str
    seeds: tuple[int, ...]

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        for array in (self.boards, self.counts, self.trials, self.plies, self.unfinished):
            array.flags.writeable = False

    @property
    def probabilities(self) -> npt.NDArray[np.float64]:
        """``float64[N, 7]``: `counts` over `trials`. Unfinished games are missing from the sum."""
        return self.counts / self.trials[:, np.newaxis]

    @property
    def equity(self) -> npt.NDArray[np.float64]:
        """``float64[N]``: mean points a finished game for the player on roll (NaN if none is)."""
        return self._moments()[0]

    @property
    def std_error(self) -> npt.NDArray[np.float64]:
        """``float64[N]``: the standard error of `equity`, from the sample's own variance (NaN for
        fewer than two finished games)."""
        return self._moments()[1]

    def _moments(self) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Return the mean and its standard error over the finished games."""
        points = np.arange(-3, 4)
        finished = self.counts.sum(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            mean = self.counts @ points / finished
            # From sums of integers: a difference of large squares would lose what it measures.
            squares = (self.counts * (points - mean[:, np.newaxis]) ** 2).sum(axis=1)
            error = np.sqrt(squares / (finished - 1) / finished)
        error[finished < 2] = np.nan
        return mean, error

    def __len__(self) -> int:
        """Return the number of boards."""
        return len(self.boards)

    def __add__(self, other: RolloutResult) -> RolloutResult:
        """Add up two results of the same boards under the same rules and policy.

        Raises:
            ValueError: boards, rules or policy differ, or both hold the games of one seed, which
                would count the same games twice.
        """
        if not isinstance(other, RolloutResult):
            return NotImplemented
        for name in ("rules", "policy"):
            mine, theirs = getattr(self, name), getattr(other, name)
            if mine != theirs:
                if isinstance(mine, Rules):
                    mine, theirs = rules_name(mine), rules_name(theirs)
                raise ValueError(f"cannot add results of {name} {mine} and {theirs}")
        if not np.array_equal(self.boards, other.boards):
            raise ValueError("cannot add results of different boards")
        shared = set(self.seeds) & set(other.seeds)
        if shared:
            raise ValueError(
                f"cannot add two results of seed {shared.pop()}: they hold the same games"
            )
        return RolloutResult(
            self.boards,
            self.counts + other.counts,
            self.trials + other.trials,
            self.plies + other.plies,
            self.unfinished + other.unfinished,
            self.rules,
            self.policy,
            self.seeds + other.seeds,
        )

    def __radd__(self, other: object) -> RolloutResult:
        """Let ``sum`` begin with its 0."""
        return self if other == 0 else NotImplemented

    def __eq__(self, other: object) -> bool:
        """Return whether two results are the same: boards, games, settings and seeds."""
        if not isinstance(other, RolloutResult):
            return NotImplemented
        return (self.rules, self.policy, self.seeds) == (
            other.rules,
            other.policy,
            other.seeds,
        ) and all(
            np.array_equal(getattr(self, name), getattr(other, name))
            for name in ("boards", "counts", "trials", "plies", "unfinished")
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        """Show the result as a table, a line for each of the first boards."""
        lines = [
            f"<RolloutResult: {len(self)} board{'s' * (len(self) != 1)}, "
            f"rules {rules_name(self.rules)}, policy {self.policy}, "
            f"seed {', '.join(map(str, self.seeds))}",
            "  board    equity  std error    win   win2+  win3   lose2+ lose3     trials",
        ]
        equity, error = self._moments()
        shares = self.probabilities
        for i in range(min(len(self), 10)):
            p = shares[i]
            lines.append(
                f"  {i:5d} {equity[i]:+9.4f} {error[i]:10.4f} {p[4:].sum():6.3f} "
                f"{p[5:].sum():6.3f} {p[6]:6.3f} {p[:2].sum():6.3f} {p[0]:6.3f} "
                f"{self.trials[i]:10d}"
            )
        if len(self) > 10:
            lines.append(f"  … and {len(self) - 10} more")
        cut = int(self.unfinished.sum())
        if cut:
            lines.append(f"  {cut} games were cut: no part in equity")
        return "\n".join(lines) + ">"


def rollout(
    boards: Any,
    rules: Rules | str = "portes",
    policy: str = "random",
    trials: int = 1296,
    seed: int | None = None,
    threads: int | None = None,
    executor: Executor | None = None,
    max_plies: int = MAX_PLIES,
    progress: Callable[[int, int], object] | None = None,
) -> RolloutResult:
    """Play each board out many times, from the player on roll, before the dice.

    The random policy chooses uniformly among the distinct afterstates of each roll. A board that
    is over already gives its outcome. The same seed gives the same bits for any number of threads
    and any executor.

    Args:
        boards: integers ``[N, 2, 26]``, or ``[2, 26]`` for one.
        rules: a `Rules` or the name of a preset.
        policy: how both sides play; ``"random"``.
        trials: games for each board, 1 to 10**15.
        seed: an integer from 0 to 2**128 - 1; None draws a fresh one, which the result tells.
        threads: how many threads work; None for as many as this process may use. No part of it
            with an `executor`.
        executor: any ``concurrent.futures.Executor`` (a process pool, a cluster's) to spread the
            work over, instead of threads. It is left running. Not the one whose worker calls this
            function, which would wait for itself; and an interruption waits for the games that its
            workers have begun.
        max_plies: where a game is cut and counted as unfinished.
        progress: called as ``progress(done, total)`` with trials, in the calling thread, between
            pieces of work. If it raises, the rollout stops and the error goes on.

    Returns:
        The `RolloutResult` for all boards.

    Raises:
        BoardError: a board that cannot be a position.
        ValueError: another bad argument.
    """
    rules = resolve_rules(rules)
    boards = board_batch(boards, rules)
    if type(policy) is not str or policy != "random":
        raise ValueError(f"policy={shown(policy)}: expected 'random'")
    trials = whole_number(trials, "trials", 1, MAX_TRIALS)
    max_plies = whole_number(max_plies, "max_plies", 1, 2**62)
    entropy = seed_entropy(seed)
    if executor is not None and not isinstance(executor, Executor):
        raise ValueError(
            f"executor={shown(executor)}: expected a concurrent.futures.Executor or None"
        )
    if progress is not None and not callable(progress):
        raise ValueError(f"progress={shown(progress)}: expected a callable or None")
    pool_size = workers(threads)
    sums = np.zeros((len(boards), 9), np.int64)
    over, points = _moves.outcomes(boards, rules)
    sums[over, 3 + points[over]] = trials
    tasks = _tasks(np.flatnonzero(~over), trials, pool_size)
    total = int((~over).sum()) * trials
    if executor is not None:
        _collect(executor, boards, rules, entropy, max_plies, tasks, sums, total, progress, None)
    elif total:
        stop = np.zeros(1, np.uint8)
        with ThreadPoolExecutor(pool_size, "tavli_fast") as pool:
            _collect(pool, boards, rules, entropy, max_plies, tasks, sums, total, progress, stop)
    return RolloutResult(
        boards,
        sums[:, :7].copy(),
        np.full(len(boards), trials, np.int64),
        sums[:, 8].copy(),
        sums[:, 7].copy(),
        rules,
        policy,
        (entropy,),
    )


def _workers_of(executor: Executor) -> int:
    """Return how many workers an executor has, as far as it says."""
    found = getattr(executor, "_max_workers", 1)
    return found if type(found) is int else 1


def _tasks(boards: npt.NDArray[np.intp], trials: int, pool_size: int) -> Iterator[list[_Chunk]]:
    """Cut the work on these boards into chunks, and group those into tasks worth handing over."""
    chunks = (
        _Chunk(int(board), number, min(CHUNK, trials - first))
        for board in boards
        for number, first in enumerate(range(0, trials, CHUNK))
    )
    # A small job is cut finer, so that every worker has several tasks and none waits long.
    size = max(CHUNK, min(_TASK_TRIALS, len(boards) * trials // (8 * pool_size)))
    per_task = max(1, size // min(CHUNK, trials))
    while task := list(islice(chunks, per_task)):
        yield task


def _play(
    boards: Int8Array,
    rules: Rules,
    entropy: int,
    max_plies: int,
    task: list[_Chunk],
    stop: npt.NDArray[np.uint8] | None,
) -> npt.NDArray[np.int64]:
    """Play a task's chunks; `boards` holds a board for each. Runs in a worker, maybe elsewhere."""
    if stop is None:
        stop = np.zeros(1, np.uint8)
    rows = np.zeros((len(task), 9), np.int64)
    for row, (chunk, board) in enumerate(zip(task, boards, strict=True)):
        words = four_words(entropy, (chunk.board, chunk.number))
        rows[row] = _games.random_games(board, rules, words, chunk.trials, max_plies, stop)
    return rows


def _submit(executor: Executor, *work: Any) -> Future[npt.NDArray[np.int64]]:
    """Hand a task over.

    Raises:
        ValueError: the executor does not take it.
    """
    try:
        future = executor.submit(_play, *work)
    except RuntimeError as error:  # it has been shut down, or a worker has died
        raise ValueError(f"executor={shown(executor)} takes no work: {error}") from error
    if not isinstance(future, Future):
        kind = type(future).__name__
        raise ValueError(f"executor={shown(executor)} returned a {kind}: expected a Future")
    return future


def _collect(
    executor: Executor,
    boards: Int8Array,
    rules: Rules,
    entropy: int,
    max_plies: int,
    tasks: Iterator[list[_Chunk]],
    sums: npt.NDArray[np.int64],
    total: int,
    progress: Callable[[int, int], object] | None,
    stop: npt.NDArray[np.uint8] | None,
) -> None:
    """Keep the executor busy and add up what comes back; leave nothing running if it ends early."""
    running: dict[Future[npt.NDArray[np.int64]], list[_Chunk]] = {}
    limit = _IN_FLIGHT * max(workers(None), _workers_of(executor))
    done = 0
    try:
        while True:
            for task in islice(tasks, limit - len(running)):
                chosen = boards[[chunk.board for chunk in task]]
                running[_submit(executor, chosen, rules, entropy, max_plies, task, stop)] = task
            if not running:
                return
            # Not without a timeout: `wait` does not hear of futures cancelled by a shutdown.
            wait(running, timeout=0.5, return_when=FIRST_COMPLETED)
            for future in [future for future in running if future.done()]:
                task = running.pop(future)
                np.add.at(sums, [chunk.board for chunk in task], future.result())
                done += sum(chunk.trials for chunk in task)
                if progress is not None:
                    progress(done, total)
    except BaseException:
        if stop is not None:
            stop[0] = 1
        # Wait for what is being played only: a future that somebody has cancelled, we or an
        # executor that was shut down, may never be done in the eyes of `wait`.
        wait([future for future in running if not future.cancel() and not future.done()])
        raise
