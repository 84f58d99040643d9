"""Looking ahead over all 21 rolls: what a board is worth a few plies on, slice by slice."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tavli_fast import _core
from tavli_fast._common.arguments import Int8Array, most_moves
from tavli_fast.evaluation.evaluator import Player, values_of
from tavli_fast.evaluation.outcomes import (
    CHANCES,
    EQUITY,
    ROLLS,
    Values,
    equities,
    exact_values,
    turned,
)
from tavli_fast.rules.presets import Rules

Indices = npt.NDArray[np.int64]

Level = tuple[int, float] | None
"""At most so many plays, within so much equity of the best; None keeps all."""

_CANDIDATES: Final = 1 << 15
"""Afterstates that are held at once at each ply of the search, unless one roll has more."""

_SEARCHED: Final = 1 << 11
"""The same for the first ply of a deeper search: each of them is much work, for threads."""

BOARDS_AT_ONCE: Final = _CANDIDATES // (20 * len(ROLLS))
"""Boards whose rolls are looked at together."""


@dataclass(frozen=True)
class Search:
    """Who judges, by which rules, and which replies are looked at further."""

    player: Player
    rules: Rules
    replies: tuple[Level, ...]
    """For the plays of both sides after the first one."""


class Candidates(NamedTuple):
    """The afterstates of some boards and rolls, at least one each: who cannot move stays."""

    part: slice
    """Which of the boards."""
    bases: Int8Array
    """``int8[N, 2, 26]``: these."""
    dice: Int8Array
    """``int8[N, 2]``: their rolls."""
    boards: Int8Array
    """``int8[M, 2, 26]``, not flipped."""
    starts: Indices
    """Where each board's begin."""
    moves: Int8Array | None
    """``int8[M, 4, 2]`` if asked for."""


def ahead(search: Search, boards: Int8Array, plies: int) -> Values:
    """Return the values of boards for the player on roll, before the dice: by the evaluator at
    once, or as the mean over all rolls of the best play, judged one ply less deep."""
    if plies == 0:
        return turned(values_of(search.player, flipped(boards), search.rules))
    over, points = _core.batch.outcomes(boards, search.rules)
    values = np.empty((len(boards), EQUITY + 1))
    values[over] = exact_values(points[over])
    running = np.flatnonzero(~over)
    for first in range(0, len(running), BOARDS_AT_ONCE):
        some = running[first : first + BOARDS_AT_ONCE]
        pairs = np.repeat(boards[some], len(ROLLS), axis=0)
        dice = np.tile(ROLLS, (len(some), 1))
        best = best_values(search, pairs, dice, plies - 1).reshape(len(some), len(ROLLS), -1)
        values[some] = (best * CHANCES[:, np.newaxis]).sum(axis=1)
    return values


def best_values(search: Search, boards: Int8Array, dice: Int8Array, plies: int) -> Values:
    """Return the value of the best play of each board, none of them over, with its roll."""
    if plies == 0 and search.player.weights is not None:
        return best_of_net(search, boards, dice)[2]
    values = np.empty((len(boards), EQUITY + 1))
    for some in candidates(boards, dice, search.rules):
        alive, found = weighed(search, some, plies, search.replies)
        starts = np.searchsorted(alive, some.starts)
        values[some.part] = found[first_best(found[:, EQUITY], starts)]
    return values


def best_of_net(
    search: Search, boards: Int8Array, dice: Int8Array, moves: Int8Array | None = None
) -> tuple[npt.NDArray[np.int32], Int8Array, Values]:
    """Return for each board and roll the place of the play that a compiled evaluator likes best,
    -1 if none is legal and -2 if the game is over, its afterstate and its value; its moves are
    written to `moves`, if given."""
    net = search.player.weights
    assert net is not None
    places, after = np.empty(len(boards), np.int32), np.empty_like(boards)
    out = np.empty((len(boards), EQUITY), np.float32)
    _core.evaluate.best(
        boards, dice, search.rules, net.packed, net.kind, net.columns, net.outputs, places, after,
        out, moves,
    )  # fmt: skip
    return places, after, np.column_stack([out, equities(out)]).astype(np.float64)


def candidates(boards: Int8Array, dice: Int8Array, rules: Rules) -> Iterator[Candidates]:
    """List all plays of boards and rolls, slice by slice, without their moves."""
    counts = play_counts(boards, dice, rules)
    for part in slices(counts):
        yield listed(boards, dice, rules, counts, part)


def play_counts(boards: Int8Array, dice: Int8Array, rules: Rules) -> npt.NDArray[np.int32]:
    """Return how many plays boards have with their rolls."""
    counts = np.empty(len(boards), np.int32)
    _core.batch.count(boards, dice, rules, counts)
    return counts


