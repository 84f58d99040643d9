"""The fields of JSON requests: what each may be, checked before anything is computed.

The same declarations make the schemas of the OpenAPI document.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from tavli_fast._common.arguments import shown
from tavli_fast.rules.presets import RULES

__all__ = ["FIELDS", "Field", "RequestError", "parse", "read_fields", "schema_of"]


class RequestError(ValueError):
    """A request that cannot be answered: a code, a message, and the field."""

    def __init__(
        self, message: str, field: str | None = None, code: str = "invalid_request"
    ) -> None:
        """Keep what is wrong, and where."""
        super().__init__(message)
        self.code, self.field = code, field


@dataclass(frozen=True)
class Field:
    """What one field may be."""

    kind: str
    """``"text"``, ``"whole"``, ``"flag"``, ``"word"``, ``"pair"`` or ``"texts"``."""
    about: str
    default: Any = None
    low: int = 0
    high: int = 0
    words: tuple[str, ...] = ()
    required: bool = False

    def read(self, value: Any, name: str) -> Any:
        """Return the checked value.

        Raises:
            RequestError: it is none of those that the field may have.
        """
        found, expected = getattr(self, f"_{self.kind}")(value)
        if found is None:
            raise RequestError(f"{name}={shown(value)}: expected {expected}", name)
        return found

    def _text(self, value: Any) -> tuple[Any, str]:
        good = isinstance(value, str) and 0 < len(value) <= self.high
        return (value if good else None), f"a text of at most {self.high} characters"

    def _whole(self, value: Any) -> tuple[Any, str]:
        good = type(value) is int and self.low <= value <= self.high
        return (value if good else None), f"a whole number, {self.low} to {self.high}"

    def _flag(self, value: Any) -> tuple[Any, str]:
        return (value if isinstance(value, bool) else None), "true or false"

    def _word(self, value: Any) -> tuple[Any, str]:
        good = isinstance(value, str) and value in self.words
        return (value if good else None), f"one of {', '.join(self.words)}"

    def _pair(self, value: Any) -> tuple[Any, str]:
        good = isinstance(value, list) and len(value) == 2
        good = good and all(type(each) is int and self.low <= each <= self.high for each in value)
        expected = f"two whole numbers, {self.low} to {self.high}"
        return (tuple(value) if good else None), expected

    def _texts(self, value: Any) -> tuple[Any, str]:
        good = isinstance(value, list) and 1 <= len(value) <= self.high
        good = good and all(isinstance(each, str) and 0 < len(each) <= 200 for each in value)
        return (value if good else None), f"a list of 1 to {self.high} texts"

    @property
    def schema(self) -> dict[str, Any]:
        """The field in a JSON schema."""
        whole: dict[str, Any] = {"type": "integer", "minimum": self.low, "maximum": self.high}
        made: dict[str, dict[str, Any]] = {
            "text": {"type": "string", "maxLength": self.high},
            "whole": whole,
            "flag": {"type": "boolean"},
            "word": {"type": "string", "enum": list(self.words)},
            "pair": {"type": "array", "items": whole, "minItems": 2, "maxItems": 2},
            "texts": {"type": "array", "items": {"type": "string"}, "maxItems": self.high},
        }
        default = {} if self.default is None else {"default": self.default}
        return {**made[self.kind], "description": self.about, **default}


FIELDS: Final[dict[str, Field]] = {
    "position": Field("text", "a Position ID, an XGID or a TFID", high=200, required=True),
    "positions": Field("texts", "IDs of positions before the roll", high=500, required=True),
    "dice": Field("pair", "the roll", low=1, high=6),
    "rules": Field("word", "the game; by default that of a TFID, else backgammon", words=(*RULES,)),
    "plies": Field("whole", "how many plies to look ahead", default=0, low=0, high=2),
    "top": Field("whole", "the most plays to return", default=5, low=1, high=500),
    "level": Field("whole", "how well the engine plays", low=1, high=10),
    "play": Field("text", "a play to judge, such as 8/5 6/5", high=200),
    "cube": Field("whole", "the value of the cube", default=1, low=1, high=1024),
    "owner": Field("word", "of the cube", default="centre", words=("centre", "player", "opponent")),
    "score": Field("pair", "points of the player on roll and of the opponent", low=0, high=99),
    "length": Field("whole", "of the match; 0 for money", default=0, low=0, high=100),
    "crawford": Field("flag", "whether it is the Crawford game", default=False),
    "jacoby": Field("flag", "Jacoby's rule, for money", default=False),
    "beavers": Field("flag", "beavers, for money", default=False),
    "waiting": Field(
        "word",
        "what is waited for; by default a play if there are dice, else a roll",
        words=("roll", "play", "double", "beaver", "resign"),
    ),
    "resigned": Field("whole", "the points of a resignation, before the cube", low=1, high=3),
    "asked_on_roll": Field("flag", "whether the side that answers it is on roll", default=True),
    "trials": Field("whole", "games", default=1296, low=1, high=50_000),
    "seed": Field("whole", "of the dice; the same seed gives the same result", low=0, high=2**53),
    "seconds": Field("whole", "after which it ends with what it has", default=30, low=1, high=60),
}
"""Every field of our own requests."""


def parse(data: bytes) -> dict[str, Any]:
    """Return the object of a JSON text.

    Raises:
        RequestError: it is no JSON object.
    """

    def refuse(constant: str) -> None:
        raise ValueError(f"{constant} is no number of JSON")

    try:
        found = json.loads(data, parse_constant=refuse)
    except (ValueError, RecursionError) as error:
        raise RequestError(f"the body is no JSON: {shown(str(error))}") from None
    if not isinstance(found, dict):
        raise RequestError("the body is no JSON object")
    return found


def read_fields(body: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    """Return the checked values of the fields of a request, with defaults for those that miss.

    Raises:
        RequestError: a field is unknown, missing or wrong.
    """
    for name in body:
        if name not in names:
            raise RequestError(f"{shown(name)}: expected the fields {', '.join(names)}", name[:60])
    found = {}
    for name in names:
        field, value = FIELDS[name], body.get(name)
        if value is not None:
            found[name] = field.read(value, name)
        elif field.required:
            raise RequestError(f"{name} is missing: expected {field.about}", name)
        else:
            found[name] = field.default
    return found


def schema_of(names: tuple[str, ...]) -> dict[str, Any]:
    """Return the JSON schema of a request."""
    return {
        "type": "object",
        "properties": {name: FIELDS[name].schema for name in names},
        "required": [name for name in names if FIELDS[name].required],
        "additionalProperties": False,
    }
