"""The worked rule cases: each one, for the reference and for the compiled engine alike."""

from __future__ import annotations

import dataclasses
import importlib
import itertools
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from boards import BAR, OFF, Int8Array, block_set, other_number, start_board, why_not_a_board

from tavli_fast.errors import IllegalMoveError
from tavli_fast.rules.presets import RULES, Rules

DATA = Path(__file__).parent / "data"
CASES = [json.loads(line) for line in (DATA / "rules_cases.jsonl").read_text("utf-8").splitlines()]
PRESETS = {"bg_chinese": "backgammon_zh"}
"""The cases' names of variants that are not the presets' names."""


def cases_of(kind: str, *, one_die: bool = False) -> list[dict[str, Any]]:
    """Return the cases of a kind."""
    return [
        case for case in CASES if case["kind"] == kind and (case.get("dice") is not None) == one_die
    ]


def cases(kind: str, *, one_die: bool = False) -> list[Any]:
    """Return (engine, case) test parameters: each case for each engine."""
    return [
        pytest.param(importlib.import_module(module), case, id=f"{name}-{case['id']}")
        for name, module in (("reference", "tavli_fast.reference"), ("core", "tavli_fast"))
        for case in cases_of(kind, one_die=one_die)
    ]


def rules_of(case: dict[str, Any]) -> Rules:
    preset = RULES[PRESETS.get(case["variant"], case["variant"])]
    return dataclasses.replace(preset, **case.get("rules", {}))


def board_of(position: dict[str, Any], rules: Rules) -> Int8Array:
    """Return a case's position, which gives both sides in the mover's numbers, as int8[2, 26]."""
    board = np.zeros((2, 26), np.int8)
    for plane, side in enumerate(("mover", "opp")):
        for point, checkers in position[side].items():
            number = other_number(int(point), rules) if plane else int(point)
            pinned = position["pins"].get(point) == side
            assert checkers == 1 or not pinned
            board[plane, number] = -1 if pinned else checkers
        board[plane, BAR] = position["bar"][side]
        board[plane, OFF] = position["off"][side]
    return board


def moves_of(play: str) -> Int8Array:
    """Return ``pass`` or a play such as ``bar/22 8/5* 2/off``, a move to a die, as int8[K, 2]."""
    texts = [] if play == "pass" else play.split()
    moves = np.full((max(len(texts), 4), 2), -1, np.int8)
    for row, text in zip(moves, texts, strict=False):
        parts = re.fullmatch(r"(bar|\d+)/(off|\d+)[*^]?", text)
        assert parts is not None, text
        row[:] = [int({"bar": BAR, "off": OFF}.get(part, part)) for part in parts.groups()]
    return moves


def end_of(engine: Any, case: dict[str, Any], play: str) -> Int8Array:
    """Return the board after one of a case's plays, which must be legal with the case's roll."""
    rules = rules_of(case)
    board = board_of(case["position"], rules)
    end: Int8Array = engine.apply(board, moves_of(play), dice=case["roll"], rules=rules)[0]
    return end


def test_there_are_152_cases_and_their_ids_name_the_tests() -> None:
    kinds = ("finals", "outcome", "setup")
    params = [param for kind in kinds for param in cases(kind)] + cases("finals", one_die=True)
    named = [param.id for param in params if param.id.startswith("reference-")]
    assert len(named) == 152
    assert sorted(named) == sorted("reference-" + case["id"] for case in CASES)


@pytest.mark.parametrize(("engine", "case"), cases("finals"))
def test_positions_after_every_legal_play(engine: Any, case: dict[str, Any]) -> None:
    rules, expected = rules_of(case), case["expected"]
    board = board_of(case["position"], rules)
    assert not why_not_a_board(board, rules)
    found = engine.afterstates(board, case["roll"], rules=rules)
    assert found.offsets.tolist() == [0, expected["n"]]
    assert len(block_set(found.boards)) == expected["n"]
    assert expected["pass"] == (expected["n"] == 0)
    # Where the case has the mover pass, its one final is the position itself.
    if not expected["finals_omitted"] and not expected["pass"]:
        wanted = np.array(
            [board_of(final["position"], rules) for final in expected["finals"]], np.int8
        )
        assert block_set(found.boards) == block_set(wanted)
    assert engine.count_plays(board, case["roll"], rules=rules).tolist() == [expected["n"]]


@pytest.mark.parametrize(("engine", "case"), cases("finals"))
def test_dice_may_be_given_in_either_order(engine: Any, case: dict[str, Any]) -> None:
    rules = rules_of(case)
    board = board_of(case["position"], rules)
    one = engine.afterstates(board, case["roll"], rules=rules)
    other = engine.afterstates(board, case["roll"][::-1], rules=rules)
    assert block_set(one.boards) == block_set(other.boards)


