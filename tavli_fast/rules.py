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
from typing import Final

from ._rule_checks import GAMES, check_rules

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
        check_rules(self)


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

RULES: Final[Mapping[str, Rules]] = MappingProxyType(dict(zip(GAMES, _PRESETS, strict=True)))
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
