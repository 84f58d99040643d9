"""What the readers and writers of position texts share."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NoReturn

import numpy as np

from tavli_fast._common.arguments import BAR, OFF, Int8Array, one_board
from tavli_fast.errors import BoardError, NotationError
from tavli_fast.rules.presets import RULES, Rules


def beyond_backgammon(rules: Rules) -> str:
    """Return what of a game the texts that backgammon programs share cannot hold; "" if nothing."""
    if rules.contact == "pin":
        return "pinned checkers"
    return "a game in which both sides run the same way" if rules.parallel else ""


def rules_argument(rules: Rules) -> str:
    """Return rules as the last argument of a call: a preset by its name."""
    names = (name for name, preset in RULES.items() if preset is rules)
    return f", rules={next(names, rules)!r}"


def position(counts: Sequence[list[int]], rules: Rules, name: str) -> Int8Array:
    """Return the board of both sides' checkers, what is missing counted as borne off."""
    for side, plane in zip(("player on roll", "opponent"), counts, strict=True):
        plane[OFF] = rules.checkers - sum(plane)
        if plane[OFF] < 0:
            total = sum(plane[1:])
            refuse(name, f"the {side} has {total} checkers: expected at most {rules.checkers}")
    if all(plane[BAR] and min(plane[1:7]) > 1 for plane in counts):
        refuse(name, "both sides are on the bar against six closed points: no play leads there")
    return checked_board(counts, rules, name)


def checked_board(counts: Sequence[list[int]], rules: Rules, name: str) -> Int8Array:
    """Return the board of both sides' counts, refused if it cannot be."""
    try:
        return one_board(np.array(counts, dtype=np.int8), rules, name)
    except BoardError as error:
        raise NotationError(str(error)) from error


LARGEST: Final = 99_999
"""The largest number in a field: points of a match, or of a money game."""


def number(text: str, field: str, low: int, high: int | None, name: str) -> int:
    """Return the number in a field."""
    value = int(text) if re.fullmatch("-?[0-9]{1,5}", text) else None
    if value is None or not low <= value <= (LARGEST if high is None else high):
        expected = f"{low} or more" if high is None else f"{low} to {high}"
        refuse(name, f"{field} {shown(text)}: expected a number {expected}")
    return value


def refuse(name: str, why: str) -> NoReturn:
    """Raise the NotationError that names a text and says what is wrong with it."""
    raise NotationError(f"{name}: {why}")


def shown(text: object) -> str:
    """Return a text as a message shows it, cut where it is long."""
    whole = repr(text)
    return whole if len(whole) <= 80 else f"{whole[:77]}..."