@pytest.mark.parametrize(("engine", "case"), cases("finals"))
def test_plays_are_legal_in_the_order_given(engine: Any, case: dict[str, Any]) -> None:
    rules = rules_of(case)
    board = board_of(case["position"], rules)
    found = engine.plays(board, case["roll"], rules=rules)
    states = engine.afterstates(board, case["roll"], rules=rules)
    assert block_set(found.boards) == block_set(states.boards)
    assert found.moves.shape == (case["expected"]["n"], 24 if rules.cascade else 4, 2)
    for moves, end in zip(found.moves, found.boards, strict=True):
        assert (engine.apply(board, moves, dice=case["roll"], rules=rules)[0] == end).all()


@pytest.mark.parametrize(("engine", "case"), cases("finals"))
def test_listed_plays_are_legal(engine: Any, case: dict[str, Any]) -> None:
    rules = rules_of(case)
    for final in case["expected"]["finals"]:
        for play in final["plays"]:
            assert (end_of(engine, case, play) == board_of(final["position"], rules)).all(), play


@pytest.mark.parametrize(("engine", "case"), cases("finals"))
def test_forbidden_plays_are_not(engine: Any, case: dict[str, Any]) -> None:
    rules = rules_of(case)
    board = board_of(case["position"], rules)
    found = block_set(engine.afterstates(board, case["roll"], rules=rules).boards)
    for forbidden in case["forbidden"]:
        assert board_of(forbidden["position"], rules).tobytes() not in found
        with pytest.raises(IllegalMoveError):
            end_of(engine, case, forbidden["plays"])
    for play in case["forbidden_sequences"]:
        with pytest.raises(IllegalMoveError):
            end_of(engine, case, play)


@pytest.mark.parametrize(("engine", "case"), cases("finals"))
def test_passing_is_legal_only_where_nothing_can_be_played(
    engine: Any, case: dict[str, Any]
) -> None:
    if case["expected"]["pass"]:
        assert (end_of(engine, case, "pass") == board_of(case["position"], rules_of(case))).all()
    else:
        with pytest.raises(IllegalMoveError):
            end_of(engine, case, "pass")


@pytest.mark.parametrize(("engine", "case"), cases("finals", one_die=True))
def test_moves_of_one_die(engine: Any, case: dict[str, Any]) -> None:
    """A single die is what a play of its doubles begins with, or any move without dice."""
    rules, (die,) = rules_of(case), case["dice"]
    board = board_of(case["position"], rules)
    at_home = not board[0, 7:].any()
    moves = [(source, max(source - die, OFF)) for source in range(BAR, OFF, -1)]
    begins = set()
    for first, *rest in itertools.product(moves, repeat=2) if at_home else zip(moves):
        try:
            # The case with all checkers home has two of them; a larger die can only bear off.
            dice = (die, die) if at_home else None
            engine.apply(board, np.array([first, *rest]), dice=dice, rules=rules)
        except IllegalMoveError:
            continue
        begins.add(first)
    expected = {
        final["plays"][0]: board_of(final["position"], rules)
        for final in case["expected"]["finals"]
    }
    assert begins == {tuple(moves_of(play)[0].tolist()) for play in expected}
    for play, end in expected.items():
        assert (engine.apply(board, moves_of(play), rules=rules)[0] == end).all()
    for forbidden in case["forbidden"]:
        with pytest.raises(IllegalMoveError):
            engine.apply(board, moves_of(forbidden["plays"]), rules=rules)


@pytest.mark.parametrize(("engine", "case"), cases("outcome"))
def test_points_of_a_position(engine: Any, case: dict[str, Any]) -> None:
    rules, expected = rules_of(case), case["expected"]
    board = board_of(case["position"], rules)
    assert not why_not_a_board(board, rules)
    is_over, points = expected["result"] is not None, expected["points"] or 0
    assert expected["result"] == {0: "draw" if is_over else None}.get(points, "win")
    # The other side sees the same game with the planes swapped.
    both_views = np.stack([board, board[::-1]])
    over, found = engine.outcomes(both_views, rules=rules)
    assert over.tolist() == [is_over, is_over]
    assert (found * case["cube"]).tolist() == [points, -points]
    if is_over:
        assert engine.count_plays(both_views, (2, 1), rules=rules).tolist() == [0, 0]


@pytest.mark.parametrize("case", cases_of("setup"), ids=lambda case: case["id"])
def test_starting_position(case: dict[str, Any]) -> None:
    engine, rules = importlib.import_module("tavli_fast"), rules_of(case)
    board = engine.start(rules)
    assert (board == board_of(case["expected"]["position"], rules)).all()
    assert (board == start_board(rules)).all()
    assert (board @ np.arange(26)).tolist() == case["expected"]["pips"]
