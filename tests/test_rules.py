"""What a rule set says, and which rule sets are refused."""

from __future__ import annotations

import re
from dataclasses import fields, replace
from typing import Any

import pytest

from tavli_fast.rules.presets import (
    BACKGAMMON,
    BACKGAMMON_ZH,
    FEVGA,
    GUL_BARA,
    MOULTEZIM,
    NARDE,
    PLAKOTO,
    PORTES,
    PORTES_CUBE,
    RULES,
    TAPA,
    TAVLA,
    Rules,
)

# The fields of the rule parameters' list, in its order.
FIELDS = """
    checkers start off_board_start parallel
    contact block_at hit_and_run_home
    max_dice higher_die win_needs_all_dice doubles cascade cascade_from_roll cascade_rest
    runner_gate head_limit head_first_turn
    prime_len own_start_prime opp_start_prime opp_start_max prime_check trap trap_first
    bearoff_oversize bearoff_internal bearoff_while_pinned
    mother mother_points mother_draw mother_ends
    single_points gammon_points backgammon_points backgammon_needs remaining_scoring
    opening next_starter after_draw
    cube cube_cap dead_cube_rule jacoby jacoby_auto_counts beavers beaver_refusable
    auto_double_max crawford target trio trio_advance_on_draw
"""


def test_the_fields_are_those_of_the_list() -> None:
    assert [field.name for field in fields(Rules)] == FIELDS.split()


def test_presets_are_known_by_name() -> None:
    names = "plakoto tapa fevga moultezim narde gul_bara"
    assert [RULES[name] for name in names.split()] == [
        PLAKOTO,
        TAPA,
        FEVGA,
        MOULTEZIM,
        NARDE,
        GUL_BARA,
    ]


def test_session_fields_of_the_presets() -> None:
    assert (PORTES.opening, PORTES.next_starter) == ("fresh_roll", "winner")
    assert (PORTES_CUBE.opening, PORTES_CUBE.next_starter) == ("contest_dice", "contest")
    assert (BACKGAMMON.opening, BACKGAMMON.next_starter) == ("contest_dice", "contest")
    assert BACKGAMMON_ZH.opening == "contest_or_reroll"
    assert (NARDE.opening, NARDE.next_starter) == ("contest_dice", "winner")
    for rules in (TAVLA, PLAKOTO, TAPA, FEVGA, MOULTEZIM, GUL_BARA):
        assert (rules.opening, rules.next_starter) == ("fresh_roll", "winner")


def test_cube_fields_of_the_presets() -> None:
    with_cube = "portes_cube backgammon backgammon_zh hypergammon nackgammon longgammon"
    assert [name for name, rules in RULES.items() if rules.cube] == with_cube.split()
    assert [name for name, rules in RULES.items() if rules.jacoby] == ["hypergammon"]
    assert [name for name, rules in RULES.items() if not rules.beaver_refusable] == ["portes_cube"]
    for field in ("dead_cube_rule", "crawford"):
        off = [name for name, rules in RULES.items() if not getattr(rules, field)]
        assert off == ["backgammon_zh"]  # its text is silent
    for rules in RULES.values():
        assert rules.cube_cap == 64
        assert (rules.beavers, rules.jacoby_auto_counts, rules.auto_double_max) == (False, False, 0)
    assert len(set(RULES.values())) == len(RULES)


BLOCK = Rules(start=((24, 15),), contact="none", block_at=1)
"""Single blocks in an opposed game, as in Tawla 31."""


@pytest.mark.parametrize(
    "rules",
    [
        pytest.param(replace(PLAKOTO, cascade=True), id="plakoto-express"),
        pytest.param(replace(PLAKOTO, mother="none"), id="mahbouseh"),
        pytest.param(replace(PLAKOTO, mother="lose_always", mother_points=3), id="mother-3"),
        pytest.param(replace(BLOCK, runner_gate=6), id="tawla-31"),
        pytest.param(replace(BLOCK, runner_gate=6, parallel=True), id="jacquet"),
        pytest.param(replace(FEVGA, head_limit=1), id="fevga-with-a-head"),
        pytest.param(
            replace(
                GUL_BARA,
                head_first_turn=(3, 4, 6),
                trap="need_ahead",
                bearoff_oversize=False,
                bearoff_internal=False,
            ),
            id="gul-bara-of-vogclub",
        ),
        pytest.param(replace(MOULTEZIM, opp_start_max=6), id="moultezim-plain"),
        pytest.param(replace(PORTES, bearoff_oversize=False), id="exact"),
        pytest.param(Rules(cube=True, cube_cap=None, beavers=True, jacoby=True), id="money"),
        pytest.param(Rules(cube_cap=1, auto_double_max=3, crawford=False), id="no-cube"),
        pytest.param(Rules(trio=("portes", "plakoto", "fevga"), target=7), id="trio"),
    ],
)
def test_house_rules_that_are_played(rules: Rules) -> None:
    assert replace(rules) == rules


