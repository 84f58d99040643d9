"""What the text of an option may be: numbers, dice, a score, a file to write; as types of click."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

__all__ = [
    "Dice",
    "NewFile",
    "Positive",
    "Roll",
    "Score",
    "Share",
    "Whole",
    "require_writable",
    "whole_number",
]

if TYPE_CHECKING:
    _ParamType = click.ParamType[Any]
else:  # older versions of click have no type arguments there
    _ParamType = click.ParamType

Roll = tuple[int, int]

_WHOLE: Final = re.compile(r"[0-9]{1,3}(,[0-9]{3})+|[0-9_]+|[0-9]+(\.[0-9]+)?[eE]\+?[0-9]{1,2}")
_ROLL: Final = re.compile(r"\s*([1-6])[-, ]?([1-6])\s*")
_SCORE: Final = re.compile(r"\s*([0-9]{1,4})[-:, ]([0-9]{1,4})\s*")
_NO_REAL_LIMIT: Final = 10**9
"""A larger highest value is left out of the help: nobody gets near it."""


class Whole(click.IntRange):
    """A whole number from `low` to `high` (None: no end), also as 10,000, 10_000 or 1e4."""

    name = "n"

    def __init__(self, low: int, high: int | None = None) -> None:
        """Keep the range."""
        super().__init__(min=low, max=high)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number that the text names, or fail."""
        number = value if isinstance(value, int) else whole_number(value)
        low, high = self.min or 0, self.max
        if number is None or number < low or (high is not None and number > high):
            ends = f"{low:,} or more" if high is None else f"{low:,} to {high:,}"
            self.fail(f"{value!r}: expected a whole number, {ends}", param, ctx)
        return number

    def _describe_range(self) -> str:
        """Say the range in the help, where click asks for it; not the obvious."""
        if self.max is None or self.max >= _NO_REAL_LIMIT:
            return f"{self.min:,} or more" if self.min and self.min > 1 else ""
        return f"{self.min:,} to {self.max:,}"


class Positive(click.FloatRange):
    """A number above 0."""

    name = "x"

    def __init__(self) -> None:
        """Keep the range."""
        super().__init__(min=0, min_open=True)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number that the text names, or fail."""
        number = _real(value)
        if not 0 < number < math.inf:
            self.fail(f"{value!r}: expected a number above 0", param, ctx)
        return number

    def _describe_range(self) -> str:
        """Say the range in the help, where click asks for it."""
        return "above 0"


class Share(click.FloatRange):
    """A number from 0 to 1."""

    name = "x"

    def __init__(self) -> None:
        """Keep the range."""
        super().__init__(min=0, max=1)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number that the text names, or fail."""
        number = _real(value)
        if not 0 <= number <= 1:
            self.fail(f"{value!r}: expected a number, 0 to 1", param, ctx)
        return number

    def _describe_range(self) -> str:
        """Say the range in the help, where click asks for it."""
        return "0 to 1"


class Dice(_ParamType):
    """Two dice: 31, 3-1 or 3,1."""

    name = "dice"

    def __init__(self, or_else: str = "") -> None:
        """Keep what else is expected where it stands, for the message."""
        self.expected = f"expected two dice 1 to 6, such as 31, 3-1 or 3,1{or_else}"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Roll:
        """Return the dice in the order in which they are written, or fail."""
        if isinstance(value, tuple):
            return value
        found = _ROLL.fullmatch(value)
        if not found:
            self.fail(f"{value!r}: {self.expected}", param, ctx)
        return int(found[1]), int(found[2])


class Score(_ParamType):
    """The points of two sides: 2-4."""

    name = "x-o"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, int]:
        """Return the points of X and O, or fail."""
        if isinstance(value, tuple):
            return value
        found = _SCORE.fullmatch(value)
        if not found:
            self.fail(f"{value!r}: expected the points of X and O, such as 2-4", param, ctx)
        return int(found[1]), int(found[2])


class NewFile(_ParamType):
    """A file to write at the end of the work: one that cannot be written is refused before it."""

    name = "file"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the path, or fail."""
        require_writable(value, None if param is None else param.get_error_hint(ctx))
        return str(value)


def require_writable(file: str, hint: str | None = None) -> None:
    """Refuse a file that cannot be written; `hint` names the option.

    Raises:
        click.BadParameter: it cannot.
    """
    path = Path(file)
    try:
        new = not path.exists()
        if new or path.is_file() or path.is_dir():  # opening and closing would end a pipe
            with open(file, "ab"):
                pass
        if new:
            path.unlink()
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise click.BadParameter(f"{file!r}: {why}", param_hint=hint) from error


def whole_number(text: str) -> int | None:
    """Return the number that a text names, None if it is no whole number of at least 0."""
    text = text.strip()
    if not _WHOLE.fullmatch(text) or not text[0].isdigit():
        return None
    number = Decimal(text.replace(",", "").replace("_", ""))
    whole = int(number)
    return whole if whole == number else None


def _real(value: Any) -> float:
    """Return the number that a text names, NaN if it is none."""
    try:
        return float(value)
    except ValueError:
        return math.nan
