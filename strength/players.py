"""Players to measure nets against: what chooses an afterstate for each of many boards and rolls."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt

import tavli_fast as tf

Int8 = npt.NDArray[np.int8]
Player = Callable[[Int8, Int8], Int8]
"""Takes ``int8[N, 2, 26]``, the player on roll first, and ``int8[N, 2]`` dice; returns the boards
that he leaves, not flipped (the same board if he has no move)."""


def by_score(score: Callable[[Int8], npt.NDArray[np.floating]], rules: tf.Rules) -> Player:
    """Return the player that leaves the afterstate of the highest score, the first of equals."""

    def choose(boards: Int8, dice: Int8) -> Int8:
        found = tf.afterstates(boards, dice, rules)
        chosen = boards.copy()
        if not len(found.boards):
            return chosen
        scores = np.asarray(score(found.boards), np.float64)
        begins, counts = found.offsets[:-1], np.diff(found.offsets)
        some = counts > 0
        best = np.maximum.reduceat(scores, begins[some])
        owner = np.repeat(np.arange(some.sum()), counts[some])
        hits = np.flatnonzero(scores == best[owner])
        _, first = np.unique(owner[hits], return_index=True)
        chosen[some] = found.boards[hits[first]]
        return chosen

    return choose


def net_player(net: tf.Net, rules: tf.Rules) -> Player:
    """Return the player that leaves what a net judges best."""
    from tavli_fast._core import evaluators

    def choose(boards: Int8, dice: Int8) -> Int8:
        n = len(boards)
        after = np.empty_like(boards)
        places, values = np.empty(n, np.int32), np.empty((n, 6), np.float32)
        evaluators.best(
            np.ascontiguousarray(boards),
            np.ascontiguousarray(dice),
            rules,
            net.packed,
            net.kind,
            net.columns,
            net.outputs,
            places,
            after,
            values,
        )
        return after

    return choose


def random_player(rules: tf.Rules, seed: int) -> Player:
    """Return the player that leaves any afterstate, each with the same probability."""
    generator = np.random.default_rng(seed)
    return by_score(lambda boards: generator.random(len(boards)), rules)


def pubeval(weights: Path, rules: tf.Rules) -> Player:
    """Return Tesauro's public benchmark player; `weights` is an .npz file with ``contact`` and
    ``race``, 122 numbers each."""
    with np.load(weights) as arrays:
        both = np.stack([arrays["contact"], arrays["race"]]).astype(np.float64)
    # tables[phase, j, n + 15]: what a signed count of n on his point 25 - j (from j = 1) adds.
    counts = np.arange(-15, 16)
    shown = np.stack(
        [
            counts == -1,
            counts == 1,
            counts >= 2,
            counts == 3,
            np.where(counts >= 4, (counts - 3) / 2, 0),
        ]
    ).astype(float)
    tables = np.einsum("pjk,kn->pjn", both[:, :120].reshape(2, 24, 5), shown)

    def score(boards: Int8) -> npt.NDArray[np.float64]:
        mine, theirs = boards[:, 0].astype(int), boards[:, 1].astype(int)
        signed = mine[:, 1:25] - theirs[:, 24:0:-1]  # by his point 1..24
        numbers = np.arange(26)
        rear = (np.where(mine[:, 1:] > 0, numbers[1:], 0)).max(axis=1)
        others = (np.where(theirs[:, 1:] > 0, numbers[1:], 0)).max(axis=1)
        race = (rear + others < 25).astype(int)
        j = np.arange(24)
        found = tables[race[:, None], j, signed[:, ::-1] + 15].sum(axis=1)
        found += both[race, 120] * theirs[:, 25] / 2 + both[race, 121] * mine[:, 0] / 15
        return np.where(mine[:, 0] == rules.checkers, np.inf, found)

    return by_score(score, rules)


def gnubg_0ply(rules: tf.Rules) -> Player:
    """Return GNU Backgammon's 0-ply play, through the optional package gnubg-nn."""
    import gnubg_nn

    def choose(boards: Int8, dice: Int8) -> Int8:
        chosen = boards.copy()
        can_move = np.flatnonzero(tf.count_plays(boards, dice, rules))
        for i, board, roll in zip(
            can_move.tolist(), boards[can_move], dice[can_move].tolist(), strict=True
        ):
            planes = [board[1, 1:].tolist(), board[0, 1:].tolist()]
            _, key = gnubg_nn.best_move(planes, *roll, b=1)
            chosen[i, :, 1:] = gnubg_nn.board_from_position_key(key)
        chosen[:, :, 0] = rules.checkers - chosen[:, :, 1:].sum(axis=2)
        return chosen

    return choose
