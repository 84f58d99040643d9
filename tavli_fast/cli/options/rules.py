"""The rules of a call: ``--rules NAME``, and house rules by ``--set FIELD=VALUE``."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from difflib import get_close_matches
from typing import Any, Final, Literal, TypeVar, get_args, get_origin

import click

from tavli_fast.rules.fields import HINTS
from tavli_fast.rules.presets import RULES, Rules

__all__ = [
    "RuleChoice",
    "find_rules",
    "position_rules_option",
    "preset_argument",
    "rules_option",
    "set_option",
]

_DEFAULT: Final = "portes"

_HINT: Final = "'--set'"
_YES_NO: Final = {"yes": True, "true": True, "on": True, "no": False, "false": False, "off": False}
_NONE: Final = "none"


def changed_rules(rules: Rules, changes: Mapping[str, str]) -> Rules:
    """Return the rules with fields changed to values that are written as --set takes them."""
    values = {name: _value(name, text, HINTS[name]) for name, text in changes.items()}
    try:
        return replace(rules, **values)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint=_HINT) from error


def _value(name: str, text: str, kind: Any) -> Any:
    if get_origin(kind) is Literal:  # the rules themselves say which values there are
        kind = type(get_args(kind)[0])
    reader, expected = _READERS[kind]
    try:
        return reader(text.strip())
    except (ValueError, KeyError) as error:
        message = f"{name}={text}: expected {expected}"
        raise click.BadParameter(message, param_hint=_HINT) from error


def _items(text: str) -> list[str]:
    return [] if text.lower() in ("", _NONE) else re.split(r"[\s,]+", text)


def _pair(text: str) -> tuple[int, int]:
    point, checkers = text.split(":")
    return int(point), int(checkers)


def _number(text: str) -> int | None:
    return None if text.lower() == _NONE else int(text)


_READERS: Final[Mapping[Any, tuple[Callable[[str], Any], str]]] = {
    int: (int, "a whole number"),
    bool: (lambda text: _YES_NO[text.lower()], "yes or no"),
    str: (str, "a word"),
    type(None): (_number, "none"),
    int | None: (_number, "a whole number or none"),
    tuple[int, ...]: (
        lambda text: tuple(map(int, _items(text))),
        "whole numbers with commas between them, or none",
    ),
    tuple[str, ...]: (
        lambda text: tuple(_items(text)),
        "words with commas between them, or none",
    ),
    tuple[tuple[int, int], ...]: (
        lambda text: tuple(map(_pair, _items(text))),
        "points and their checkers, such as 24:2,13:5",
    ),
}
"""How each type of field is read, and what is expected."""


def _read_changes(
    ctx: click.Context, param: click.Parameter, values: Sequence[str]
) -> dict[str, str]:
    """Return the fields that --set names, and their values as written."""
    names = [field.name for field in fields(Rules)]
    changes = {}
    for text in values:
        name, equals, value = text.partition("=")
        name = name.strip()
        if not equals:
            raise click.BadParameter(f"{text!r}: expected FIELD=VALUE", ctx, param)
        if name not in names:
            near = ", ".join(get_close_matches(name, names)) or "one of 'tavli-fast rules portes'"
            raise click.BadParameter(f"no field {name!r}: expected {near}", ctx, param)
        changes[name] = value.strip()
    return changes


@dataclass(frozen=True)
class RuleChoice:
    """The rules that a call asks for: a preset, and what --set changes of it."""

    name: str
    rules: Rules
    changes: dict[str, str]
    """The fields that --set names, and their values as written."""

    def __str__(self) -> str:
        """Return the rules as the first line of an output names them."""
        house = ", ".join(f"{field}={value}" for field, value in self.changes.items())
        return f"{self.name} with {house}" if house else self.name


def find_rules(name: str | None, changes: dict[str, str]) -> RuleChoice:
    """Return the rules of that name (None: Portes), with its house rules."""
    name = name or _DEFAULT
    return RuleChoice(name, changed_rules(RULES[name], changes), changes)


_PRESET: Final = click.Choice(list(RULES), case_sensitive=False)

preset_argument = click.argument("name", required=False, type=_PRESET, metavar="[NAME]")


_Command = TypeVar("_Command", bound=Callable[..., Any])


def _rules_option(default: str) -> Callable[[_Command], _Command]:
    return click.option(
        "--rules",
        type=_PRESET,
        metavar="NAME",
        help="The game; 'tavli-fast rules' lists them.",
        show_default=default,
    )


rules_option = _rules_option(_DEFAULT)
position_rules_option = _rules_option(
    f"that of the TFID; backgammon for an XGID of a match; {_DEFAULT}"
)
set_option = click.option(
    "--set",
    "changes",
    multiple=True,
    callback=_read_changes,
    metavar="FIELD=VALUE",
    help="Change a rule of the game; may be repeated. 'tavli-fast rules NAME' lists the fields.",
)
