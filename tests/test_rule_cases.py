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
from boards import BAR, OFF, Int8Array, block_set, start_board, why_not_a_board

from tavli_fast.errors import IllegalMoveError
from tavli_fast.rules import RULES, Rules

DATA = Path(__file__).parent / "data"
CASES = [json.loads(line) for line in (DATA / "rules_cases.jsonl").read_text("utf-8").splitlines()]
PRESETS = {"bg_chinese": "backgammon_zh"}
"""The cases' names of variants that are not the presets' names."""


def cases(kind: str, *, one_die: bool = False) -> list[Any]:
    """Return the cases of a kind as test parameters, named by their ids."""
    return [
        pytest.param(case, id=case["id"])
        for case in CASES
        if case["kind"] == kind and (case.get("dice") is not None) == one_die
    ]


@pytest.fixture(params=["tavli_fast.reference", "tavli_fast"], ids=["reference", "core"])
def engine(request: pytest.FixtureRequest) -> Any:
    return importlib.import_module(request.param)


def rules_of(case: dict[str, Any]) -> Rules:
    preset = RULES[PRESETS.get(case["variant"], case["variant"])]
    return dataclasses.replace(preset, **case.get("rules", {}))


def board_of(position: dict[str, Any]) -> Int8Array:
    """Return a case's position, which gives both sides in the mover's numbers, as int8[2, 26]."""
    board = np.zeros((2, 26), np.int8)
    for point, checkers in position["mover"].items():
        board[0, int(point)] = checkers
    for point, checkers in position["opp"].items():
        board[1, 25 - int(point)] = checkers
    for plane, side in enumerate(("mover", "opp")):
        board[plane, BAR] = position["bar"][side]
        board[plane, OFF] = position["off"][side]
    return board


def moves_of(play: str) -> Int8Array:
    """Return ``pass`` or a play such as ``bar/22 8/5* 2/off``, a move to a die, as int8[4, 2]."""
    moves = np.full((4, 2), -1, np.int8)
    texts = [] if play == "pass" else play.split()
    for row, text in zip(moves, texts, strict=False):
        parts = re.fullmatch(r"(bar|\d+)/(off|\d+)\*?", text)
        assert parts is not None, text
        row[:] = [int({"bar": BAR, "off": OFF}.get(part, part)) for part in parts.groups()]
    return moves


def end_of(engine: Any, case: dict[str, Any], play: str) -> Int8Array:
    """Return the board after one of a case's plays, which must be legal with the case's roll."""
    board, rules = board_of(case["position"]), rules_of(case)
    end: Int8Array = engine.apply(board, moves_of(play), dice=case["roll"], rules=rules)[0]
    return end


def test_there_are_86_cases_and_their_ids_name_the_tests() -> None:
    params = cases("finals") + cases("finals", one_die=True) + cases("outcome") + cases("setup")
    assert len(params) == 86
    assert sorted(param.id for param in params) == sorted({case["id"] for case in CASES})


@pytest.mark.parametrize("case", cases("finals"))
def test_positions_after_every_legal_play(engine: Any, case: dict[str, Any]) -> None:
    board, rules, expected = board_of(case["position"]), rules_of(case), case["expected"]
    assert not why_not_a_board(board, rules)
    found = engine.afterstates(board, case["roll"], rules=rules)
    assert found.offsets.tolist() == [0, expected["n"]]
    assert len(block_set(found.boards)) == expected["n"]
    assert expected["pass"] == (expected["n"] == 0)
    # Where the case has the mover pass, its one final is the position itself.
    if not expected["finals_omitted"] and not expected["pass"]:
        wanted = np.array([board_of(final["position"]) for final in expected["finals"]], np.int8)
        assert block_set(found.boards) == block_set(wanted)
    assert engine.count_plays(board, case["roll"], rules=rules).tolist() == [expected["n"]]


@pytest.mark.parametrize("case", cases("finals"))
def test_dice_may_be_given_in_either_order(engine: Any, case: dict[str, Any]) -> None:
    board, rules = board_of(case["position"]), rules_of(case)
    one = engine.afterstates(board, case["roll"], rules=rules)
    other = engine.afterstates(board, case["roll"][::-1], rules=rules)
    assert block_set(one.boards) == block_set(other.boards)


