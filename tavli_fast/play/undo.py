"""Actions of a game taken back, and the dice that are thrown again after it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import NamedTuple

from tavli_fast._common.arguments import Int8Array, one_pair
from tavli_fast.play.cube_actions import CubeActions, Phase
from tavli_fast.play.cube_state import Cube
from tavli_fast.play.records import Roll

__all__ = ["Undoable"]


class _State(NamedTuple):
    """A game before an action: all that the action may change."""

    phase: Phase
    player: int
    board: Int8Array
    dice: Roll | None
    cube: Cube
    thrown: Roll | None
    """The dice that the action throws."""
    contests: int
    turns: int
    calls: int
    starter: int
    rerolled: bool
    stake: int
    result: tuple[int | None, int | None, Roll | None]
    """The winner, the points and the roll that was not played."""


class Undoable(CubeActions):
    """The part of a `Game` that remembers what there was before each action.

    Args:
        throw: the source of the dice.
    """

    def __init__(self, throw: Callable[[], Roll]) -> None:
        """Begin with nothing to take back."""
        self._source = throw
        self._again: list[Roll] = []
        self._past: list[_State] = []

    def undo(self) -> None:
        """Take back the last action: a play, a roll, a double, its answer, a resignation.

        Dice that are taken back are thrown again by the next roll, so the game stays that of its
        seed. A roll without a legal play is one action with the turn that it ended. A contest is
        taken back only if it was an action of its own (``by_hand``).

        Raises:
            ValueError: nothing has been done yet.

        Examples:
            >>> import tavli_fast as tf
            >>> game = tf.Session("backgammon", seed=1).game
            >>> game.play("8/5 6/5")
            >>> game.undo()
            >>> game
            <Game of backgammon after 0 turns: player 1 has to play 3-1>
        """
        if not self._past:
            raise ValueError(f"cannot undo: nothing has been done, {self._state()}")
        state, record = self._past.pop(), self.record
        if state.thrown is not None:
            self._again.append(state.thrown)
        del record.turns[state.turns :], record.calls[state.calls :]
        record.contest = record.contest[: state.contests]
        record.starter, record.rerolled, record.stake = state.starter, state.rerolled, state.stake
        record.winner, record.points, record.unplayed = state.result
        self.phase, self.player, self.board = state.phase, state.player, state.board
        self.dice, self.cube = None, state.cube
        if state.dice is not None:
            self._lay(state.dice)

    @property
    def can_undo(self) -> bool:
        """Whether `undo` has an action to take back."""
        return bool(self._past)

    @property
    def thrown(self) -> list[Roll]:
        """The dice that a game without actions has thrown and not yet thrown again, the last
        first."""
        return [*self._again, *reversed(self.record.contest)]

    def _throw(self) -> Roll:
        """Throw the dice, first those of throws that were taken back."""
        return self._again.pop() if self._again else one_pair(self._source())

    def _remember(self, thrown: Roll | None = None) -> None:
        """Keep the state of the game before an action, and the dice that it throws."""
        record = self.record
        self._past.append(
            _State(
                self.phase, self.player, self.board, self.dice, self.cube, thrown,
                len(record.contest), len(record.turns), len(record.calls), record.starter,
                record.rerolled, record.stake, (record.winner, record.points, record.unplayed),
            )
        )  # fmt: skip

    # What a Game has besides, for the methods above.

    @abstractmethod
    def _lay(self, dice: Roll) -> Roll:
        """Lay dice on the table, find what they allow, and return them."""

    @abstractmethod
    def _state(self) -> str:
        """Say what the game waits for, or how it ended."""
