"""Matches between players, many games at once, each sequence of dice played from both sides."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from players import Player

import tavli_fast as tf

MOST_PLIES = 4096


@dataclass(frozen=True)
class Score:
    """What came of a match, as the first player has it."""

    points: npt.NDArray[np.int64]
    """``int64[pairs, 2]``: his points when he began, and when the other one did."""

    @property
    def games(self) -> int:
        """Games played."""
        return self.points.size

    @property
    def equity(self) -> float:
        """Mean points a game."""
        return float(self.points.mean())

    @property
    def std_error(self) -> float:
        """Its standard error; the two games of a pair are not independent."""
        return float(self.points.mean(axis=1).std(ddof=1) / len(self.points) ** 0.5)

    @property
    def wins(self) -> float:
        """The share of games won."""
        return float((self.points > 0).mean())

    def __str__(self) -> str:
        """Return the score in words."""
        return (
            f"{self.equity:+.4f} ± {self.std_error:.4f} points a game, "
            f"{100 * self.wins:.2f} % won, {self.games:,} games"
        )


def play(first: Player, second: Player, rules: tf.Rules, pairs: int, seed: int) -> Score:
    """Play `pairs` pairs of games between two players."""
    generator = np.random.default_rng(seed)
    points = np.zeros(2 * pairs, np.int64)
    live = np.arange(2 * pairs)  # the first half: `first` begins
    boards = np.repeat(tf.start(rules)[None], 2 * pairs, axis=0)
    for ply in range(MOST_PLIES):
        dice = generator.integers(1, 7, (pairs, 2)).astype(np.int8)
        if ply == 0 and rules.opening != "fresh_roll":
            while (same := dice[:, 0] == dice[:, 1]).any():
                dice[same] = generator.integers(1, 7, (int(same.sum()), 2))
        rolls = dice[live % pairs]
        mine = (live < pairs) == (ply % 2 == 0)  # games in which `first` is on roll
        for player, turns in ((first, mine), (second, ~mine)):
            if turns.any():
                boards[turns] = player(boards[turns], rolls[turns])
        over, won = tf.outcomes(boards, rules)
        points[live[over]] = np.where(mine, won, -won)[over]
        boards = np.ascontiguousarray(boards[~over][:, ::-1])
        live = live[~over]
        if not len(live):
            return Score(points.reshape(2, pairs).T)
    raise RuntimeError(f"{len(live)} games go on after {MOST_PLIES} plies")
