"""Rules: the one parametrised rule set, its presets, and what the engine refuses to play."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Final

__all__ = [
    "BACKGAMMON",
    "BACKGAMMON_ZH",
    "HYPERGAMMON",
    "LONGGAMMON",
    "NACKGAMMON",
    "PORTES",
    "PORTES_CUBE",
    "RULES",
    "TAVLA",
    "Rules",
]

MAX_CHECKERS: Final = 15
"""The most checkers a side can have: the core keeps a point's count in four bits."""

MAX_POINTS: Final = 3
"""The most points a game can be worth before the cube: results are counted from -3 to +3."""


@dataclass(frozen=True)
class Rules:
    """One game of the family, as data: what moves, what hits, what must be played, what it scores.

    Every function that takes ``rules=`` takes a ``Rules`` or the name of a preset (see `RULES`).
    A house rule is a changed copy: ``dataclasses.replace(PORTES, hit_and_run_home=False)``.

    Raises:
        ValueError: a field has a value that the engine cannot play, or the fields contradict one
            another; the message names the field, the value and what was expected.
    """

    checkers: int = 15
    """Checkers a side, 1 to 15."""
    start: tuple[tuple[int, int], ...] = ((24, 2), (13, 5), (8, 3), (6, 5))
    """The starting position as (point, checkers) in the player's own numbers."""
    contact: str = "hit"
    """What landing on a lone enemy checker does. ``"hit"``: it goes to the bar."""
    hit_and_run_home: bool = True
    """Whether a checker that hits on the mover's own points 1-6 may move on in the same turn."""
    max_dice: bool = True
    """Whether as many dice as possible must be played. If not, a play may stop where the next die
    cannot be played."""
    higher_die: bool = True
    """Whether the higher die must be played when either, but not both, can be."""
    win_needs_all_dice: bool = True
    """Whether `max_dice` and `higher_die` bind the play that bears off the last checker too."""
    single_points: int = 1
    """Points for a win when the loser has borne off a checker."""
    gammon_points: int = 2
    """Points for a win when the loser has borne off none."""
    backgammon_points: int = 2
    """Points for a win when the loser has borne off none and `backgammon_needs` is met."""
    backgammon_needs: str = "home_or_bar"
    """Where the loser must still have a checker for `backgammon_points`: ``"home_or_bar"`` (in
    the winner's home or on the bar) or ``"bar_only"``."""

    def __post_init__(self) -> None:
        """Refuse what cannot be played; see the class's ``Raises``."""
        for field in fields(self):
            kind = {"int": int, "bool": bool, "str": str}.get(str(field.type))
            value = getattr(self, field.name)
            if kind is not None and type(value) is not kind:
                raise ValueError(f"{field.name}={value!r}: expected {_A[kind]}")
        _require(
            1 <= self.checkers <= MAX_CHECKERS, "checkers", self.checkers, f"1 to {MAX_CHECKERS}"
        )
        _check_start(self.start, self.checkers)
        _require(self.contact == "hit", "contact", self.contact, "'hit'")
        low, mid, high = self.single_points, self.gammon_points, self.backgammon_points
        _require(1 <= low <= MAX_POINTS, "single_points", low, f"1 to {MAX_POINTS}")
        _require(low <= mid <= MAX_POINTS, "gammon_points", mid, f"{low} to {MAX_POINTS}")
        _require(mid <= high <= MAX_POINTS, "backgammon_points", high, f"{mid} to {MAX_POINTS}")
        _require(
            self.backgammon_needs in ("home_or_bar", "bar_only"),
            "backgammon_needs",
            self.backgammon_needs,
            "'home_or_bar' or 'bar_only'",
        )


_A: Final = {int: "an int", bool: "True or False", str: "a str"}


def _require(holds: bool, name: str, value: object, expected: str) -> None:
    """Raise the ValueError that names the field, its value and what was expected."""
    if not holds:
        raise ValueError(f"{name}={value!r}: expected {expected}")


