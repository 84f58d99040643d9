"""The nets that come with the package: which one plays which rules."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

from tavli_fast._common.arguments import flag
from tavli_fast.nets.net import Net
from tavli_fast.rules.fields import ENGINE_FIELDS
from tavli_fast.rules.presets import RULES, Rules, RulesLike, resolve_rules, same_engine
from tavli_fast.rules.text import rules_name

__all__ = ["borrowed", "embedded_nets", "lender", "lends", "load_net"]

_FOLDER: Final = Path(__file__).parent / "data"
_SMALL: Final = _FOLDER / "small"

_BOARD: Final = ("checkers", "contact", "parallel")
"""What a net cannot do without: with other values the boards are not those that it has learnt."""


@cache
def embedded_nets() -> tuple[str, ...]:
    """Return the names of the presets that have a net of their own, in the order of `RULES`."""
    found = {path.stem for path in _FOLDER.glob("*.npz")}
    return tuple(name for name in RULES if name in found)


def lender(rules: RulesLike) -> str:
    """Return the name of the preset whose net plays these rules.

    It is the preset with the same rules (sessions apart); else, of those with as many checkers,
    the same contact and the same direction, the one with the fewest other rules.

    Raises:
        ValueError: no net knows such boards.
    """
    rules = resolve_rules(rules)
    if rules in map(RULES.get, embedded_nets()):
        return next(name for name in embedded_nets() if RULES[name] == rules)

    near = _related(rules)
    if not near:
        raise ValueError(
            f"rules={rules_name(rules)}: no net comes with the package for such boards; expected "
            f"rules like those of {', '.join(embedded_nets())}; tf.train makes a net for any rules"
        )
    return min(near, key=lambda name: _differing(RULES[name], rules))


def _related(rules: Rules) -> list[str]:
    """Return the presets with a net of their own whose boards are of the same kind."""
    return [
        name
        for name in embedded_nets()
        if all(getattr(RULES[name], field) == getattr(rules, field) for field in _BOARD)
    ]


def _differing(one: Rules, other: Rules) -> int:
    """Return how many fields tell two rule sets apart, sessions left out."""
    return sum(getattr(one, field) != getattr(other, field) for field in ENGINE_FIELDS)


def borrowed(rules: RulesLike) -> bool:
    """Return whether the net that plays these rules was trained by others."""
    rules, own = resolve_rules(rules), RULES[lender(rules)]
    return not same_engine(own, rules)


def lends(own: Rules, rules: Rules) -> bool:
    """Return whether a net for the rules `own` may play `rules`: the same rules (sessions apart),
    or related ones for which no bundled net is closer."""
    if any(getattr(own, field) != getattr(rules, field) for field in _BOARD):
        return False
    return _differing(own, rules) <= min(
        (_differing(RULES[name], rules) for name in _related(rules)), default=len(ENGINE_FIELDS)
    )


def load_net(rules: RulesLike, small: bool = False) -> Net:
    """Return the bundled net for some rules: their own, or one of related rules (see `lender`).

    The net's own ``rules`` are those that it was trained with, and its name shows which they are;
    it plays and counts by them where no ``rules=`` is passed with it. A net, bundled or your own,
    may be passed with other rules if they have the same number of checkers, contact and direction,
    and no bundled net has rules closer to them; with any others it is refused.

    Args:
        rules: a `Rules` or the name of a preset.
        small: the best net of 128 units without scalars, where the usual one is larger: it plays
            worse and judges a play in less than half the time (docs/strength.md has figures).

    Returns:
        The `Net`.

    Raises:
        ValueError: no bundled net knows such boards, or `rules` is not a rule set; with `small`,
            the usual net has no smaller one beside it.

    Examples:
        >>> import tavli_fast as tf
        >>> tf.load_net("longgammon").rules == tf.BACKGAMMON
        True
    """
    name = lender(rules)
    if not flag(small, "small"):
        return _load(_FOLDER / f"{name}.npz")
    path = _SMALL / f"{name}.npz"
    if not path.exists():
        known = ", ".join(sorted(path.stem for path in _SMALL.glob("*.npz")))
        raise ValueError(f"small=True: {name} has no smaller net, expected {known}")
    return _load(path)


@cache
def _load(path: Path) -> Net:
    """Read an embedded net."""
    return Net.load(path)
