"""The parametrised rule set: its fields, their meanings and their allowed values.

The fields come in groups, each with its own check below: board, contact, dice, starting phase,
primes, bearing off, mother, scoring (all in `EngineRules`, which the engine reads), and session (in
`Rules`, which the engine does not read: who starts, how games form a series, what the cube may do).

Some rules in the sources are not supported: checkers that start off the board (the acey-deucey
games), doubles of another length, a cascade that begins later in the game or whose rest is played
by the opponent, scoring by the loser's remaining checkers. Their fields exist with the one value
that is supported, so that any other is answered with an error message and never with a wrong game.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from types import UnionType
from typing import Any, Final, Literal, get_args, get_origin, get_type_hints

from tavli_fast.rules.games import NAMES

__all__ = ["ENGINE_FIELDS", "SESSION_FIELDS", "EngineRules", "Rules"]

MAX_CHECKERS: Final = 15
"""The most checkers a side can have: the core keeps a point's count in four bits."""

MAX_POINTS: Final = 3
"""The most points a game can be worth before the cube: results are counted from -3 to +3."""


@dataclass(frozen=True)
class EngineRules:
    """The part of `Rules` that the engine reads: plays and results depend on it."""

    # --- board ---
    checkers: int = 15
    """The number of checkers of each side, 1 to 15."""
    start: tuple[tuple[int, int], ...] = ((24, 2), (13, 5), (8, 3), (6, 5))
    """The starting position as (point, checkers) pairs in the player's own numbering."""
    off_board_start: Literal[False] = False
    """Whether checkers start off the board and must enter; only False is supported."""
    parallel: bool = False
    """Whether both sides move in the same direction, from opposite corners (the opponent's start is
    the mover's 12-point), instead of in opposite directions."""

    # --- contact ---
    contact: Literal["hit", "pin", "none"] = "hit"
    """What landing on a lone enemy checker does. ``"hit"``: that goes to the bar. ``"pin"``: it
    stays underneath and cannot move. ``"none"``: it is not allowed; one checker blocks."""
    block_at: int = 2
    """How many enemy checkers close a point: 1 with contact ``"none"``, else 2, or 1 on a pin."""
    hit_and_run_home: bool = True
    """Whether a checker that hits on the mover's own points 1-6 may move on in the same turn."""

    # --- dice ---
    max_dice: bool = True
    """Whether as many dice as possible must be played. If not, a play may end where the next die
    cannot be played."""
    higher_die: bool = True
    """Whether the higher die must be played if either, but not both, can be played."""
    win_needs_all_dice: bool = True
    """Whether `max_dice` and `higher_die` also apply to the play that bears off the last one."""
    doubles: Literal[4] = 4
    """The number of moves in a double; only 4 is supported."""
    cascade: bool = False
    """Whether doubles continue: n-n is four n, then four n + 1, and so on to four 6, until a move
    cannot be made."""
    cascade_from_roll: Literal[1] = 1
    """The first roll of the game at which doubles cascade; only 1 is supported."""
    cascade_rest: Literal["lost"] = "lost"
    """What happens to the moves of a cascade that cannot be made; only ``"lost"`` is supported."""

    # --- starting phase ---
    runner_gate: int | None = None
    """Until a checker of a side is on this point or beyond it, only the foremost may move:
    11 (it must pass the opponent's start), 12 (it must reach it), 6 (it must reach the home)."""
    head_limit: int | None = None
    """How many checkers may leave the 24-point (the head) in one turn."""
    head_first_turn: tuple[int, ...] = ()
    """The doubles with which one more may leave as long as all checkers are on the head."""

    # --- primes (parallel games) ---
    prime_len: int = 6
    """How many neighbouring points form a prime, for `trap`; 2 to 6."""
    own_start_prime: Literal["allowed", "forbidden"] = "allowed"
    """Whether all six points of the player's own start quadrant (24-19) may be held."""
    opp_start_prime: Literal["allowed", "forbidden"] = "allowed"
    """Whether all six points of the opponent's start quadrant (the mover's 12-7) may be held."""
    opp_start_max: int = 6
    """How many points of the opponent's start quadrant may be held at once."""
    prime_check: Literal["submove", "turn_end"] = "submove"
    """When the three rules above, and ``trap="need_ahead"`` below, are tested: after each die
    (``"submove"``) or at the ``"turn_end"``."""
    trap: Literal["none", "single_point", "immobile", "need_ahead"] = "none"
    """Which prime is not allowed. ``"single_point"``: one with all enemy checkers on the one point
    behind it. ``"immobile"``: any position in which no roll lets the enemy move.
    ``"need_ahead"``: one with no enemy checker past it."""
    trap_first: bool = True
    """Whether a play that avoids the trap (``"single_point"``, ``"immobile"``) is preferred even to
    one that plays more dice. If no play avoids it, the rule lapses."""

    # --- bearing off ---
    bearoff_oversize: bool = True
    """Whether a die larger than the farthest checker's point bears that checker off."""
    bearoff_internal: bool = True
    """Whether a side with all its checkers home may still move them within the home. If not, its
    dice can only bear off."""
    bearoff_while_pinned: bool = False
    """Whether a side may bear off while one of its checkers is pinned."""

    # --- mother ---
    mother: Literal["none", "lose_unless_own_start", "lose_always", "draw_only"] = "none"
    """The cost of having the last checker on the start (the 24-point) pinned there.
    ``"lose_always"``: the game. ``"lose_unless_own_start"``: the game, once the capturer has left
    the capturer's own start. ``"draw_only"``: nothing, but if both are pinned it is a draw."""
    mother_points: int = 2
    """The points for a game lost by the mother."""
    mother_draw: bool = True
    """Whether the game is drawn when both mothers are pinned."""
    mother_ends: Literal["turn_end", "immediate"] = "turn_end"
    """When the mother rule ends the game: at ``"turn_end"``, or ``"immediate"``: the move that
    decides the game completes the turn, whatever dice are left."""

    # --- scoring ---
    single_points: int = 1
    """The points for a win if the loser has borne off a checker."""
    gammon_points: int = 2
    """The points for a win if the loser has borne off none."""
    backgammon_points: int = 2
    """The points for a win if the loser has borne off none and `backgammon_needs` is met."""
    backgammon_needs: Literal["home_or_bar", "bar_only"] = "home_or_bar"
    """Where the loser must still have a checker for `backgammon_points`: ``"home_or_bar"`` (in
    the winner's home or on the bar) or ``"bar_only"``."""
    remaining_scoring: None = None
    """The target of a series that counts the loser's checkers; only None is supported."""


