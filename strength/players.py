"""Players to measure nets against, as functions from afterstates to equities for `tf.arena`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import tavli_fast as tf

Boards = npt.NDArray[Any]
"""``int8[N, 2, 26]``, who has just moved first."""
Score = Callable[[Boards], npt.NDArray[np.float64]]


def squeezed(scores: npt.NDArray[np.floating[Any]]) -> npt.NDArray[np.float64]:
    """Return scores between -1 and 1 in the same order: the arena gives games that are won their
    points, 1 at least, and no player is to prefer anything to them."""
    return scores / (1 + np.abs(scores))


def pubeval(weights: Path) -> Score:
    """Return Tesauro's public benchmark player; `weights` is an .npz file with ``contact`` and
    ``race``, 122 numbers each."""
    with np.load(weights) as arrays:
        both = np.stack([arrays["contact"], arrays["race"]]).astype(np.float64)
    # tables[phase, j, n + 15]: what a signed count of n on his point 24 - j adds.
    counts = np.arange(-15, 16)
    above = np.where(counts >= 4, (counts - 3) / 2, 0)
    shown = np.stack([counts == -1, counts == 1, counts >= 2, counts == 3, above]).astype(float)
    tables = np.einsum("pjk,kn->pjn", both[:, :120].reshape(2, 24, 5), shown)

    def pubeval_player(boards: Boards) -> npt.NDArray[np.float64]:
        mine, theirs = boards[:, 0].astype(int), boards[:, 1].astype(int)
        signed = mine[:, 1:25] - theirs[:, 24:0:-1]  # by his points 1..24
        rear, their_rear = (
            np.where(plane[:, 1:] > 0, np.arange(1, 26), 0).max(axis=1) for plane in (mine, theirs)
        )
        race = (rear + their_rear < 25).astype(int)
        found = tables[race[:, None], np.arange(24), signed[:, ::-1] + 15].sum(axis=1)
        found += both[race, 120] * theirs[:, 25] / 2 + both[race, 121] * mine[:, 0] / 15
        return squeezed(found)

    return pubeval_player


def gnubg_0ply() -> Score:
    """Return GNU Backgammon's evaluation without looking ahead, through the package gnubg-nn."""
    import gnubg_nn

    def gnubg(boards: Boards) -> npt.NDArray[np.float64]:
        # As the opponent sees them, who is on roll: gnubg has the other side first.
        seen = [gnubg_nn.probabilities(planes, 0) for planes in boards[:, :, 1:].tolist()]
        p = np.array(seen).reshape(-1, 5)
        return 1 - 2 * p[:, 0] - p[:, 1] - p[:, 2] + p[:, 3] + p[:, 4]

    return gnubg


class Ahead:
    """A net that looks so many plies ahead, as a policy.

    The plays that it searches are those that a filter leaves (docs/evaluators.md), each reply is
    the best at once.
    """

    def __init__(self, net: tf.Net, plies: int, filters: Any = "narrow") -> None:
        """Keep the net and how it looks."""
        self.net, self.plies, self.filters = net, plies, filters

    def __call__(
        self, board: Boards, dice: tuple[int, int], afterstates: Boards, rules: tf.Rules
    ) -> int:
        """Return the place of the chosen play."""
        found = tf.best_plays(
            board, dice, self.net, rules, self.plies, filters=self.filters, replies=[(1, 0)]
        )
        return _place(afterstates, found.boards[0, 0])


class Gnubg:
    """GNU Backgammon looking so many plies ahead with its own filter of plays, as a policy."""

    def __init__(self, plies: int) -> None:
        """Keep how far it looks."""
        self.plies = plies

    def __call__(
        self, board: Boards, dice: tuple[int, int], afterstates: Boards, _: tf.Rules, /
    ) -> int:
        """Return the place of the chosen play."""
        import gnubg_nn

        # It has the other side first, and tells the moves as points of who is on roll.
        moves = gnubg_nn.bestmove(board[::-1, 1:].tolist(), int(dice[0]), int(dice[1]), self.plies)
        after = np.array(board)
        for start, end in moves:
            after[0, start] -= 1
            after[0, max(end, 0)] += 1
            if end > 0 and after[1, 25 - end]:
                after[1, 25 - end] = 0
                after[1, 25] += 1
        return _place(afterstates, after)


def _place(afterstates: Boards, wanted: Boards) -> int:
    """Return where a board is among those that can be chosen."""
    (places,) = (afterstates == wanted).all(axis=(1, 2)).nonzero()
    return int(places[0])