@pytest.mark.parametrize("case", cases("finals"))
def test_plays_are_legal_in_the_order_given(engine: Any, case: dict[str, Any]) -> None:
    board, rules = board_of(case["position"]), rules_of(case)
    found = engine.plays(board, case["roll"], rules=rules)
    states = engine.afterstates(board, case["roll"], rules=rules)
    assert block_set(found.boards) == block_set(states.boards)
    assert found.moves.shape == (case["expected"]["n"], 4, 2)
    for moves, end in zip(found.moves, found.boards, strict=True):
        assert (engine.apply(board, moves, dice=case["roll"], rules=rules)[0] == end).all()


@pytest.mark.parametrize("case", cases("finals"))
def test_listed_plays_are_legal(engine: Any, case: dict[str, Any]) -> None:
    for final in case["expected"]["finals"]:
        for play in final["plays"]:
            assert (end_of(engine, case, play) == board_of(final["position"])).all(), play


@pytest.mark.parametrize("case", cases("finals"))
def test_forbidden_plays_are_not(engine: Any, case: dict[str, Any]) -> None:
    board, rules = board_of(case["position"]), rules_of(case)
    found = block_set(engine.afterstates(board, case["roll"], rules=rules).boards)
    for forbidden in case["forbidden"]:
        assert board_of(forbidden["position"]).tobytes() not in found
        with pytest.raises(IllegalMoveError):
            end_of(engine, case, forbidden["plays"])
    for play in case["forbidden_sequences"]:
        with pytest.raises(IllegalMoveError):
            end_of(engine, case, play)


@pytest.mark.parametrize("case", cases("finals"))
def test_passing_is_legal_only_where_nothing_can_be_played(
    engine: Any, case: dict[str, Any]
) -> None:
    if case["expected"]["pass"]:
        assert (end_of(engine, case, "pass") == board_of(case["position"])).all()
    else:
        with pytest.raises(IllegalMoveError):
            end_of(engine, case, "pass")


@pytest.mark.parametrize("case", cases("finals", one_die=True))
def test_moves_of_one_die(engine: Any, case: dict[str, Any]) -> None:
    """A single die is what a play of its doubles begins with; the case has two checkers left."""
    board, rules, (die,) = board_of(case["position"]), rules_of(case), case["dice"]
    moves = [(source, max(source - die, OFF)) for source in range(BAR, OFF, -1)]
    begins = set()
    for first, second in itertools.product(moves, moves):
        try:
            engine.apply(board, np.array([first, second]), dice=(die, die), rules=rules)
        except IllegalMoveError:
            continue
        begins.add(first)
    expected = {
        final["plays"][0]: board_of(final["position"]) for final in case["expected"]["finals"]
    }
    assert begins == {tuple(moves_of(play)[0].tolist()) for play in expected}
    for play, end in expected.items():
        assert (engine.apply(board, moves_of(play), rules=rules)[0] == end).all()


@pytest.mark.parametrize("case", cases("outcome"))
def test_points_of_a_finished_game(engine: Any, case: dict[str, Any]) -> None:
    board, rules, expected = board_of(case["position"]), rules_of(case), case["expected"]
    assert expected["result"] == "win"
    # The loser sees the same game with the planes swapped.
    over, points = engine.outcomes(np.stack([board, board[::-1]]), rules=rules)
    assert over.tolist() == [True, True]
    assert (points * case["cube"]).tolist() == [expected["points"], -expected["points"]]
    assert engine.count_plays(board, (2, 1), rules=rules).tolist() == [0]
    assert engine.count_plays(board[::-1], (2, 1), rules=rules).tolist() == [0]


@pytest.mark.parametrize("case", cases("setup"))
def test_starting_position(case: dict[str, Any]) -> None:
    engine, rules = importlib.import_module("tavli_fast"), rules_of(case)
    board = engine.start(rules)
    assert (board == board_of(case["expected"]["position"])).all()
    assert (board == start_board(rules)).all()
    assert (board @ np.arange(26)).tolist() == case["expected"]["pips"]