@pytest.mark.parametrize(
    ("rules", "change", "message"),
    [
        # Not played at all.
        (PORTES, {"off_board_start": True}, "off_board_start=True: expected False"),
        (PORTES, {"doubles": 2}, "doubles=2: expected 4"),
        (GUL_BARA, {"cascade_from_roll": 4}, "cascade_from_roll=4: expected 1"),
        (GUL_BARA, {"cascade_rest": "opponent"}, "cascade_rest='opponent': expected 'lost'"),
        (PLAKOTO, {"remaining_scoring": 31}, "remaining_scoring=31: expected None"),
        # No such value.
        (PORTES, {"contact": "kill"}, "contact='kill': expected 'hit', 'pin' or 'none'"),
        (FEVGA, {"runner_gate": 0}, "runner_gate=0: expected 1 to 23 or None"),
        (FEVGA, {"runner_gate": 24}, "runner_gate=24: expected 1 to 23 or None"),
        (FEVGA, {"runner_gate": "11"}, "runner_gate='11': expected an int or None"),
        (NARDE, {"head_limit": 0}, "head_limit=0: expected 1 to 15 or None"),
        (NARDE, {"head_first_turn": [3]}, "head_first_turn=[3]: expected a tuple of ints"),
        (NARDE, {"head_first_turn": (3, 7)}, "head_first_turn=(3, 7): expected different dice"),
        (NARDE, {"head_first_turn": (3, 3)}, "head_first_turn=(3, 3): expected different dice"),
        (FEVGA, {"prime_len": 7}, "prime_len=7: expected 2 to 6"),
        (FEVGA, {"prime_len": None}, "prime_len=None: expected an int"),
        (FEVGA, {"own_start_prime": "no"}, "expected 'allowed' or 'forbidden'"),
        (FEVGA, {"opp_start_max": 0}, "opp_start_max=0: expected 1 to 6"),
        (FEVGA, {"prime_check": "turn"}, "prime_check='turn': expected 'submove' or 'turn_end'"),
        (FEVGA, {"trap": "yes"}, "expected 'none', 'single_point', 'immobile' or 'need_ahead'"),
        (PLAKOTO, {"mother": "win"}, "'lose_unless_own_start', 'lose_always' or 'draw_only'"),
        (PLAKOTO, {"mother_points": 4}, "mother_points=4: expected 1 to 3"),
        (PLAKOTO, {"mother_ends": "at_once"}, "expected 'turn_end' or 'immediate'"),
        (PORTES, {"opening": "roll"}, "'fresh_roll', 'contest_dice' or 'contest_or_reroll'"),
        (PORTES, {"next_starter": "loser"}, "expected 'winner' or 'contest'"),
        (PORTES, {"after_draw": "winner"}, "after_draw='winner': expected 'contest'"),
        (PORTES_CUBE, {"cube": None}, "cube=None: expected True or False"),
        (PORTES_CUBE, {"cube_cap": 48}, "cube_cap=48: expected None, or a power of two"),
        (PORTES_CUBE, {"cube_cap": 0}, "cube_cap=0: expected None, or a power of two"),
        (PORTES_CUBE, {"cube_cap": 64.0}, "cube_cap=64.0: expected an int or None"),
        (PORTES_CUBE, {"auto_double_max": -1}, "auto_double_max=-1: expected 0 or more"),
        (PORTES_CUBE, {"jacoby": 1}, "jacoby=1: expected True or False"),
        (PORTES, {"target": 0}, "target=0: expected None, or 1 or more"),
        (PORTES, {"trio": ("portes", "chess")}, "trio=('portes', 'chess'): expected names among"),
        (PORTES, {"trio": ["portes"]}, "trio=['portes']: expected a tuple of strs"),
        # Not together.
        (PORTES, {"parallel": True}, "parallel=True: expected False with contact='hit'"),
        (PLAKOTO, {"parallel": True}, "parallel=True: expected False with contact='pin'"),
        (PORTES, {"block_at": 1}, "block_at=1: expected 2 with contact='hit'"),
        (PLAKOTO, {"block_at": 3}, "block_at=3: expected 2 with contact='pin'"),
        (FEVGA, {"block_at": 2}, "block_at=2: expected 1 with contact='none'"),
        (PORTES, {"contact": "none"}, "block_at=2: expected 1 with contact='none'"),
        (PLAKOTO, {"hit_and_run_home": False}, "expected True with contact='pin'"),
        (PLAKOTO, {"runner_gate": 11}, "runner_gate=11: expected None with contact='pin'"),
        (PLAKOTO, {"head_limit": 1}, "head_limit=1: expected None with contact='pin'"),
        (BLOCK, {"head_limit": 1, "start": PORTES.start}, "expected None with start=((24, 2)"),
        (FEVGA, {"head_first_turn": (6,)}, "expected () with head_limit=None"),
        (BLOCK, {"own_start_prime": "forbidden"}, "expected 'allowed' with parallel=False"),
        (PORTES, {"opp_start_prime": "forbidden"}, "expected 'allowed' with parallel=False"),
        (PORTES, {"opp_start_max": 4}, "opp_start_max=4: expected 6 with parallel=False"),
        (PLAKOTO, {"trap": "immobile"}, "trap='immobile': expected 'none' with parallel=False"),
        (FEVGA, {"bearoff_while_pinned": True}, "expected False with contact='none'"),
        (FEVGA, {"mother": "draw_only"}, "expected 'none' with contact='none'"),
        (PLAKOTO, {"start": ((24, 14), (23, 1))}, "expected 'none' with start="),
        (TAPA, {"mother_draw": False}, "expected True with mother='draw_only'"),
    ],
)
def test_rules_that_cannot_be_played_are_refused(
    rules: Rules, change: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=re.escape(message)) as error:
        replace(rules, **change)
    assert re.match(rf"^({'|'.join(FIELDS.split())})=.*: expected ", str(error.value))


def test_starts_that_meet_depend_on_the_direction() -> None:
    """The opponent starts on the mover's 1-point in an opposed game, on 12 in a parallel one."""
    both = ((24, 14), (1, 1))
    assert replace(FEVGA, start=both).start == both
    with pytest.raises(ValueError, match=re.escape("not [1, 24]")):
        replace(BLOCK, start=both)
    both = ((24, 14), (12, 1))
    assert replace(BLOCK, start=both).start == both
    with pytest.raises(ValueError, match=re.escape("not [12, 24]")):
        replace(FEVGA, start=both)
