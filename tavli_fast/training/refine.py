"""Refining a net: positions that it meets are rolled out, and it is fitted to what they come to."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tavli_fast import _core
from tavli_fast._common.arguments import (
    Int8Array,
    four_words,
    seed_entropy,
    shown,
    whole_number,
    workers,
)
from tavli_fast._common.workers import check_workers
from tavli_fast.boards.positions import flip, outcomes, start
from tavli_fast.evaluation.evaluate import best_plays
from tavli_fast.nets.net import Net, unpacked
from tavli_fast.nets.packing import aligned
from tavli_fast.rollouts.rollout import rollout
from tavli_fast.rules.presets import Rules
from tavli_fast.rules.text import rules_name

__all__ = ["positions_met", "refine"]

_FIRST_RATE: Final = {"sigmoid": 0.06, "clipped": 0.02}
"""How fast the fit begins to learn; in each pass it falls to a tenth, and goes on from there."""
_GAMES: Final = 256
"""Games that are played side by side to collect positions."""
_SHARE: Final = 0.25
"""The part of their positions that is taken: neighbours tell nearly the same."""
_MOST_PLIES: Final = 1000
_IDLE: Final = 20
"""Rounds of games after which, having met nothing new, a net is taken to meet nothing more."""
_BATCH: Final = 500
"""Positions that are rolled out between two calls of `progress`."""


def refine(
    net: Net,
    positions: int = 20_000,
    trials: int = 8,
    truncate: int = 9,
    passes: int = 6,
    seed: int | None = None,
    threads: int | None = None,
    executor: Executor | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Net:
    """Return a net fitted to rollouts of positions that the net meets when it plays itself.

    Self-play learns from one roll at a time. Here each position gets the mean of several short
    rollouts, freed from the luck of their dice, which is closer to the truth than what the net has
    thought: the second stage of training. A seed gives the same weights for any number of threads.

    Args:
        net: a trained net.
        positions: how many to roll out.
        trials: games for each.
        truncate: plies after which each is cut and judged by the net.
        passes: how often the fit goes through all positions.
        seed: an integer from 0 to 2**128 - 1; None draws a fresh one, which ``info`` tells.
        threads: how many threads roll out; None for as many as this process may use.
        executor: who works instead of threads, as in `rollout`.
        progress: called as ``progress(done, total)`` with positions.

    Raises:
        ValueError: a bad argument, or a net for rules with cascades of doubles (Gul Bara).
    """
    if not isinstance(net, Net):
        raise ValueError(f"net={shown(net)}: expected a Net")
    if net.rules.cascade:
        raise ValueError(
            f"net is for {rules_name(net.rules)}: expected rules without cascades of doubles, for "
            "which rollouts take too long"
        )
    positions = whole_number(positions, "positions", 1, 10**9)
    trials = whole_number(trials, "trials", 1, 10**6)
    truncate = whole_number(truncate, "truncate", 1, 10**6)
    passes = whole_number(passes, "passes", 1, 10**4)
    entropy = seed_entropy(seed)
    check_workers(executor, progress)
    workers(threads)
    boards = positions_met(net, positions, seed=entropy)
    targets = np.empty((positions, 6), np.float32)
    for first in range(0, positions, _BATCH):
        some = slice(first, first + _BATCH)
        found = rollout(
            boards[some],
            net.rules,
            net,
            trials=trials,
            seed=int(four_words(entropy, (1, first))[0]),
            threads=threads,
            executor=executor,
            truncate=truncate,
            variance_reduction=True,
            stratified=True,
        )
        targets[some] = _other_side(found.outcomes)
        if progress is not None:
            progress(min(first + _BATCH, positions), positions)
    weights = aligned(net.packed)
    generator = np.random.default_rng(np.random.SeedSequence(entropy, spawn_key=(2,)))
    rate = _FIRST_RATE[net.activation]
    for _ in range(passes):
        order = generator.permutation(positions)
        kind, columns = net.kind, net.columns
        _core.train.learn_boards(
            weights,
            flip(boards),
            targets,
            order,
            net.rules,
            kind,
            columns,
            net.outputs,
            rate,
            rate / 10,
        )
        rate /= 2
    refined = unpacked(weights, net.rules, net.columns, net.outputs, net.activation)
    settings = {"positions": positions, "trials": trials, "truncate": truncate, "passes": passes}
    refined.info = {**net.info, "refined": {**settings, "seed": entropy}}
    return refined


def positions_met(net: Net, count: int, seed: int) -> Int8Array:
    """Return positions that a net meets when it plays itself, the player on roll first, as
    ``int8[count, 2, 26]``; each stands once.

    Raises:
        ValueError: it does not meet so many.
    """
    rules = net.rules
    generator = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(0,)))
    found = np.empty((0, 2, 26), np.int8)
    idle = 0
    while len(found) < count:
        before = len(found)
        found = np.unique(np.concatenate([found, _games(net, rules, generator)]), axis=0)
        idle = idle + 1 if len(found) == before else 0
        if idle == _IDLE:
            expected = f"expected at most the {before} that the net meets in its games"
            raise ValueError(f"positions={count}: {expected}")
    return np.ascontiguousarray(generator.permutation(found)[:count])


def _games(net: Net, rules: Rules, generator: np.random.Generator) -> Int8Array:
    """Play games side by side; return some of their positions, none of them over."""
    boards = np.repeat(start(rules)[np.newaxis], _GAMES, axis=0)
    met = []
    for _ in range(_MOST_PLIES):
        dice = generator.integers(1, 7, (len(boards), 2))
        after = best_plays(boards, dice, net, rules).boards[:, 0]
        over, _ = outcomes(after, rules)
        boards = flip(after[~over])
        if not len(boards):
            break
        met.append(boards[generator.random(len(boards)) < _SHARE])
    return np.concatenate(met) if met else np.empty((0, 2, 26), np.int8)


def _other_side(found: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
    """Return outcomes as the player has them who has just moved, each within 0 to 1."""
    win, win2, win3, lose2, lose3, draw = found.T
    turned = np.stack([1 - win - draw, lose2, lose3, win2, win3, draw], axis=1)
    clipped: npt.NDArray[np.float32] = np.clip(turned, 0, 1).astype(np.float32)
    return clipped
