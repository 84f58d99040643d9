"""What a rule set may be: the check of every field of `Rules`, group by group."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from tavli_fast.rules.fields import Rules

MAX_CHECKERS: Final = 15
"""The most checkers a side can have: the core keeps a point's count in four bits."""

MAX_POINTS: Final = 3
"""The most points a game can be worth before the cube: results are counted from -3 to +3."""

GAMES: Final = (
    "portes",
    "portes_cube",
    "backgammon",
    "backgammon_zh",
    "hypergammon",
    "nackgammon",
    "longgammon",
    "tavla",
    "plakoto",
    "tapa",
    "fevga",
    "moultezim",
    "narde",
    "gul_bara",
)
"""The names of the presets."""


def check_rules(rules: Rules) -> None:
    """Refuse what cannot be played.

    Raises:
        ValueError: names the field, its value and what was expected.
    """
    _check_types(rules)
    _check_board(rules)
    _check_contact(rules)
    _check_dice(rules)
    _check_starting_phase(rules)
    _check_primes(rules)
    _check_bearing_off(rules)
    _check_mother(rules)
    _check_scoring(rules)
    _check_session(rules)


_KINDS: Final[Mapping[str, tuple[type, ...]]] = {
    "int": (int,),
    "bool": (bool,),
    "str": (str,),
    "int | None": (int, type(None)),
    "tuple[int, ...]": (tuple,),
    "tuple[str, ...]": (tuple,),
}
_A: Final[Mapping[str, str]] = {
    "int": "an int",
    "bool": "True or False",
    "str": "a str",
    "int | None": "an int or None",
    "tuple[int, ...]": "a tuple of ints",
    "tuple[str, ...]": "a tuple of strs",
}


def _require(holds: bool, name: str, value: object, expected: str) -> None:
    """Raise the ValueError that names the field, its value and what was expected."""
    if not holds:
        raise ValueError(f"{name}={value!r}: expected {expected}")


def _check_types(rules: Rules) -> None:
    """Check the type of every field but `start`, so that the other checks can rely on it."""
    for field in fields(rules):
        value, kind = getattr(rules, field.name), str(field.type)
        if kind not in _KINDS:
            continue
        # type(), not isinstance: True is no number of checkers.
        right = type(value) in _KINDS[kind]
        if right and kind in ("tuple[int, ...]", "tuple[str, ...]"):
            item = int if kind == "tuple[int, ...]" else str
            right = all(type(each) is item for each in value)
        _require(right, field.name, value, _A[kind])


def _one_of(rules: Rules, name: str, *values: object) -> None:
    """Check that a field has one of the values."""
    value = getattr(rules, name)
    *others, last = (repr(each) for each in values)
    _require(value in values, name, value, f"{', '.join(others)} or {last}" if others else last)


def _between(rules: Rules, name: str, low: int, high: int, or_none: str = "") -> None:
    """Check that a field is a number from `low` to `high`, or None with `or_none` (its text)."""
    value = getattr(rules, name)
    in_range = bool(or_none) if value is None else low <= value <= high
    _require(in_range, name, value, f"{low} to {high}{or_none}")


def _only(rules: Rules, name: str, value: Any, holds: bool, where: str) -> None:
    """Check that a field has this value, unless another `holds` good with the rest of the rules."""
    found = getattr(rules, name)
    _require(holds or found == value, name, found, f"{value!r} {where}")


def _check_board(rules: Rules) -> None:
    _between(rules, "checkers", 1, MAX_CHECKERS)
    _one_of(rules, "off_board_start", False)
    start = rules.start
    pairs = isinstance(start, tuple) and all(
        isinstance(pair, tuple) and len(pair) == 2 and all(type(n) is int for n in pair)
        for pair in start
    )
    _require(pairs, "start", start, "a tuple of (point, checkers) pairs of ints")
    points = [point for point, _ in start]
    _require(
        all(1 <= point <= 24 and count >= 1 for point, count in start),
        "start",
        start,
        "points 1 to 24, each with at least one checker",
    )
    _require(len(set(points)) == len(points), "start", start, "each point named once")
    total = sum(count for _, count in start)
    _require(
        total == rules.checkers, "start", start, f"{rules.checkers} checkers in all, not {total}"
    )
    others = {(point + 11) % 24 + 1 if rules.parallel else 25 - point for point in points}
    shared = sorted(others.intersection(points))
    _require(
        not shared, "start", start, f"no point that the opponent's start holds too, not {shared}"
    )