@dataclass(frozen=True)
class Rules(EngineRules):
    """The rules of one game of the family, as data.

    Every function that takes ``rules=`` takes a ``Rules`` or the name of a preset (see `RULES`).
    A house rule is a changed copy: ``dataclasses.replace(PLAKOTO, mother="lose_always")``.

    A field that only refines a rule that is off (`mother_points` without a mother rule) has no
    effect; one that would turn on a rule that the game cannot have is refused. docs/rules.md
    (section 8) lists the fields with their values.

    Raises:
        ValueError: a field has a value that is not supported, or the fields contradict each other;
            the message names the field, the value and what was expected.

    Examples:
        >>> import dataclasses
        >>> import tavli_fast as tf
        >>> house = dataclasses.replace(tf.PLAKOTO, mother="lose_always")
        >>> dataclasses.replace(tf.PORTES, checkers=16)
        Traceback (most recent call last):
            ...
        ValueError: checkers=16: expected 1 to 15
    """

    # --- session ---
    opening: Literal["fresh_roll", "contest_dice", "contest_or_reroll"] = "fresh_roll"
    """The dice of the first turn. ``"fresh_roll"``: each player rolls one die; the higher starts
    with two new dice. ``"contest_dice"``: the starter plays those two dice.
    ``"contest_or_reroll"``: the starter plays those two, or rolls both again, once."""
    next_starter: Literal["winner", "contest"] = "winner"
    """Who starts the next game of a series: the ``"winner"``, or the winner of a ``"contest"``."""
    after_draw: Literal["contest"] = "contest"
    """Who starts after a draw: the winner of a ``"contest"``."""
    cube: bool = False
    """Whether there is a doubling cube. Without one the fields below up to `crawford` have no
    effect."""
    cube_cap: int | None = 64
    """The highest stake, a power of two; None for no limit."""
    dead_cube_rule: bool = True
    """Whether a player may not double if a single win at the current stake already wins the
    series."""
    jacoby: bool = False
    """Whether every win counts `single_points` as long as no player has doubled."""
    jacoby_auto_counts: bool = False
    """Whether an automatic double, too, makes wins count in full."""
    beavers: bool = False
    """Whether a player who takes a double may redouble at once and keep the cube."""
    beaver_refusable: bool = True
    """Whether the doubler may then give up the game and lose the stake of the double."""
    auto_double_max: int = 0
    """How often in a game a tie in the contest doubles the stake; the cube stays centred."""
    crawford: bool = True
    """Whether nobody may double in the first game that begins with a side one point short of the
    target."""
    target: int | None = None
    """The points that win a series; None for a series without end."""
    trio: tuple[str, ...] = ()
    """The games of a series by their names in `RULES`, in turn; () for this game alone."""
    trio_advance_on_draw: bool = True
    """Whether a series moves on to its next game after a draw."""

    def __post_init__(self) -> None:
        """Check the fields; see the class's ``Raises``."""
        check_rules(self)


ENGINE_FIELDS: Final = tuple(field.name for field in fields(EngineRules))
"""The fields that say what moves, what must be played and what a game is worth."""

SESSION_FIELDS: Final = tuple(
    field.name for field in fields(Rules) if field.name not in ENGINE_FIELDS
)
"""The fields that say who starts, how games make a series, and what the cube may do."""

HINTS: Final[Mapping[str, Any]] = get_type_hints(Rules)
"""The type of each field: a `Literal` names all its values."""


def other_side(point: int, rules: EngineRules) -> int:
    """Return the opponent's number, 1 to 24, for one of the mover's points."""
    return (point + 11) % 24 + 1 if rules.parallel else 25 - point


