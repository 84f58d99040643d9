"""Endings with few checkers, solved: what games come to when both sides play known policies."""

from __future__ import annotations

from typing import Any

import numpy as np

import tavli_fast as tf

Players = tuple[Any, Any]
"""A net or "random", for the player on roll and for the other."""

ROLLS = [(high, low) for high in range(1, 7) for low in range(1, high + 1)]


def ending(mine: dict[int, int], theirs: dict[int, int], checkers: int = 15) -> np.ndarray:
    """Return a board of these points and their checkers, all others borne off."""
    board = np.zeros((2, 26), np.int8)
    for plane, points in zip(board, (mine, theirs), strict=True):
        for point, count in points.items():
            plane[point] = count
        plane[0] = checkers - plane.sum()
    return board


def equities(outcomes: np.ndarray) -> np.ndarray:
    """Return the equities of outcome probabilities ``[M, 6]``."""
    lost = 1 - outcomes[:, 0] - outcomes[:, 5] + outcomes[:, 3] + outcomes[:, 4]
    return outcomes[:, :3].sum(axis=1) - lost


class Solved:
    """All positions that a game from `board` can come to, each with its distribution of points.

    A position is a board and who is on roll in it, 0 or 1 of `players`. The system of equations is
    solved at once, so that games that hit each other in circles are no trouble.
    """

    def __init__(self, board: np.ndarray, rules: str, players: Players) -> None:
        """Find the positions and solve for them."""
        self.rules, self.players = rules, players
        self.index: dict[tuple[bytes, int], int] = {}
        self.positions: list[tuple[np.ndarray, int]] = []
        rows = []
        self._place(board, 0)
        for position, who in self.positions:  # grows on the way
            assert len(self.positions) < 3000, "too many positions: take another ending"
            rows.append(self._rolls(position, who))
        count = len(self.positions)
        following, ending_now = np.zeros((count, count)), np.zeros((count, 7))
        for row, rolls in enumerate(rows):
            for (high, low), ends in zip(ROLLS, rolls, strict=True):
                for weight, end in ends:
                    share = weight * (1 + (high != low)) / 36
                    if isinstance(end, tuple):
                        following[row, end[0]] += share
                    else:
                        ending_now[row, 3 + end] += share
        # x = e + F x', with x' the other player's points: even and odd parts are solved apart.
        mirrored = ending_now[:, ::-1]
        even = np.linalg.solve(np.eye(count) - following, ending_now + mirrored)
        odd = np.linalg.solve(np.eye(count) + following, ending_now - mirrored)
        self.shares = (even + odd) / 2

    def _place(self, board: np.ndarray, who: int) -> int:
        """Return the number of a position."""
        # Where both sides are the same it does not matter who is on roll.
        who = 0 if self.players[0] is self.players[1] else who
        key = (board.tobytes(), who)
        if key not in self.index:
            self.index[key] = len(self.positions)
            self.positions.append((board, who))
        return self.index[key]

    def _rolls(self, board: np.ndarray, who: int) -> list[list[tuple[float, Any]]]:
        """Return what each roll may come to: how likely, and the points or ``(position,)``."""
        found = tf.afterstates(np.stack([board] * len(ROLLS)), ROLLS, self.rules)
        parts = [found.boards[a:b] for a, b in zip(found.offsets, found.offsets[1:], strict=False)]
        parts = [part if len(part) else board[np.newaxis] for part in parts]
        if not isinstance(self.players[who], str):
            values = equities(self.players[who](np.concatenate(parts), self.rules))
            ends = np.cumsum([len(part) for part in parts])
            bests = [np.argmax(part) for part in np.split(values, ends[:-1])]
            parts = [part[best : best + 1] for part, best in zip(parts, bests, strict=True)]
        return [self._ends(part, who) for part in parts]

    def _ends(self, after: np.ndarray, who: int) -> list[tuple[float, Any]]:
        """Return what equally likely afterstates come to."""
        over, points = tf.outcomes(after, self.rules)
        return [
            (1 / len(after), int(gain) if ended else (self._place(tf.flip(each), 1 - who),))
            for each, ended, gain in zip(after, over, points, strict=True)
        ]

    @property
    def outcomes(self) -> np.ndarray:
        """The six outcomes of the player on roll in each position, ``[P, 6]``."""
        shares = self.shares
        columns = [shares[:, 4:], shares[:, 5:], shares[:, 6:], shares[:, :2], shares[:, :1]]
        return np.stack([*(part.sum(1) for part in columns), shares[:, 3]], axis=1)

    @property
    def equity(self) -> float:
        """The equity of the board itself."""
        return float(self.shares[0] @ np.arange(-3, 4))

    def after(self, afterstate: np.ndarray) -> float:
        """The equity of the first player, who has just moved from the board itself."""
        over, points = tf.outcomes(afterstate, self.rules)
        if over[0]:
            return float(points[0])
        return -float(self.shares[self._known(tf.flip(afterstate), 1)] @ np.arange(-3, 4))

    def judge(self, afterstates: np.ndarray) -> np.ndarray:
        """Say what afterstates are worth exactly: an evaluator for the same player on both sides.

        An equity alone says nothing of gammons: outcome probabilities.
        """
        found = np.empty((len(afterstates), 6))
        exact = self.outcomes
        for row, after in zip(found, afterstates, strict=True):
            win, win2, win3, lose2, lose3, draw = exact[self._known(tf.flip(after), 0)]
            row[:] = 1 - win - draw, lose2, lose3, win2, win3, draw
        return found

    def _known(self, board: np.ndarray, who: int) -> int:
        """Return the number of a position that was met."""
        return self.index[board.tobytes(), 0 if self.players[0] is self.players[1] else who]