def _check_start(start: object, checkers: int) -> None:
    """Check that a start position is well-formed, complete and clear of the opponent's."""
    pairs = isinstance(start, tuple) and all(
        isinstance(pair, tuple) and len(pair) == 2 and all(type(n) is int for n in pair)
        for pair in start
    )
    _require(pairs, "start", start, "a tuple of (point, checkers) pairs of ints")
    assert isinstance(start, tuple)
    points = [point for point, _ in start]
    _require(
        all(1 <= point <= 24 and count >= 1 for point, count in start),
        "start",
        start,
        "points 1 to 24, each with at least one checker",
    )
    _require(len(set(points)) == len(points), "start", start, "each point named once")
    total = sum(count for _, count in start)
    _require(total == checkers, "start", start, f"{checkers} checkers in all, not {total}")
    shared = sorted(point for point in points if 25 - point in points)
    _require(
        not shared, "start", start, f"no point that the opponent's start holds too, not {shared}"
    )


PORTES: Final = Rules()
"""Portes, the Greek game: 1 point, or 2 if the loser has borne off none.

Source: the English guide "Portes rules: setup, hitting and bearing off" (14 September 2026).
"""

PORTES_CUBE: Final = Rules(backgammon_points=3)
"""Portes as played in Greek online rooms: as `PORTES`, but koks (a checker on the bar or in the
winner's home, none off) counts 3.

Source: the Greek online rules for Portes.
"""

BACKGAMMON: Final = Rules(backgammon_points=3)
"""Backgammon: the movement of Portes; single 1, gammon 2, backgammon 3.

Source: the international rules, as GNU Backgammon plays them by default.
"""

BACKGAMMON_ZH: Final = Rules(max_dice=False, higher_die=False, backgammon_points=3)
"""Backgammon as the Chinese text reads: one must move while one can, but it names no duty to
prefer the order that plays both dice, nor the higher die.

Source: the Chinese encyclopaedia text on backgammon.
"""

HYPERGAMMON: Final = Rules(checkers=3, start=((24, 1), (23, 1), (22, 1)), backgammon_points=3)
"""Hypergammon: three checkers a side, on 24, 23 and 22; otherwise backgammon.

Source: gamesgrid.com and vogclub rules; the Greek online rules name it for Jacoby.
"""

NACKGAMMON: Final = Rules(start=((24, 2), (23, 2), (13, 4), (8, 3), (6, 4)), backgammon_points=3)
"""Nackgammon: backgammon from 24:2, 23:2, 13:4, 8:3, 6:4.

Source: GNU Backgammon's variant of that name.
"""

LONGGAMMON: Final = Rules(start=((24, 15),), backgammon_points=3)
"""Longgammon: backgammon with all fifteen checkers on the 24-point.

Source: Backgammon Galore, variants.
"""

TAVLA: Final = Rules(hit_and_run_home=False)
"""Tavla, the Turkish game: as `PORTES`, but a checker that hits at home may not move on.

Source: Backgammon Galore, variants; backgammon-game.eu.
"""

RULES: Final[Mapping[str, Rules]] = MappingProxyType(
    {
        "portes": PORTES,
        "portes_cube": PORTES_CUBE,
        "backgammon": BACKGAMMON,
        "backgammon_zh": BACKGAMMON_ZH,
        "hypergammon": HYPERGAMMON,
        "nackgammon": NACKGAMMON,
        "longgammon": LONGGAMMON,
        "tavla": TAVLA,
    }
)
"""The presets by name."""


def resolve_rules(rules: Rules | str) -> Rules:
    """Return `rules` itself, or the preset of that name.

    Raises:
        ValueError: the name is no preset's, or `rules` is neither a `Rules` nor a str.
    """
    if isinstance(rules, Rules):
        return rules
    if isinstance(rules, str):
        found = RULES.get(rules)
        if found is not None:
            return found
        raise ValueError(f"rules={rules!r}: expected one of {', '.join(RULES)}")
    raise ValueError(f"rules={rules!r}: expected a Rules or the name of a preset")


def rules_name(rules: Rules) -> str:
    """Return the name of the preset that `rules` is (the same object), else its ``repr``."""
    for name, preset in RULES.items():
        if preset is rules:
            return name
    return repr(rules)
