"""Rules: the one parametrised rule set, its presets, and what the engine refuses to play.

The fields come in groups, each with its own check below: board, contact, dice, starting phase,
primes, bearing off, mother, scoring, and the session (which no engine reads: it says who starts
and how games make a series).

Some rules that the sources name are not played: checkers that enter from off the board (the
acey-deucey games), doubles of another length, a cascade that begins later in the game or whose
rest falls to the opponent, scoring by the checkers that the loser has left. Their fields stand
here with the one value that is played, so that asking for more is answered by a sentence and never
by a wrong game.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Any, Final

__all__ = [
    "BACKGAMMON",
    "BACKGAMMON_ZH",
    "FEVGA",
    "GUL_BARA",
    "HYPERGAMMON",
    "LONGGAMMON",
    "MOULTEZIM",
    "NACKGAMMON",
    "NARDE",
    "PLAKOTO",
    "PORTES",
    "PORTES_CUBE",
    "RULES",
    "TAPA",
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
    A house rule is a changed copy: ``dataclasses.replace(PLAKOTO, mother="lose_always")``.

    A field that only refines a rule which is off (`mother_points` without a mother rule) has no
    effect; one that would switch on a rule which the game cannot have is refused.

    Raises:
        ValueError: a field has a value that the engine cannot play, or the fields contradict one
            another; the message names the field, the value and what was expected.
    """

    # --- board ---
    checkers: int = 15
    """Checkers a side, 1 to 15."""
    start: tuple[tuple[int, int], ...] = ((24, 2), (13, 5), (8, 3), (6, 5))
    """The starting position as (point, checkers) in the player's own numbers."""
    off_board_start: bool = False
    """Whether checkers start off the board and must enter; only False is played."""
    parallel: bool = False
    """Whether both sides run the same way round, from opposite corners (the opponent's start is
    the mover's 12-point), instead of against each other."""

    # --- contact ---
    contact: str = "hit"
    """What landing on a lone enemy checker does. ``"hit"``: it goes to the bar. ``"pin"``: it
    stays under the newcomer and cannot move. ``"none"``: it cannot be done, one checker closes."""
    block_at: int = 2
    """Enemy checkers that close a point: 1 with contact ``"none"``, else 2 (or one on a pin)."""
    hit_and_run_home: bool = True
    """Whether a checker that hits on the mover's own points 1-6 may move on in the same turn."""

    # --- dice ---
    max_dice: bool = True
    """Whether as many dice as possible must be played. If not, a play may stop where the next die
    cannot be played."""
    higher_die: bool = True
    """Whether the higher die must be played when either, but not both, can be."""
    win_needs_all_dice: bool = True
    """Whether `max_dice` and `higher_die` bind the play that bears off the last checker too."""
    doubles: int = 4
    """How many moves doubles are; only 4 is played."""
    cascade: bool = False
    """Whether doubles go on: n-n is four n, then four n + 1, and so on to four 6, until a move
    cannot be made."""
    cascade_from_roll: int = 1
    """The roll of the game from which doubles cascade; only 1 is played."""
    cascade_rest: str = "lost"
    """What becomes of the moves of a cascade that cannot be made; only ``"lost"`` is played."""

    # --- starting phase ---
    runner_gate: int | None = None
    """Until a checker of a side has come to this point or beyond, only its foremost may move:
    11 (it must pass the opponent's start), 12 (it must reach it), 6 (a courier to the home)."""
    head_limit: int | None = None
    """How many checkers may leave the 24-point (the head) in one turn."""
    head_first_turn: tuple[int, ...] = ()
    """The doubles with which, as long as all checkers are on the head, one more may leave."""

    # --- primes (parallel games) ---
    prime_len: int = 6
    """How many neighbouring points make a prime, for `trap`; 2 to 6."""
    own_start_prime: str = "allowed"
    """Whether all six points of the own start quadrant (24-19) may be held: ``"forbidden"``."""
    opp_start_prime: str = "allowed"
    """Whether all six points of the opponent's start quadrant (the mover's 12-7) may be held."""
    opp_start_max: int = 6
    """How many points of the opponent's start quadrant may be held at once."""
    prime_check: str = "submove"
    """When the three rules above, and ``trap="need_ahead"`` below, are read: after each die
    (``"submove"``) or at the ``"turn_end"``."""
    trap: str = "none"
    """Which prime may not stand. ``"single_point"``: with all enemy checkers on the one point
    behind it. ``"immobile"``: any position in which no roll lets the enemy move.
    ``"need_ahead"``: with no enemy checker past it."""
    trap_first: bool = True
    """Whether a play that avoids the trap (``"single_point"``, ``"immobile"``) is preferred even to
    one that plays more dice. If no play avoids it, the rule lapses."""

    # --- bearing off ---
    bearoff_oversize: bool = True
    """Whether a die larger than the farthest checker's point bears that checker off."""
    bearoff_internal: bool = True
    """Whether a side that has all its checkers home may still move them within the home. If not,
    its dice only bear off."""
    bearoff_while_pinned: bool = False
    """Whether a side may bear off while one of its checkers is pinned."""

    # --- mother ---
    mother: str = "none"
    """What it costs to have the last checker on the start (the 24-point) pinned there.
    ``"lose_always"``: the game. ``"lose_unless_own_start"``: the game, as soon as the capturer
    has left his own start. ``"draw_only"``: nothing, but when both are pinned it is a draw."""
    mother_points: int = 2
    """Points for a game lost by the mother."""
    mother_draw: bool = True
    """Whether the game is drawn when both mothers are pinned."""
    mother_ends: str = "turn_end"
    """When the mother rule ends the game: at ``"turn_end"``, or ``"immediate"``: the move that
    decides it completes the turn, whatever dice are left."""

    # --- scoring ---
    single_points: int = 1
    """Points for a win when the loser has borne off a checker."""
    gammon_points: int = 2
    """Points for a win when the loser has borne off none."""
    backgammon_points: int = 2
    """Points for a win when the loser has borne off none and `backgammon_needs` is met."""
    backgammon_needs: str = "home_or_bar"
    """Where the loser must still have a checker for `backgammon_points`: ``"home_or_bar"`` (in
    the winner's home or on the bar) or ``"bar_only"``."""
    remaining_scoring: int | None = None
    """The target of a series that counts the loser's checkers; only None is played."""

    # --- session ---
    opening: str = "fresh_roll"
    """How the first turn's dice come about. ``"fresh_roll"``: each throws one die, who has the
    higher starts with two new dice. ``"contest_dice"``: he plays those two.
    ``"contest_or_reroll"``: he plays those two, or throws both anew, once."""
    next_starter: str = "winner"
    """Who starts the next game of a series: the ``"winner"``, or a ``"contest"`` decides."""
    after_draw: str = "contest"
    """Who starts after a draw: a ``"contest"`` decides."""
    target: int | None = None
    """The points that win a series; None for no end."""
    trio: tuple[str, ...] = ()
    """The games of a series by their names in `RULES`, in turn; () for this game alone."""
    trio_advance_on_draw: bool = True
    """Whether a series goes on to its next game after a draw."""

    def __post_init__(self) -> None:
        """Refuse what cannot be played; see the class's ``Raises``."""
        _check_types(self)
        _check_board(self)
        _check_contact(self)
        _check_dice(self)
        _check_starting_phase(self)
        _check_primes(self)
        _check_bearing_off(self)
        _check_mother(self)
        _check_scoring(self)
        _check_session(self)


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
    target = rules.target
    _require(target is None or target >= 1, "target", target, "None, or 1 or more")
    known = all(game in _NAMES for game in rules.trio)
    _require(known, "trio", rules.trio, f"names among {', '.join(_NAMES)}")