def misplaced_rules(value: object, name: str) -> str | None:
    """Return the error message for rules passed as the argument `name`; None if the value is not
    a rule set."""
    if isinstance(value, str) and value in NAMES:
        return f"{name}={value!r} is the name of rules: pass rules={value!r}"
    if isinstance(value, Rules):
        return f"{name}=Rules(…) is a rule set: pass it as rules="
    return None


def check_rules(rules: Rules) -> None:
    """Check the fields and their combinations.

    Raises:
        ValueError: names the field, its value and what was expected.
    """
    for name, hint in HINTS.items():
        if name != "start":
            _check_type(name, getattr(rules, name), hint)
    _check_board(rules)
    _check_contact(rules)
    _check_starting_phase(rules)
    _check_primes(rules)
    _check_bearing_off(rules)
    _check_mother(rules)
    _check_scoring(rules)
    _check_session(rules)


_A: Final[Mapping[Any, str]] = {
    int: "an int",
    bool: "True or False",
    type(None): "None",
    int | None: "an int or None",
    tuple[int, ...]: "a tuple of ints",
    tuple[str, ...]: "a tuple of strs",
}


def _check_type(name: str, value: object, hint: Any) -> None:
    """Check the type of a field's value, so that the other checks can rely on it."""
    if get_origin(hint) is Literal:
        values = get_args(hint)
        *others, last = map(repr, values)
        listed = f"{', '.join(others)} or {last}" if others else last
        # The types too: True is not 1.
        right = any(type(value) is type(each) and value == each for each in values)
        _require(right, name, value, listed)
    elif get_origin(hint) is tuple:
        right = type(value) is tuple and all(type(each) is get_args(hint)[0] for each in value)
        _require(right, name, value, _A[hint])
    else:
        # type(), not isinstance: True is no number of checkers.
        kinds = get_args(hint) if isinstance(hint, UnionType) else (hint,)
        _require(type(value) in kinds, name, value, _A[hint])


def _require(holds: bool, name: str, value: object, expected: str) -> None:
    """Raise the ValueError that names the field, its value and what was expected."""
    if not holds:
        text = repr(value)
        text = text if len(text) <= 200 else f"{text[:199]}…"
        raise ValueError(f"{name}={text}: expected {expected}")


def _between(rules: Rules, name: str, low: int, high: int, or_none: str = "") -> None:
    """Check that a field is a number from `low` to `high`, or None with `or_none` (its text)."""
    value = getattr(rules, name)
    in_range = bool(or_none) if value is None else low <= value <= high
    _require(in_range, name, value, f"{low} to {high}{or_none}")


def _only(rules: Rules, name: str, value: Any, holds: bool, where: str) -> None:
    """Check that a field has this value, unless `holds` says that the other rules allow another."""
    found = getattr(rules, name)
    _require(holds or found == value, name, found, f"{value!r} {where}")


def _check_board(rules: Rules) -> None:
    _between(rules, "checkers", 1, MAX_CHECKERS)
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
    others = {other_side(point, rules) for point in points}
    shared = sorted(others.intersection(points))
    _require(
        not shared, "start", start, f"no point that the opponent's start holds too, not {shared}"
    )


def _check_contact(rules: Rules) -> None:
    with_contact = f"with contact={rules.contact!r}"
    _only(rules, "parallel", False, rules.contact == "none", with_contact)
    _only(rules, "block_at", 1 if rules.contact == "none" else 2, False, with_contact)
    _only(rules, "hit_and_run_home", True, rules.contact == "hit", with_contact)


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
    _between(rules, "opp_start_max", 1, 6)
    plain = {"own_start_prime": "allowed", "opp_start_prime": "allowed", "opp_start_max": 6}
    for name, value in (plain | {"trap": "none"}).items():
        _only(rules, name, value, rules.parallel, "with parallel=False")


def _check_bearing_off(rules: Rules) -> None:
    with_contact = f"with contact={rules.contact!r}"
    _only(rules, "bearoff_while_pinned", False, rules.contact == "pin", with_contact)


def _check_mother(rules: Rules) -> None:
    _only(rules, "mother", "none", rules.contact == "pin", f"with contact={rules.contact!r}")
    _only(rules, "mother", "none", _all_on_24(rules), f"with start={rules.start!r}")
    _between(rules, "mother_points", 1, MAX_POINTS)
    _only(rules, "mother_draw", True, rules.mother != "draw_only", "with mother='draw_only'")


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


def _check_session(rules: Rules) -> None:
    cap = rules.cube_cap
    power = cap is None or (cap >= 1 and cap.bit_count() == 1)
    _require(power, "cube_cap", cap, "None, or a power of two: 1, 2, 4, …")
    times = rules.auto_double_max
    _require(times >= 0, "auto_double_max", times, "0 or more")
    target = rules.target
    _require(target is None or target >= 1, "target", target, "None, or 1 or more")
    known = all(game in NAMES for game in rules.trio)
    _require(known, "trio", rules.trio, f"names among {', '.join(NAMES)}")
