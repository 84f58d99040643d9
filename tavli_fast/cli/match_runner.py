"""Matches and games with the cube between two players, in pairs of the same dice, by processes."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass
from math import nan, sqrt
from multiprocessing import get_context
from typing import Any, Final, SupportsIndex, TypeVar

import numpy as np

from tavli_fast._common.arguments import Int8Array, four_words
from tavli_fast._common.workers import in_order
from tavli_fast.evaluation.evaluate import afterstate_equities
from tavli_fast.evaluation.player import Player
from tavli_fast.play.cube_player import CubePlayer
from tavli_fast.play.policies import Policy, RandomPolicy
from tavli_fast.play.records import Roll
from tavli_fast.play.session import Session
from tavli_fast.rules.presets import Rules

__all__ = ["Score", "at_table", "play_tables"]

_Result = TypeVar("_Result")

_PAIRS: Final = 2
"""Pairs handed over at once: a second or so of work for a match."""


@dataclass(frozen=True)
class Score:
    """What the first player has won: matches (1 each), or points of single games."""

    pairs: int
    """Pairs of matches or games: in the second one the players have changed seats."""
    total: int
    squares: int
    """The sum over the pairs of the square of what both together came to."""
    games: int
    """Games played, a match has several."""

    @property
    def mean(self) -> float:
        """The mean of a match or game."""
        return self.total / (2 * self.pairs)

    @property
    def std_error(self) -> float:
        """Its standard error, from the pairs (NaN for fewer than two)."""
        if self.pairs < 2:
            return nan
        spread = self.pairs * self.squares - self.total**2
        return sqrt(spread / (self.pairs - 1)) / (2 * self.pairs)


def play_tables(
    rules: Rules,
    target: int | None,
    first: Player,
    second: Player,
    pairs: int,
    seed: int,
    workers: int,
    progress: Callable[[int, int], object] | None,
) -> Score:
    """Play pairs of matches to `target`, or of single games; the same for any workers."""
    score = Score(0, 0, 0, 0)

    def take(task: tuple[Any, ...], found: tuple[int, int, int, int]) -> None:
        nonlocal score
        mine = (score.pairs, score.total, score.squares, score.games)
        score = Score(*(one + other for one, other in zip(mine, found, strict=True)))
        if progress is not None:
            progress(2 * score.pairs, 2 * pairs)

    with _pool(workers) as pool:
        in_order(pool, _play, _tasks(rules, target, first, second, pairs, seed), take, None)
    return score


def _pool(workers: int) -> Executor:
    """Return who works: processes, since games at a table are played in Python."""
    if workers == 1:
        return ThreadPoolExecutor(1)
    return _Processes(workers, get_context("spawn"))


class _Processes(ProcessPoolExecutor):
    """Processes that hear no Ctrl-C, which is for the one who hands over.

    Not even while they begin, when nothing of theirs could catch it: they inherit what is blocked.
    """

    def submit(self, fn: Callable[..., _Result], /, *args: Any, **kwargs: Any) -> Future[_Result]:
        """Hand work over, to a new process if there is room for one."""
        if not hasattr(signal, "pthread_sigmask"):
            return super().submit(fn, *args, **kwargs)
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            return super().submit(fn, *args, **kwargs)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _tasks(
    rules: Rules, target: int | None, first: Player, second: Player, pairs: int, seed: int
) -> Iterator[tuple[Any, ...]]:
    """Cut the pairs into pieces of work."""
    for at in range(0, pairs, _PAIRS):
        yield rules, target, first, second, at, min(_PAIRS, pairs - at), seed


def _play(
    rules: Rules,
    target: int | None,
    first: Player,
    second: Player,
    at: int,
    pairs: int,
    seed: int,
) -> tuple[int, int, int, int]:
    """Play some pairs; return their number and what a `Score` has of them."""
    total = squares = games = 0
    for pair in range(at, at + pairs):
        dice, choices = map(int, four_words(seed, (pair,))[:2])
        both = 0
        for seat, players in enumerate([(first, second), (second, first)]):
            session = Session(rules, target=target, seed=dice)
            policies = [at_table(each, choices + k) for k, each in enumerate(players)]
            score = session.play_out(policies[0], policies[1], 1 if target is None else None)
            games += len(session.history)
            won = score[seat] - score[1 - seat] if target is None else int(session.winner == seat)
            both += won
        total += both
        squares += both**2
    return pairs, total, squares, games


def at_table(who: Player, seed: int) -> Policy:
    """Return how a player plays at a table: with the cube too, if he can judge positions."""
    plays = _AtTable(who, seed)
    judge = who.weights if who.weights is not None else who.function
    return plays if judge is None else CubePlayer(plays, judge)


class _AtTable:
    """The plays of a player: the best afterstate by his evaluator, or any at random."""

    def __init__(self, who: Player, seed: int) -> None:
        """Keep what judges the afterstates."""
        self.who, self.at_random = who, RandomPolicy(seed)

    def __call__(
        self, board: Int8Array, dice: Roll, afterstates: Int8Array, rules: Rules, /
    ) -> SupportsIndex:
        """Return the index of the chosen afterstate."""
        if self.who.at_random:
            return self.at_random(board, dice, afterstates, rules)
        return int(afterstate_equities(np.ascontiguousarray(afterstates), self.who, rules).argmax())
