"""The rule sets by name: a preset for each game, with its source."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, TypeAlias

import numpy as np

from tavli_fast.rules.fields import ENGINE_FIELDS, Rules
from tavli_fast.rules.games import NAMES

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
    "RulesLike",
]

RulesLike: TypeAlias = Rules | str
"""What `rules=` takes: a `Rules` or the name of a preset."""

PORTES: Final = Rules()
"""Portes, the Greek game: 1 point, or 2 if the loser has borne off none.

Source: the English guide "Portes rules: setup, hitting and bearing off" (14 September 2026).
"""

PORTES_CUBE: Final = Rules(
    backgammon_points=3,
    opening="contest_dice",
    next_starter="contest",
    cube=True,
    beaver_refusable=False,
)
"""Portes as played online in Greece: as `PORTES`, but koks (a checker on the bar or in the
winner's home, none off) counts 3, every game begins with the dice of the contest, and there is a
cube, up to 64. The optional rules are off: Jacoby, beavers (which cannot be refused), automatic
doubles (``auto_double_max=1``).

Source: the Greek online rules for Portes.
"""

BACKGAMMON: Final = Rules(
    backgammon_points=3, opening="contest_dice", next_starter="contest", cube=True
)
"""Backgammon: the movement of Portes; single 1, gammon 2, backgammon 3; with the cube.

Source: the international rules, as GNU Backgammon plays them by default, except that Jacoby and
beavers, which it uses in money games, are off.
"""

BACKGAMMON_ZH: Final = Rules(
    max_dice=False,
    higher_die=False,
    backgammon_points=3,
    opening="contest_or_reroll",
    next_starter="contest",
    cube=True,
    dead_cube_rule=False,
    crawford=False,
)
"""Backgammon by a Chinese text: a player must move as long as possible, but there is no duty to
prefer the order that plays both dice, nor the higher die; the starter may reroll. It has the cube,
and no Crawford game.

Source: the Chinese encyclopaedia text on backgammon.
"""

HYPERGAMMON: Final = Rules(
    checkers=3,
    start=((24, 1), (23, 1), (22, 1)),
    backgammon_points=3,
    opening="contest_dice",
    next_starter="contest",
    cube=True,
    jacoby=True,
)
"""Hypergammon: backgammon with three checkers a side, on 24, 23 and 22, and Jacoby's rule.

Source: gamesgrid.com and vogclub rules; the Greek online rules name it for Jacoby.
"""

NACKGAMMON: Final = Rules(
    start=((24, 2), (23, 2), (13, 4), (8, 3), (6, 4)),
    backgammon_points=3,
    opening="contest_dice",
    next_starter="contest",
    cube=True,
)
"""Nackgammon: backgammon from 24:2, 23:2, 13:4, 8:3, 6:4.

Source: GNU Backgammon's variant of that name.
"""

LONGGAMMON: Final = Rules(
    start=((24, 15),),
    backgammon_points=3,
    opening="contest_dice",
    next_starter="contest",
    cube=True,
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

A player whose last checker on the start (the mother) is pinned there loses 2 points once the
capturer has left the capturer's own start; with both mothers pinned the game is drawn.

Source: Backgammon Galore, variants; fibs.com, "The Board"; brainking.com.
"""

TAPA: Final = Rules(start=((24, 15),), contact="pin", mother="draw_only")
"""Tapa, of Bulgaria and North Macedonia: as `PLAKOTO`, but a pinned mother costs nothing.

A game in which both are pinned, so that nobody could ever bear off, is drawn.

Source: Backgammon Galore, variants; the strategy notes of mcihael11111/tavli; the draw is this
project's reading, because no text says how the frozen game ends.
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
"""Fevga: both sides move in the same direction, and a single checker blocks a point.

The first checker must pass the opponent's start before another may move. A side may not hold its
whole start quadrant, nor six points in front of an enemy whose checkers are all on one point.

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
may be held, and no other prime is forbidden.

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
"""Narde, the long nardy of Russia and the Caucasus: one checker per turn may leave the start, and a
prime of six is allowed only with an enemy checker past it.

Source: setupgroup's and geonardi.com's rules; Wikipedia, "Long Nardy".
"""

GUL_BARA: Final = Rules(
    start=((24, 15),), parallel=True, contact="none", block_at=1, head_limit=1, cascade=True
)
"""Gul Bara (Rosespring, Crazy Narde): one checker per turn may leave the start, and doubles
continue from their own number up to the sixes.

Source: Backgammon Galore, variants; vogclub (the head); itavli.gr and totalshareware (what cannot
be played is lost).
"""

RULES: Final[Mapping[str, Rules]] = MappingProxyType(
    {name: globals()[name.upper()] for name in NAMES}
)
"""The presets by name."""


def resolve_rules(rules: RulesLike | None, *sources: object) -> Rules:
    """Return `rules` itself or the preset of that name; for None the rules of the sources.

    Args:
        rules: a `Rules`, the name of a preset, or None.
        sources: positions that may state their rules, and evaluators or policies that may be for
            some. A position goes before an evaluator; if nothing says, it is Portes.

    Raises:
        ValueError: the name is no preset's, `rules` is neither a `Rules` nor a str, or evaluators
            for different rules leave open which are meant.
    """
    if type(rules) is Rules:  # a subclass might have left out the checks that the core relies on
        return rules
    if rules is None:
        return _stated_rules(sources) if sources else PORTES
    if isinstance(rules, str):
        found = RULES.get(str(rules))
        if found is not None:
            return found
        shown = rules if len(rules) <= 40 else rules[:40] + "…"
        raise ValueError(f"rules={shown!r}: expected one of {', '.join(RULES)}")
    text = type(rules).__name__ if isinstance(rules, Rules) else f"{rules!r:.60}"
    raise ValueError(f"rules={text}: expected a Rules (no subclass) or the name of a preset")


def same_engine(one: Rules, other: Rules) -> bool:
    """Return whether two rule sets play and count alike, whatever their sessions are."""
    return all(getattr(one, name) == getattr(other, name) for name in ENGINE_FIELDS)


def _stated_rules(sources: tuple[object, ...]) -> Rules:
    """Return the rules that sources state, Portes if none does."""
    found: Rules | None = None
    for source in sources:
        if type(source) is np.ndarray:  # the usual board, without a search for what it has not
            continue
        if hasattr(source, "stated_rules"):  # a position: those of an XGID may be left open
            if type(source.stated_rules) is Rules:
                return source.stated_rules
            continue
        own = getattr(source, "rules", None)
        if type(own) is not Rules:
            continue
        if found is not None and not same_engine(found, own):
            raise ValueError(
                "rules=None: the evaluators are for different rules; expected rules= to say by "
                "which to play"
            )
        found = found or own
    return found or PORTES
