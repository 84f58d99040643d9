"""Where the cube is, at which score, by which rules of the table: where a decision starts."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Final, Protocol

import numpy as np

from tavli_fast._common.arguments import flag, shown, whole_number
from tavli_fast.cube.match_equity import LONGEST, MatchEquityTable, default_table, match_ladder
from tavli_fast.cube.model import Ladder
from tavli_fast.cube.question import CubeQuestion
from tavli_fast.notation.xgid import XGID
from tavli_fast.rules.fields import misplaced_rules

__all__ = ["CubeSetting"]

OWNERS: Final = ("centre", "player", "opponent")


class HasCubeQuestion(Protocol):
    """A `Game` or a `Session`: what can say where the cube is and how the match stands."""

    @property
    def cube_question(self) -> CubeQuestion:
        """What a policy would be asked about the cube now."""


@dataclass(frozen=True)
class CubeSetting:
    """The cube, the score and the rules of the match, seen by the player on roll.

    A match score is given as points won, ``score=(2, 4), target=7``, or as points still needed,
    ``away=(5, 3)``. `CubeSetting.of` takes it from an `XGID`, a `Game`, a `Session` or a
    `CubeQuestion`.

    Raises:
        ValueError: a field has a value that it cannot have, or that does not fit the others.

    Examples:
        >>> import tavli_fast as tf
        >>> tf.CubeSetting(score=(2, 4), target=7) == tf.CubeSetting(away=(5, 3))
        True
    """

    cube: int = 1
    """The value of the cube: 1, 2, 4, …"""
    owner: str = "centre"
    """The owner of the cube: ``"centre"``, ``"player"`` (on roll) or ``"opponent"``."""
    score: tuple[int, int] | None = field(default=None, compare=False, repr=False)
    """In a match, the points won by the player and the opponent; with `target`."""
    target: int | None = field(default=None, compare=False, repr=False)
    """The length of the match; without `score` the score is 0-0."""
    away: tuple[int, int] | None = None
    """In a match, the points that the player and the opponent still need; follows from `score` and
    `target` if these are given. None for money."""
    post_crawford: bool = False
    """Whether the Crawford game is over. If not, a game at which a side needs 1 is the Crawford
    game, and nobody may double in it."""
    table: MatchEquityTable | None = None
    """The match equity table, the player first; None for `MatchEquityTable.compute`'s."""
    cap: int | None = None
    """The highest cube value; None for no limit."""
    jacoby: bool = False
    """Whether all games count single as long as the cube is centred."""
    beavers: bool = False
    """Whether a player who takes may redouble at once and keep the cube."""
    beaver_refusable: bool = False
    """Whether the doubler may pass after a beaver, and lose the stake of the double."""

    def __post_init__(self) -> None:
        """Check the fields; see the class's ``Raises``."""
        _power_of_two(self.cube, "cube")
        if not isinstance(self.owner, str) or self.owner not in OWNERS:
            raise ValueError(f"owner={shown(self.owner)}: expected one of {', '.join(OWNERS)}")
        for name in ("post_crawford", "jacoby", "beavers", "beaver_refusable"):
            flag(getattr(self, name), name)
        if self.table is not None and not isinstance(self.table, MatchEquityTable):
            raise ValueError(f"table={shown(self.table)}: expected a MatchEquityTable or None")
        if self.cap is not None and _power_of_two(self.cap, "cap") < self.cube:
            raise ValueError(f"cube={self.cube} is above cap={self.cap}")
        longest = LONGEST if self.table is None else self.table.length
        self._take_score(longest)
        if self.away is None:
            if self.post_crawford or self.table is not None:
                raise ValueError(
                    "post_crawford and table belong to a match: expected score and target, or away"
                )
            return
        mine, theirs = _pair(self.away, "away", "the points that both sides need")
        mine = whole_number(mine, "away[0]", 1, longest)
        theirs = whole_number(theirs, "away[1]", 1, longest)
        object.__setattr__(self, "away", (mine, theirs))  # a tuple, whatever pair it was
        if self.post_crawford and min(mine, theirs) > 1:
            raise ValueError(
                f"post_crawford with {mine} and {theirs} points to go: expected a side that needs 1"
            )

    def _take_score(self, longest: int) -> None:
        """Set `away` by the points won."""
        if self.target is None:
            if self.score is not None:
                raise ValueError(
                    f"score={shown(self.score)} without target: expected target= too, the points "
                    "that win the match; the points that both sides still need are away="
                )
            return
        target = whole_number(self.target, "target", 1)
        won = _pair((0, 0) if self.score is None else self.score, "score", "the points won")
        mine, theirs = (
            whole_number(points, f"score[{side}]", 0, target - 1) for side, points in enumerate(won)
        )
        away = target - mine, target - theirs
        if max(away) > longest:
            raise ValueError(
                f"target={target} at {mine}-{theirs}: expected at most {longest} points to go"
            )
        if self.away is not None and tuple(self.away) != away:
            raise ValueError(
                f"away={shown(self.away)} beside score {mine}-{theirs} to target={target}, which "
                f"is away={away}: expected one of the two"
            )
        object.__setattr__(self, "score", (mine, theirs))
        object.__setattr__(self, "away", away)

    @classmethod
    def of(
        cls,
        source: CubeQuestion | XGID | HasCubeQuestion,
        table: MatchEquityTable | None = None,
    ) -> CubeSetting:
        """Return the setting of a cube decision.

        A match longer than the table, or than 100 points, is treated as money play.

        Args:
            source: an `XGID`; a `Game` or a `Session` in its current state; or the `CubeQuestion`
                that a game asks of a policy. Its player on roll is the player of the setting.
            table: the match equity table; None for `MatchEquityTable.compute`'s.

        Returns:
            The `CubeSetting`.

        Raises:
            ValueError: `source` is none of these, or its match is over.
        """
        if isinstance(source, XGID):
            return cls._of_xgid(source, table)
        question = source if isinstance(source, CubeQuestion) else _question_of(source)
        rules, away = question.table, _within(question.away, table)
        return cls(
            cube=question.stake,
            owner=_OWNER_OF[question.owner],
            away=away,
            post_crawford=away is not None and min(away) == 1 and not question.crawford,
            table=None if away is None else table,
            cap=rules.cube_cap,
            jacoby=question.jacoby,
            beavers=rules.beavers,
            beaver_refusable=rules.beaver_refusable,
        )

    @classmethod
    def _of_xgid(cls, xgid: XGID, table: MatchEquityTable | None) -> CubeSetting:
        """Return the setting of an XGID."""
        away = None
        if xgid.match_length:
            mine, theirs = (xgid.match_length - points for points in xgid.scores)
            if min(mine, theirs) < 1:
                raise ValueError(f"{xgid}: the match is over, expected a score below its length")
            away = _within((mine, theirs), table)
        return cls(
            cube=xgid.cube,
            owner=_OWNER_OF[xgid.cube_owner],
            away=away,
            post_crawford=away is not None and min(away) == 1 and not xgid.crawford,
            table=None if away is None else table,
            cap=xgid.max_cube,
            jacoby=xgid.jacoby,
            beavers=xgid.beavers,
            beaver_refusable=xgid.rules.beaver_refusable,
        )

    def turned(self) -> CubeSetting:
        """Return the state as the opponent sees it."""
        owner = {"player": "opponent", "opponent": "player"}.get(self.owner, "centre")
        score = None if self.score is None else self.score[::-1]
        away = None if self.away is None else self.away[::-1]
        table = None if self.table is None else self.table.turned()
        return replace(self, owner=owner, score=score, away=away, table=table)


