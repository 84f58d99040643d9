"""The Nodots Backgammon Engine Protocol, version 1: its paths on top of the same engine.

Source: github.com/nodots/backgammon-engine-protocol, SPEC.md (Apache-2.0).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from tavli_fast._common.version import version
from tavli_fast.boards.positions import flip
from tavli_fast.connect.engine import Engine
from tavli_fast.connect.situation import Situation
from tavli_fast.connect.web.fields import Field, RequestError
from tavli_fast.cube.decisions import cube_equities
from tavli_fast.errors import NotationError
from tavli_fast.notation.play import Play
from tavli_fast.notation.position_id import from_position_id
from tavli_fast.rules.presets import BACKGAMMON

__all__ = ["BEP", "health"]

_CONVENTIONS: Final = ("on-roll-first", "opponent-first")
_COLOURS: Final = ("white", "black")
_FIELDS: Final[dict[str, Field]] = {
    "positionId": Field("text", "a GNU Backgammon position ID", high=64, required=True),
    "positionIdConvention": Field(
        "word", "which side comes first", default="opponent-first", words=_CONVENTIONS
    ),
    "dice": Field("pair", "the roll", low=1, high=6),
    "activePlayerColor": Field("word", "the player on roll", words=_COLOURS, required=True),
    "activePlayerDirection": Field("word", "of travel", words=("clockwise", "counterclockwise")),
    "cubeValue": Field("whole", "the cube", default=1, low=1, high=1024),
    "cubeOwner": Field("word", "its owner", words=_COLOURS),
    "matchScore": Field("pair", "points of white and black", default=(0, 0), low=0, high=99),
    "matchLength": Field("whole", "0 for money", default=0, low=0, high=100),
    "crawford": Field("flag", "the Crawford game", default=False),
    "jacoby": Field("flag", "for money", default=False),
    "beavers": Field("flag", "for money", default=False),
}
_RESIGNATIONS: Final = ("none", "single", "gammon", "backgammon")


def health() -> dict[str, str]:
    """Return the answer of ``GET /v1/health``."""
    return {
        "status": "ok",
        "engineName": "tavli_fast",
        "engineVersion": version(),
        "protocolVersion": "1",
    }


def _read(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the checked fields of a HintRequest; fields that it does not have are ignored."""
    found = {}
    for name, field in _FIELDS.items():
        value = body.get(name)
        if value is not None:
            found[name] = field.read(value, name)
        elif field.required:
            raise RequestError(f"{name} is missing", name)
        else:
            found[name] = field.default
    return found


def _situation(body: Mapping[str, Any], *, dice: bool, taker: bool = False) -> Situation:
    """Return the situation of a HintRequest.

    Args:
        body: the request.
        dice: whether it must have a roll; if not, one is ignored.
        taker: whether the board and the player named are those of the side that answers a double.
    """
    fields = _read(body)
    if dice and fields["dice"] is None:
        raise RequestError("dice is missing: expected the roll", "dice")
    length = fields["matchLength"] if fields["matchLength"] > 1 else 0  # 1 is money too
    try:
        board = from_position_id(fields["positionId"], BACKGAMMON)
    except NotationError as error:
        raise RequestError(str(error), "positionId", "invalid_position_id") from None
    if (fields["positionIdConvention"] == "on-roll-first") != taker:
        board = flip(board)
    white = fields["activePlayerColor"] == "white"
    mine = white != taker  # whether the player on roll is white
    score = fields["matchScore"] if mine else fields["matchScore"][::-1]
    owner = fields["cubeOwner"]
    rules = replace(
        BACKGAMMON,
        cube_cap=None,
        jacoby=not length and fields["jacoby"],
        beavers=not length and fields["beavers"],
    )
    try:
        return Situation(
            board,
            rules,
            fields["dice"] if dice else None,
            cube=fields["cubeValue"],
            owner=0 if owner is None else 1 if (owner == "white") == mine else -1,
            score=score if length else (0, 0),
            length=length,
            crawford=fields["crawford"],
            waiting="double" if taker else None,
        )
    except ValueError as error:
        raise RequestError(str(error)) from None


def _steps(play: Play, colour: str) -> list[dict[str, Any]]:
    """Return a play as MoveSteps; a hit is where a blot is first landed on."""
    hits = set(play.hits)
    steps = []
    for source, target in play.moves:
        entering, off = source == 25, target == 0
        steps.append(
            {
                "player": colour,
                "from": 0 if entering else source,
                "to": target,
                "fromContainer": "bar" if entering else "point",
                "toContainer": "off" if off else "point",
                "moveKind": "reenter" if entering else "bear-off" if off else "point-to-point",
                "isHit": target in hits,
            }
        )
        hits.discard(target)
    return steps


def _move(body: Mapping[str, Any], engine: Engine) -> dict[str, Any]:
    play = engine.best_play(_situation(body, dice=True))
    return {"moves": _steps(play, body["activePlayerColor"])}


def _double(body: Mapping[str, Any], engine: Engine) -> dict[str, Any]:
    s = _situation(body, dice=False)
    outcomes = engine.outcomes(s.board, s.rules)
    assert outcomes is not None
    found = cube_equities(outcomes, s.setting)
    if s.may_double and found.double[0]:
        action = "redouble" if s.owner == 1 else "double"
    else:
        action = "too-good" if s.may_double and found.too_good[0] else "no-double"
    return {"action": action, "equity": round(float(found.best[0]), 6)}


def _take(body: Mapping[str, Any], engine: Engine) -> dict[str, Any]:
    s = _situation(body, dice=False, taker=True)
    outcomes = engine.outcomes(s.board, s.rules)
    assert outcomes is not None
    found = cube_equities(outcomes, s.setting)
    take = -round(float(found.double_take[0]), 6)
    return {"action": engine.answer(s.question), "takeEquity": take, "dropEquity": -1.0}


def _resign(body: Mapping[str, Any], engine: Engine) -> dict[str, Any]:
    found = engine.decide(_situation(body, dice=False))
    return {"action": _RESIGNATIONS[found.points if found.name == "resign" else 0]}


BEP: Final = {
    "/v1/move": _move,
    "/v1/double": _double,
    "/v1/take": _take,
    "/v1/resign": _resign,
}
"""The paths, each by POST."""
