"""What has happened in a game, for people to read and for JSON."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from tavli_fast._common.arguments import Int8Array
from tavli_fast.rules.presets import Rules
from tavli_fast.rules.text import rules_to_json

__all__ = ["Call", "GameRecord", "Turn"]

Roll: TypeAlias = tuple[int, int]
Moves: TypeAlias = tuple[tuple[int, int], ...]


def _no_board() -> Int8Array:
    """Return the board of a turn that does not say it: one without checkers."""
    return np.zeros((2, 26), np.int8)


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn as it was played."""

    player: int
    """0 or 1."""
    dice: Roll
    """The roll, in the order rolled (of a contest's dice, the starter's own first)."""
    moves: Moves
    """(from, to) pairs in the player's numbering, 25 the bar and 0 off; none for a dance."""
    board: Int8Array = field(default_factory=_no_board, compare=False, repr=False)
    """The position before the roll, ``int8[2, 26]``, read-only, the player first."""


@dataclass(frozen=True, slots=True)
class Call:
    """An action about the stake: a double, an answer to one, or a resignation."""

    turn: int
    """How many turns had been played before it."""
    player: int
    """The player, 0 or 1."""
    action: str
    """``"double"``, ``"take"``, ``"drop"``, ``"beaver"``, ``"resign"`` or ``"award"``."""
    value: int
    """The stake that is offered by a double or beaver, taken, or lost by a drop; for a resignation
    the points lost, without the cube; for an award the points that the player gets."""


@dataclass(slots=True)
class GameRecord:
    """What has happened in a game so far."""

    rules: Rules
    """The rules of this game."""
    contest: tuple[Roll, ...]
    """The rolls that decided who starts, player 0's die first, with ties; () if there were none."""
    starter: int
    """The starter, 0 or 1; -1 until the contest has decided."""
    rerolled: bool = False
    """Whether the starter rerolled instead of keeping the dice of the contest."""
    turns: list[Turn] = field(default_factory=list)
    """The turns, dances included."""
    winner: int | None = None
    """0 or 1; None for a draw, and until the game is over."""
    points: int | None = None
    """The points that the winner gets, including the cube; 0 for a draw, None until the game is
    over."""
    calls: list[Call] = field(default_factory=list)
    """The actions about the cube, in order."""
    stake: int = 1
    """The value of the cube, automatic doubles included."""
    crawford: bool = False
    """Whether it is the Crawford game of a match."""
    unplayed: Roll | None = None
    """The roll that had not been played when a player resigned; None if there was none."""

    def to_dict(self) -> dict[str, Any]:
        """Return the record as JSON-compatible data: dicts, lists, numbers and strings."""
        return {
            "rules": rules_to_json(self.rules),
            "contest": [*map(list, self.contest)],
            "starter": self.starter,
            "rerolled": self.rerolled,
            "turns": [
                {
                    "player": turn.player,
                    "dice": list(turn.dice),
                    "moves": [*map(list, turn.moves)],
                }
                for turn in self.turns
            ],
            "winner": self.winner,
            "points": self.points,
            "calls": [
                {
                    "turn": call.turn,
                    "player": call.player,
                    "action": call.action,
                    "value": call.value,
                }
                for call in self.calls
            ],
            "stake": self.stake,
            "crawford": self.crawford,
            "unplayed": None if self.unplayed is None else list(self.unplayed),
        }
