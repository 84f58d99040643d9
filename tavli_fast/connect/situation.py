"""One decision at a table: the position, the cube, the score, and what is waited for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from tavli_fast._common.arguments import Int8Array, one_board, one_pair, shown, whole_number
from tavli_fast.boards.positions import flip
from tavli_fast.cube.question import CubeQuestion
from tavli_fast.cube.setting import CubeSetting
from tavli_fast.notation.play import Play
from tavli_fast.rules.presets import Rules

__all__ = ["Action", "Situation", "Waiting"]

Waiting: TypeAlias = Literal["roll", "play", "double", "beaver", "resign"]
"""What is waited for: a roll (or a double), a play of the dice, or the answer to a double, a beaver
or a resignation."""


@dataclass(frozen=True)
class Action:
    """What the engine does."""

    name: str
    """``"roll"``, ``"double"``, ``"play"``, ``"take"``, ``"drop"``, ``"beaver"``, ``"resign"``,
    ``"accept"`` or ``"reject"`` (a resignation)."""
    play: Play | None = None
    """The play, of ``"play"``; one without moves if there is no legal play."""
    points: int = 0
    """Of ``"resign"``: what is offered, 1 to 3, before the cube."""


@dataclass(frozen=True, eq=False)
class Situation:
    """Everything a decision depends on.

    Raises:
        BoardError: the board is not a possible position.
        ValueError: another field has a value that it cannot have; the message names it.
    """

    board: Int8Array
    """``int8[2, 26]``: the player on roll first, also while the opponent has to answer."""
    rules: Rules
    """The rules of the game; those of the cube (`cube_cap`, `jacoby`, `beavers`, ...) apply too."""
    dice: tuple[int, int] | None = None
    """The roll to play; None before the roll."""
    cube: int = 1
    """The stake; while a double waits, that before it."""
    owner: int = 0
    """The owner of the cube: 1 the player on roll, -1 the opponent, 0 nobody."""
    score: tuple[int, int] = (0, 0)
    """The points of the player on roll and of the opponent."""
    length: int = 0
    """The points to play to; 0 for money."""
    crawford: bool = False
    """Whether this is the Crawford game."""
    waiting: Waiting | None = None
    """What is waited for; None for a play if there are dice, else for a roll."""
    resigned: int = 0
    """While a resignation waits: the points offered, 1 to 3, before the cube."""
    asked_on_roll: bool = True
    """While a resignation waits: whether the side that answers is on roll."""

    def __post_init__(self) -> None:
        """Check the fields; see the class's ``Raises``."""
        keep = object.__setattr__
        keep(self, "board", one_board(self.board, self.rules))
        if self.dice is not None:
            keep(self, "dice", one_pair(self.dice))
        cube = whole_number(self.cube, "cube", 1, 2**15)
        if cube & (cube - 1):
            raise ValueError(f"cube={cube}: expected a power of two")
        whole_number(self.owner, "owner", -1, 1)
        length = whole_number(self.length, "length", 0, 10**6)
        for points in self.score:
            whole_number(points, "score", 0, length - 1 if length else None)
        if self.crawford and (not length or length - max(self.score) != 1):
            raise ValueError("crawford=True: expected a match in which a side needs one point")
        waiting = self.waiting or ("roll" if self.dice is None else "play")
        if waiting not in ("roll", "play", "double", "beaver", "resign"):
            raise ValueError(f"waiting={shown(waiting)}: expected what a game can wait for")
        if (waiting == "play" and self.dice is None) or (
            waiting in ("roll", "double", "beaver") and self.dice is not None
        ):
            raise ValueError(f"dice={self.dice}: not while a {waiting} is waited for")
        keep(self, "waiting", waiting)
        if waiting == "resign":
            whole_number(self.resigned, "resigned", 1, 3)

    @property
    def away(self) -> tuple[int, int] | None:
        """The points that the player on roll and the opponent need; None for money."""
        if not self.length:
            return None
        return self.length - self.score[0], self.length - self.score[1]

    @property
    def question(self) -> CubeQuestion:
        """What a policy would be asked about the cube."""
        away, rules = self.away, self.rules
        stake = self.cube
        dead = away is not None and rules.dead_cube_rule and 2 * stake >= away[1]
        over = rules.cube_cap is not None and 4 * stake > rules.cube_cap
        return CubeQuestion(
            board=self.board,
            rules=rules,
            table=rules,
            stake=stake,
            owner=self.owner,
            away=away,
            crawford=self.crawford,
            crawford_over=away is not None and min(away) == 1 and not self.crawford,
            jacoby=rules.jacoby and away is None and self.owner == 0,
            may_beaver=rules.beavers
            and self.waiting != "beaver"
            and not (self.crawford or over or dead),
            beavered=self.waiting == "beaver",
        )

    @property
    def setting(self) -> CubeSetting:
        """The cube and the score, seen by the player on roll."""
        return CubeSetting.of(self.question)

    @property
    def may_double(self) -> bool:
        """Whether the player on roll may double now."""
        rules, away = self.rules, self.away
        if not rules.cube or self.waiting != "roll" or self.owner < 0 or self.crawford:
            return False
        if rules.cube_cap is not None and 2 * self.cube > rules.cube_cap:
            return False
        dead = away is not None and rules.dead_cube_rule and self.cube >= away[0]
        return not dead

    def turned(self) -> Int8Array:
        """Return the board seen by the opponent of the player on roll."""
        return flip(self.board)
