"""What has happened in a game, for people to read and for JSON."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeAlias

from tavli_fast.rules.presets import Rules
from tavli_fast.rules.text import rules_to_json

__all__ = ["Call", "GameRecord", "Turn"]

Roll: TypeAlias = tuple[int, int]
Moves: TypeAlias = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn as it was played."""

    player: int
    """0 or 1."""
    dice: Roll
    """The roll, in the order thrown (of a contest's dice, the starter's own first)."""
    moves: Moves
    """(from, to) pairs in the player's numbers, 25 the bar and 0 off; none if he danced."""


@dataclass(frozen=True, slots=True)
class Call:
    """What a player said about the stake: a double and the answers to it, or that he resigns."""

    turn: int
    """How many turns had been played before it."""
    player: int
    """Who said it, 0 or 1."""
    action: str
    """``"double"``, ``"take"``, ``"drop"``, ``"beaver"`` or ``"resign"``."""
    value: int
    """The stake it leads to: that offered by a double or beaver or taken, or that lost by a drop;
    of a resignation the points lost, before the cube."""


@dataclass(slots=True)
class GameRecord:
    """What has happened in a game so far."""

    rules: Rules
    """The rules of this game."""
    contest: tuple[Roll, ...]
    """The throws that decided who starts, player 0's die first, ties included; () if none were."""
    starter: int
    """Who starts: 0 or 1; -1 as long as the contest has not decided."""
    rerolled: bool = False
    """Whether the starter threw anew instead of keeping the contest's dice."""
    turns: list[Turn] = field(default_factory=list)
    """The turns, dances included."""
    winner: int | None = None
    """0 or 1; None for a draw, and as long as the game is not over."""
    points: int | None = None
    """What the winner gets, the cube included, 0 for a draw; None as long as the game is not
    over."""
    calls: list[Call] = field(default_factory=list)
    """What was said about the cube, in order."""
    stake: int = 1
    """The value of the cube, automatic doubles included."""
    crawford: bool = False
    """Whether it is the Crawford game of a match."""
    unplayed: Roll | None = None
    """The dice on the table when a player resigned; None if there were none."""

    def to_dict(self) -> dict[str, Any]:
        """Return the record as JSON has it: dicts, lists, numbers and strings."""
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
