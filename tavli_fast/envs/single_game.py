"""One game, action by action, in both action spaces: what single environments have in common."""

from __future__ import annotations

from copy import copy
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tavli_fast import _core
from tavli_fast._common.arguments import Int8Array, shown
from tavli_fast.boards.plays import afterstates
from tavli_fast.boards.positions import outcomes, start
from tavli_fast.envs.spaces import MOVES, PASS, max_afterstates
from tavli_fast.errors import ResultTooLargeError
from tavli_fast.rules.presets import Rules

ACTIONS: Final = ("afterstates", "moves")
OBSERVATION: Final = 58
"""Numbers of an observation: 52 of the board, and the moves left of each of the six dice."""

_MOST_TURNS: Final = 1 << 20
"""Turns under way that a roll may lead to; a cascade of doubles can lead to many millions."""


def checked_actions(actions: Any) -> str:
    """Return the name of an action space.

    Raises:
        ValueError: it is none.
    """
    if not isinstance(actions, str) or actions not in ACTIONS:
        raise ValueError(f"actions={shown(actions)}: expected 'afterstates' or 'moves'")
    return actions


class SingleGame:
    """One game: it waits for dice (`lay`) or for an action (`act`), or is over.

    Arrays are never changed, only replaced: copies of a game share them.
    """

    def __init__(self, rules: Rules, actions: str, starter: int) -> None:
        """Begin a game; `starter`, 0 or 1, is on roll."""
        self.rules = rules
        self.actions = actions
        self.size = MOVES if actions == "moves" else max_afterstates(rules)
        """The number of actions."""
        self.player = starter
        self.plies = 0
        self.board: Int8Array = start(rules)
        """``int8[2, 26]``, the player on roll first; after the first moves of a turn, with them."""
        self.dice: tuple[int, int] | None = None
        self.points: int | None = None
        """What player 0 has won, once the game is over; 0 for a draw."""
        self.cut = False
        """Whether the game was given up: its last roll has too many plays to list."""
        self.legal = np.empty(0, np.int64)
        """The actions that may be taken, ascending; none without dice."""
        self.options: Int8Array = np.empty((0, 2, 26), np.int8)
        """The afterstates, in that action space."""
        self._left: tuple[int, ...] = ()
        self._turn: tuple[Int8Array, npt.NDArray[np.int32]] = (self.options, _NO_STEPS)
        self._steps = _NO_STEPS

    def __deepcopy__(self, memo: Any) -> SingleGame:
        """Return a copy, which shares the arrays."""
        return copy(self)

    @property
    def over(self) -> bool:
        """Whether the game has ended, or was given up."""
        return self.points is not None or self.cut

    def lay(self, dice: tuple[int, int]) -> None:
        """Lay the dice that the player on roll has to play."""
        self.dice = dice
        high, low = dice
        self._left = dice
        if high == low:
            last = 6 if self.rules.cascade else high
            self._left = tuple(die for die in range(high, last + 1) for _ in range(4))
        try:
            if self.actions == "moves":
                self._turn = _core.vector_game.moves_of_turn(
                    self.board, high, low, self.rules, _MOST_TURNS
                )
                self._stand_at(0)
                if not len(self.legal):
                    self.legal = np.array([PASS])
            else:
                self.options = afterstates(self.board, dice, self.rules).boards
                self.legal = np.arange(min(max(1, len(self.options)), self.size))
        except ResultTooLargeError:
            self.cut = True

    def act(self, action: int) -> None:
        """Take one of the `legal` actions: a play, one of its moves, or the pass."""
        if self.actions == "afterstates":
            self._end_turn(self.options[action] if len(self.options) else self.board)
        elif action == PASS:
            self._end_turn(self.board)
        else:
            step = self._steps[(6 * self._steps[:, 1] + self._steps[:, 2] - 1) == action][0]
            self.board = self._turn[0][step[3]]
            left = list(self._left)
            left.remove(int(step[2]))
            self._left = tuple(left)
            self._stand_at(int(step[3]))
            if not len(self.legal):
                self._end_turn(self.board)

    def play(self, after: Int8Array) -> None:
        """Play the whole roll at once: to one of its afterstates, or the board if it has none."""
        self._end_turn(after)

    def mask(self) -> npt.NDArray[np.int8]:
        """Return ``int8[size]``: 1 for the legal actions."""
        mask = np.zeros(self.size, np.int8)
        mask[self.legal] = 1
        return mask

    def observation(self, player: int) -> Int8Array:
        """Return ``int8[58]``: the board seen by a player, then how many moves of each die are
        left."""
        board = self.board if player == self.player else self.board[::-1]
        seen = np.zeros(OBSERVATION, np.int8)
        seen[:52] = board.ravel()
        for die in self._left:
            seen[51 + die] += 1
        return seen

    def _stand_at(self, position: int) -> None:
        """Find the moves from one of the positions of the turn."""
        steps = self._turn[1]
        first, end = np.searchsorted(steps[:, 0], (position, position + 1))
        self._steps = steps[first:end]
        self.legal = np.sort(6 * self._steps[:, 1].astype(np.int64) + self._steps[:, 2] - 1)

    def _end_turn(self, after: Int8Array) -> None:
        """Pass the turn, or end the game."""
        over, points = outcomes(after, self.rules)
        self.plies += 1
        self.dice, self._left, self.legal = None, (), np.empty(0, np.int64)
        self.options, self._turn, self._steps = _NO_BOARDS, (_NO_BOARDS, _NO_STEPS), _NO_STEPS
        if over[0]:
            self.points = int(points[0]) * (1 - 2 * self.player)
            self.board = after
        else:
            self.board = np.ascontiguousarray(after[::-1])
            self.player = 1 - self.player


_NO_STEPS: Final = np.empty((0, 4), np.int32)
_NO_BOARDS: Final = np.empty((0, 2, 26), np.int8)


def roll_by(rng: np.random.Generator, game: SingleGame) -> tuple[int, int]:
    """Return fair dice for the player on roll; the first roll of a game may be that of the
    contest, which is no double."""
    while True:
        first, second = rng.integers(1, 7, 2).tolist()
        if game.plies or game.rules.opening == "fresh_roll":
            return first, second
        if first != second:
            return max(first, second), min(first, second)


def action_text(action: int, actions: str) -> str:
    """Return an action as text: ``play 3``, ``13/4`` for the die of 4 played from 13, ``pass``."""
    if actions == "afterstates":
        return f"play {action}"
    if action == PASS:
        return "pass"
    source, die = action // 6, action % 6 + 1
    return f"{'bar' if source == 25 else source}/{die}"