def slices(counts: npt.NDArray[np.int32], deeper: bool = False) -> list[slice]:
    """Cut boards with so many plays into slices that need no more memory than there is; smaller
    ones if each play is to be looked at further."""
    most = _SEARCHED if deeper else _CANDIDATES
    ends = np.cumsum(np.maximum(counts, 1), dtype=np.int64)
    found: list[slice] = []
    first = done = 0
    while first < len(counts):
        last = max(first + 1, int(np.searchsorted(ends, done + most, "right")))
        found.append(slice(first, last))
        first, done = last, int(ends[last - 1])
    return found


def listed(
    boards: Int8Array,
    dice: Int8Array,
    rules: Rules,
    counts: npt.NDArray[np.int32],
    part: slice,
    *,
    with_moves: bool = False,
) -> Candidates:
    """List the plays of a slice; a board without any stands for itself, with no moves."""
    boards, dice, counts = boards[part], dice[part], counts[part]
    offsets = np.zeros(len(boards) + 1, np.int64)
    np.cumsum(counts, out=offsets[1:])
    after = np.empty((int(offsets[-1]), 2, 26), np.int8)
    moves = np.empty((len(after), most_moves(rules), 2), np.int8) if with_moves else None
    _core.batch.fill(boards, dice, rules, offsets, after, moves)
    stays = np.flatnonzero(counts == 0)
    if len(stays):
        after = np.insert(after, offsets[stays], boards[stays], axis=0)
        if moves is not None:
            moves = np.insert(moves, offsets[stays], -1, axis=0)
        offsets[1:] += np.cumsum(counts == 0)
    return Candidates(part, boards, dice, after, offsets[:-1].copy(), moves)


def weighed(
    search: Search, some: Candidates, plies: int, levels: tuple[Level, ...], top: int = 1
) -> tuple[Indices, Values]:
    """Judge candidates by looking `plies` ahead, but only those that the filters of the shallower
    levels leave, `top` of each board at least.

    Returns:
        Which they are, ascending, and their values for the mover.
    """
    alive = np.arange(len(some.boards))
    for level in range(plies):
        rule = levels[level] if level < len(levels) else None
        if rule is not None and len(alive) > len(some.starts):
            equity = _judged(search, some, alive, level)[:, EQUITY]
            alive = alive[_kept(equity, np.searchsorted(alive, some.starts), rule, top)]
    return alive, _judged(search, some, alive, plies)


def _judged(search: Search, some: Candidates, alive: Indices, plies: int) -> Values:
    """Return the values of some of the candidates for the player who has just moved."""
    if plies > 0:
        return turned(ahead(search, flipped(some.boards[alive]), plies))
    net = search.player.weights
    if net is None or len(alive) < len(some.boards):
        return values_of(search.player, some.boards[alive], search.rules)
    out = np.empty((len(some.boards), EQUITY), np.float32)
    _core.evaluate.afterstate_outcomes(
        some.bases, some.dice, search.rules, net.packed, net.kind, net.columns, net.outputs,
        some.starts, out,
    )  # fmt: skip
    return np.column_stack([out, equities(out)]).astype(np.float64)


def _kept(
    equity: npt.NDArray[np.float64], starts: Indices, rule: tuple[int, float], top: int
) -> npt.NDArray[np.bool_]:
    """Return which candidates a filter keeps."""
    most, within = rule
    order, ranks = ranked(equity, starts)
    best = np.repeat(equity[order[starts]], np.diff(starts, append=len(equity)))
    keep = np.empty(len(equity), np.bool_)
    keep[order] = (ranks < top) | ((ranks < most) & (equity[order] >= best - within))
    return keep


def ranked(equity: npt.NDArray[np.float64], starts: Indices) -> tuple[Indices, Indices]:
    """Return the candidates of each board from the best to the worst, and the rank of each of
    these; equals stay in their order."""
    sizes = np.diff(starts, append=len(equity))
    order = np.lexsort((-equity, np.repeat(np.arange(len(starts)), sizes)))
    return order, np.arange(len(equity)) - np.repeat(starts, sizes)


def first_best(equity: npt.NDArray[np.float64], starts: Indices) -> Indices:
    """Return the first candidate of the highest equity of each board."""
    highest = np.maximum.reduceat(equity, starts)
    sizes = np.diff(starts, append=len(equity))
    hits = np.flatnonzero(equity == np.repeat(highest, sizes))
    return hits[np.searchsorted(hits, starts)]


def flipped(boards: Int8Array) -> Int8Array:
    """Return the boards with the other player first."""
    return np.ascontiguousarray(boards[:, ::-1])