_OWNER_OF: Final = {1: "player", -1: "opponent", 0: "centre"}
"""Whose the cube is, as `XGID` and `CubeQuestion` tell it."""


def _pair(value: Any, name: str, what: str) -> tuple[Any, Any]:
    """Return the two numbers of a score."""
    try:
        mine, theirs = value
    except (TypeError, ValueError):
        raise ValueError(f"{name}={shown(value)}: expected a pair, {what}") from None
    return mine, theirs


def _within(away: tuple[int, int] | None, table: MatchEquityTable | None) -> tuple[int, int] | None:
    """Return the points to go if a table holds them; None for a longer match."""
    longest = LONGEST if table is None else table.length
    return away if away is not None and max(away) <= longest else None


def _question_of(source: Any) -> CubeQuestion:
    """Return what a game or a session would ask."""
    question = getattr(source, "cube_question", None)
    if not isinstance(question, CubeQuestion):
        raise ValueError(
            f"source={shown(source)}: expected an XGID, a Game, a Session or a CubeQuestion"
        )
    return question


def setting_of(setting: Any) -> CubeSetting:
    """Return the setting that an argument means: money if it is None.

    Raises:
        ValueError: it is neither a `CubeSetting` nor None.
    """
    if setting is None:
        return CubeSetting()
    if not isinstance(setting, CubeSetting):
        raise ValueError(
            misplaced_rules(setting, "setting")
            or f"setting={shown(setting)}: expected a CubeSetting or None; CubeSetting.of makes one"
            " of an XGID, a Game or a Session"
        )
    return setting


def ladder_of(setting: CubeSetting) -> Ladder:
    """Return what games are worth at each height of the cube, from the present one on."""
    if setting.away is not None:
        mine, theirs = setting.away
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
