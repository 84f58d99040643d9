"""Where the cube is, at which score, by which rules of the table: where a decision starts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from tavli_fast._common.arguments import flag, shown, whole_number
from tavli_fast.cube.match_equity import LONGEST, MatchEquityTable, default_table, match_ladder
from tavli_fast.cube.model import Ladder
from tavli_fast.cube.question import CubeQuestion

__all__ = ["CubeSetting"]

OWNERS: Final = ("centre", "player", "opponent")


@dataclass(frozen=True)
class CubeSetting:
    """The cube, the score and the rules of the table, as the player on roll sees them.

    Raises:
        ValueError: a field has another value than it may, or does not go with the others.
    """

    cube: int = 1
    """What the cube shows: 1, 2, 4, …"""
    owner: str = "centre"
    """Whose it is: ``"centre"``, ``"player"`` (who is on roll) or ``"opponent"``."""
    score: tuple[int, int] | None = None
    """In a match the points that the player and the opponent still need; None for money."""
    post_crawford: bool = False
    """Whether the Crawford game is over. If not, a game at which a side needs 1 is the Crawford
    game, and nobody may double in it."""
    table: MatchEquityTable | None = None
    """The chances to win the match, the player first; None for `MatchEquityTable.compute`'s."""
    cap: int | None = None
    """The highest cube; None for no end."""
    jacoby: bool = False
    """Whether all games count single as long as the cube is in the middle."""
    beavers: bool = False
    """Whether who takes may turn the cube once more and keep it."""
    beaver_refusable: bool = False
    """Whether who is beavered may pass, and lose the stake of his double."""

    def __post_init__(self) -> None:
        """Refuse what cannot be; see the class's ``Raises``."""
        _power_of_two(self.cube, "cube")
        if not isinstance(self.owner, str) or self.owner not in OWNERS:
            raise ValueError(f"owner={shown(self.owner)}: expected one of {', '.join(OWNERS)}")
        for name in ("post_crawford", "jacoby", "beavers", "beaver_refusable"):
            flag(getattr(self, name), name)
        if self.table is not None and not isinstance(self.table, MatchEquityTable):
            raise ValueError(f"table={shown(self.table)}: expected a MatchEquityTable or None")
        if self.cap is not None and _power_of_two(self.cap, "cap") < self.cube:
            raise ValueError(f"cube={self.cube} is above cap={self.cap}")
        if self.score is None:
            if self.post_crawford or self.table is not None:
                raise ValueError("post_crawford and table belong to a match: expected a score")
            return
        try:
            mine, theirs = self.score
        except (TypeError, ValueError):
            expected = "expected a pair, the points that both sides need"
            raise ValueError(f"score={shown(self.score)}: {expected}") from None
        longest = LONGEST if self.table is None else self.table.length
        mine = whole_number(mine, "score[0]", 1, longest)
        theirs = whole_number(theirs, "score[1]", 1, longest)
        object.__setattr__(self, "score", (mine, theirs))  # a tuple, whatever pair it was
        if self.post_crawford and min(mine, theirs) > 1:
            raise ValueError(f"post_crawford at {mine}-{theirs}: expected a side that needs 1")

    @classmethod
    def of(cls, question: CubeQuestion, table: MatchEquityTable | None = None) -> CubeSetting:
        """Return the setting of the question that a game asks of a policy.

        A match longer than the table (or than 100 points) is taken as a game for money.
        """
        rules, away = question.table, question.away
        longest = LONGEST if table is None else table.length
        score = away if away is not None and max(away) <= longest else None
        return cls(
            cube=question.stake,
            owner={1: "player", -1: "opponent"}.get(question.owner, "centre"),
            score=score,
            post_crawford=score is not None and min(score) == 1 and not question.crawford,
            table=None if score is None else table,
            cap=rules.cube_cap,
            jacoby=question.jacoby,
            beavers=rules.beavers,
            beaver_refusable=rules.beaver_refusable,
        )

    def turned(self) -> CubeSetting:
        """Return the state as the opponent sees it."""
        owner = {"player": "opponent", "opponent": "player"}.get(self.owner, "centre")
        score = None if self.score is None else (self.score[1], self.score[0])
        table = None if self.table is None else self.table.turned()
        return replace(self, owner=owner, score=score, table=table)


def ladder_of(setting: CubeSetting) -> Ladder:
    """Return what games are worth at each height of the cube, from the present one on."""
    if setting.score is not None:
        mine, theirs = setting.score
        return match_ladder(
            default_table(max(mine, theirs)) if setting.table is None else setting.table,
            mine,
            theirs,
            cube=setting.cube,
            cap=setting.cap,
            crawford=min(mine, theirs) == 1 and not setting.post_crawford,
            post_crawford=setting.post_crawford,
            jacoby=setting.jacoby,
        )
    points = np.arange(-3.0, 4.0)
    centre = np.sign(points) if setting.jacoby else points
    if setting.cap is None:
        return Ladder(points[None], centre, (True,), (True,), endless=True)
    doubles = setting.cap // setting.cube
    heights = 1 << np.arange(doubles.bit_length())
    more = tuple(bool(height < doubles) for height in heights)
    return Ladder(np.multiply.outer(heights, points), centre, more, more)


def _power_of_two(value: Any, name: str) -> int:
    """Return what a cube can show."""
    number = whole_number(value, name, 1, 2**30)
    if number & (number - 1):
        raise ValueError(f"{name}={number}: expected a power of two")
    return number