def _check_contact(rules: Rules) -> None:
    _one_of(rules, "contact", "hit", "pin", "none")
    with_contact = f"with contact={rules.contact!r}"
    _only(rules, "parallel", False, rules.contact == "none", with_contact)
    _only(rules, "block_at", 1 if rules.contact == "none" else 2, False, with_contact)
    _only(rules, "hit_and_run_home", True, rules.contact == "hit", with_contact)


def _check_dice(rules: Rules) -> None:
    _one_of(rules, "doubles", 4)
    _one_of(rules, "cascade_from_roll", 1)
    _one_of(rules, "cascade_rest", "lost")


def _check_starting_phase(rules: Rules) -> None:
    with_contact = f"with contact={rules.contact!r}"
    _between(rules, "runner_gate", 1, 23, " or None")
    _only(rules, "runner_gate", None, rules.contact == "none", with_contact)
    _between(rules, "head_limit", 1, MAX_CHECKERS, " or None")
    _only(rules, "head_limit", None, rules.contact == "none", with_contact)
    _only(rules, "head_limit", None, _all_on_24(rules), f"with start={rules.start!r}")
    dice = rules.head_first_turn
    distinct = len(set(dice)) == len(dice) and all(1 <= die <= 6 for die in dice)
    _require(distinct, "head_first_turn", dice, "different dice, 1 to 6")
    _only(rules, "head_first_turn", (), rules.head_limit is not None, "with head_limit=None")


def _all_on_24(rules: Rules) -> bool:
    """Return whether the game starts with all checkers on the 24-point."""
    return rules.start == ((24, rules.checkers),)


def _check_primes(rules: Rules) -> None:
    _between(rules, "prime_len", 2, 6)
    _one_of(rules, "own_start_prime", "allowed", "forbidden")
    _one_of(rules, "opp_start_prime", "allowed", "forbidden")
    _between(rules, "opp_start_max", 1, 6)
    _one_of(rules, "prime_check", "submove", "turn_end")
    _one_of(rules, "trap", "none", "single_point", "immobile", "need_ahead")
    plain = {"own_start_prime": "allowed", "opp_start_prime": "allowed", "opp_start_max": 6}
    for name, value in (plain | {"trap": "none"}).items():
        _only(rules, name, value, rules.parallel, "with parallel=False")


def _check_bearing_off(rules: Rules) -> None:
    with_contact = f"with contact={rules.contact!r}"
    _only(rules, "bearoff_while_pinned", False, rules.contact == "pin", with_contact)


def _check_mother(rules: Rules) -> None:
    _one_of(rules, "mother", "none", "lose_unless_own_start", "lose_always", "draw_only")
    _only(rules, "mother", "none", rules.contact == "pin", f"with contact={rules.contact!r}")
    _only(rules, "mother", "none", _all_on_24(rules), f"with start={rules.start!r}")
    _between(rules, "mother_points", 1, MAX_POINTS)
    _only(rules, "mother_draw", True, rules.mother != "draw_only", "with mother='draw_only'")
    _one_of(rules, "mother_ends", "turn_end", "immediate")


def _check_scoring(rules: Rules) -> None:
    _between(rules, "single_points", 1, MAX_POINTS)
    for lower, higher in (
        ("single_points", "gammon_points"),
        ("gammon_points", "backgammon_points"),
    ):
        least = getattr(rules, lower)
        found = getattr(rules, higher)
        expected = f"{least} (as many as {lower}) to {MAX_POINTS}"
        _require(least <= found <= MAX_POINTS, higher, found, expected)
    _one_of(rules, "backgammon_needs", "home_or_bar", "bar_only")
    _one_of(rules, "remaining_scoring", None)


def _check_session(rules: Rules) -> None:
    _one_of(rules, "opening", "fresh_roll", "contest_dice", "contest_or_reroll")
    _one_of(rules, "next_starter", "winner", "contest")
    _one_of(rules, "after_draw", "contest")
    cap = rules.cube_cap
    power = cap is None or (cap >= 1 and cap.bit_count() == 1)
    _require(power, "cube_cap", cap, "None, or a power of two: 1, 2, 4, …")
    times = rules.auto_double_max
    _require(times >= 0, "auto_double_max", times, "0 or more")
    target = rules.target
    _require(target is None or target >= 1, "target", target, "None, or 1 or more")
    known = all(game in GAMES for game in rules.trio)
    _require(known, "trio", rules.trio, f"names among {', '.join(GAMES)}")
