"""A turn of a match as it was played: the board, the roll, the cube and the score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from tavli_fast._common.arguments import Int8Array
from tavli_fast.cube.match_equity import MatchEquityTable
from tavli_fast.cube.setting import CubeSetting
from tavli_fast.play.records import Call, Moves, Roll
from tavli_fast.rules.presets import Rules

__all__ = ["Spot", "Stage"]


class Stage(NamedTuple):
    """The cube and the score, seen by the player on roll: what a `CubeSetting` is made of."""

    cube: int
    owner: str
    away: tuple[int, int] | None
    post_crawford: bool
    cap: int | None
    jacoby: bool
    beavers: bool
    refusable: bool

    @classmethod
    def of(cls, setting: CubeSetting) -> Stage:
        """Return the stage of a setting."""
        return cls(
            setting.cube,
            setting.owner,
            setting.away,
            setting.post_crawford,
            setting.cap,
            setting.jacoby,
            setting.beavers,
            setting.beaver_refusable,
        )

    def turned(self) -> Stage:
        """Return the stage as the opponent sees it, were he on roll."""
        owner = {"player": "opponent", "opponent": "player"}.get(self.owner, "centre")
        return self._replace(owner=owner, away=None if self.away is None else self.away[::-1])

    def setting(self, table: MatchEquityTable | None) -> CubeSetting:
        """Return the setting, with a match equity table."""
        return CubeSetting(
            cube=self.cube,
            owner=self.owner,
            away=self.away,
            post_crawford=self.post_crawford,
            table=table if self.away is not None else None,
            cap=self.cap,
            jacoby=self.jacoby,
            beavers=self.beavers,
            beaver_refusable=self.refusable,
        )


@dataclass(frozen=True, slots=True, eq=False)
class Spot:
    """One turn: what was on the table, and what was done."""

    game: int
    """The game, from 0."""
    turn: int
    """The turn, from 0."""
    player: int
    """The player on roll, 0 or 1."""
    rules: Rules
    board: Int8Array
    """The position before the roll, the player on roll first."""
    stage: Stage | None
    """The cube and the score before the roll and before a double; None in a game without a
    cube."""
    after: Stage | None
    """The same when the dice are thrown: after a double that was taken."""
    opening: bool
    """Whether it is the opening roll, in which nobody doubles and no doubles are thrown."""
    calls: tuple[Call, ...]
    """What was said before the roll: a double and its answers."""
    dice: Roll | None
    """The roll; None if the double ended the game, or nothing followed."""
    moves: Moves
    """The moves that were made."""
    played: Int8Array | None
    """The position that they left, not flipped; None if nothing was played."""

    @classmethod
    def at(
        cls, board: Int8Array, dice: Roll | None, rules: Rules, setting: CubeSetting | None
    ) -> Spot:
        """Return a position that somebody asks about, seen by the player on roll."""
        stage = None if setting is None else Stage.of(setting)
        return cls(0, 0, 0, rules, board, stage, stage, False, (), dice, (), None)

    @property
    def doubled(self) -> bool:
        """Whether the player doubled."""
        return any(call.action == "double" for call in self.calls)

    @property
    def answer(self) -> str | None:
        """The answer to the double: ``"take"``, ``"drop"`` or ``"beaver"``."""
        said = (call.action for call in self.calls if call.player != self.player)
        return next((action for action in said if action in ("take", "drop", "beaver")), None)