_NAMES: Final = (
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

PORTES: Final = Rules()
"""Portes, the Greek game: 1 point, or 2 if the loser has borne off none.

Source: the English guide "Portes rules: setup, hitting and bearing off" (14 September 2026).
"""

PORTES_CUBE: Final = Rules(backgammon_points=3, opening="contest_dice", next_starter="contest")
"""Portes as played in Greek online rooms: as `PORTES`, but koks (a checker on the bar or in the
winner's home, none off) counts 3, and every game begins with the dice that decide who starts.

Source: the Greek online rules for Portes.
"""

BACKGAMMON: Final = Rules(backgammon_points=3, opening="contest_dice", next_starter="contest")
"""Backgammon: the movement of Portes; single 1, gammon 2, backgammon 3.

Source: the international rules, as GNU Backgammon plays them by default.
"""

BACKGAMMON_ZH: Final = Rules(
    max_dice=False,
    higher_die=False,
    backgammon_points=3,
    opening="contest_or_reroll",
    next_starter="contest",
)
"""Backgammon as the Chinese text reads: one must move while one can, but it names no duty to
prefer the order that plays both dice, nor the higher die; the starter may throw anew.

Source: the Chinese encyclopaedia text on backgammon.
"""

HYPERGAMMON: Final = Rules(
    checkers=3,
    start=((24, 1), (23, 1), (22, 1)),
    backgammon_points=3,
    opening="contest_dice",
    next_starter="contest",
)
"""Hypergammon: three checkers a side, on 24, 23 and 22; otherwise backgammon.

Source: gamesgrid.com and vogclub rules; the Greek online rules name it for Jacoby.
"""

NACKGAMMON: Final = Rules(
    start=((24, 2), (23, 2), (13, 4), (8, 3), (6, 4)),
    backgammon_points=3,
    opening="contest_dice",
    next_starter="contest",
)
"""Nackgammon: backgammon from 24:2, 23:2, 13:4, 8:3, 6:4.

Source: GNU Backgammon's variant of that name.
"""

LONGGAMMON: Final = Rules(
    start=((24, 15),), backgammon_points=3, opening="contest_dice", next_starter="contest"
)
"""Longgammon: backgammon with all fifteen checkers on the 24-point.

Source: Backgammon Galore, variants.
"""

TAVLA: Final = Rules(hit_and_run_home=False)
"""Tavla, the Turkish game: as `PORTES`, but a checker that hits at home may not move on.

Source: Backgammon Galore, variants; backgammon-game.eu.
"""

PLAKOTO: Final = Rules(start=((24, 15),), contact="pin", mother="lose_unless_own_start")
"""Plakoto: all checkers start on the 24-point, and a lone enemy checker is not hit but pinned.

Whose last starter (the mother) is pinned there loses 2 points as soon as the capturer has left
his own start; with both mothers pinned the game is drawn.

Source: Backgammon Galore, variants; fibs.com, "The Board"; brainking.com.
"""

TAPA: Final = Rules(start=((24, 15),), contact="pin", mother="draw_only")
"""Tapa, of Bulgaria and North Macedonia: as `PLAKOTO`, but a pinned mother costs nothing.

Only the game in which both are pinned, and nobody could ever bear off, is drawn.

Source: Backgammon Galore, variants; the strategy notes of mcihael11111/tavli; the draw is this
project's reading, for no text says what becomes of the frozen game.
"""

FEVGA: Final = Rules(
    start=((24, 15),),
    parallel=True,
    contact="none",
    block_at=1,
    runner_gate=11,
    own_start_prime="forbidden",
    trap="single_point",
)
"""Fevga: both sides run the same way round, and a single checker closes a point.

The first checker must pass the opponent's start before another moves; the own start quadrant may
not be closed as a whole, nor six points in front of an enemy who is all on one.

Source: Backgammon Galore, variants; brainking.com; itavli.gr.
"""

MOULTEZIM: Final = Rules(
    start=((24, 15),),
    parallel=True,
    contact="none",
    block_at=1,
    runner_gate=11,
    opp_start_max=4,
)
"""Moultezim, Fevga's Turkish ancestor: no more than four points of the opponent's start quadrant
may be held, and no other prime is barred.

Source: threemountaingames.com; Backgammon Galore, variants.
"""

NARDE: Final = Rules(
    start=((24, 15),),
    parallel=True,
    contact="none",
    block_at=1,
    head_limit=1,
    head_first_turn=(3, 4, 6),
    trap="need_ahead",
    opening="contest_dice",
)
"""Narde, the long nardy of Russia and the Caucasus: one checker a turn may leave the start, and a
prime of six needs an enemy checker past it.

Source: setupgroup's and geonardi.com's rules; Wikipedia, "Long Nardy".
"""

GUL_BARA: Final = Rules(
    start=((24, 15),), parallel=True, contact="none", block_at=1, head_limit=1, cascade=True
)
"""Gul Bara (Rosespring, Crazy Narde): one checker a turn may leave the start, and doubles go on
from their own number up to the sixes.

Source: Backgammon Galore, variants; vogclub (the head); itavli.gr and totalshareware (what cannot
be played is lost).
"""

_PRESETS: Final = (
    PORTES,
    PORTES_CUBE,
    BACKGAMMON,
    BACKGAMMON_ZH,
    HYPERGAMMON,
    NACKGAMMON,
    LONGGAMMON,
    TAVLA,
    PLAKOTO,
    TAPA,
    FEVGA,
    MOULTEZIM,
    NARDE,
    GUL_BARA,
)

RULES: Final[Mapping[str, Rules]] = MappingProxyType(dict(zip(_NAMES, _PRESETS, strict=True)))
"""The presets by name."""


def resolve_rules(rules: Rules | str) -> Rules:
    """Return `rules` itself, or the preset of that name.

    Raises:
        ValueError: the name is no preset's, or `rules` is neither a `Rules` nor a str.
    """
    if type(rules) is Rules:  # a subclass might have left out the checks that the core relies on
        return rules
    if isinstance(rules, str):
        found = RULES.get(str(rules))
        if found is not None:
            return found
        shown = rules if len(rules) <= 40 else rules[:40] + "…"
        raise ValueError(f"rules={shown!r}: expected one of {', '.join(RULES)}")
    text = type(rules).__name__ if isinstance(rules, Rules) else f"{rules!r:.60}"
    raise ValueError(f"rules={text}: expected a Rules (no subclass) or the name of a preset")


def rules_name(rules: Rules) -> str:
    """Return the name of a preset, or ``portes with hit_and_run_home=False`` for a house rule."""

    for name, preset in RULES.items():
        if preset is rules:  # two presets may be equal, as long as no field tells them apart
            return name

    def differences(preset: Rules) -> list[str]:
        return [
            f"{field.name}={getattr(rules, field.name)!r}"
            for field in fields(rules)
            if getattr(rules, field.name) != getattr(preset, field.name)
        ]

    name, house = min(
        ((name, differences(preset)) for name, preset in RULES.items()),
        key=lambda found: len(found[1]),
    )
    return f"{name} with {', '.join(house)}" if house else name
