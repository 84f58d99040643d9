"""Published numbers of legal plays, for the reference and for the compiled engine alike."""

from __future__ import annotations

import base64
import importlib
import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from boards import Int8Array, start_board

from tavli_fast.rules.presets import RULES

WILDBG = json.loads((Path(__file__).parent / "data" / "wildbg_move_counts.json").read_text("utf-8"))
ROLLS = [(high, low) for high in range(1, 7) for low in range(1, high + 1)]


@pytest.fixture(params=["tavli_fast.reference", "tavli_fast"], ids=["reference", "core"])
def engine(request: pytest.FixtureRequest) -> Any:
    return importlib.import_module(request.param)


def board_of_id(position_id: str) -> Int8Array:
    """Return the board of a GNU Backgammon Position ID: the opponent's plane first, in unary."""
    data = int.from_bytes(base64.b64decode(position_id + "=="), "little")
    board = np.zeros((2, 26), np.int8)
    for plane, point in itertools.product((1, 0), range(1, 26)):
        while data & 1:
            board[plane, point] += 1
            data >>= 1
        data >>= 1
    board[:, 0] = 15 - board.sum(1)
    return board


def test_wildbg_has_47_counts() -> None:
    assert len(WILDBG["rows"]) == 47
    assert WILDBG["id_order"] == "opponent-first"
    assert (board_of_id("4HPwATDgc/ABMA") == start_board(RULES["portes"])).all()


@pytest.mark.parametrize(
    ("position_id", "die", "other_die", "count"),
    WILDBG["rows"],
    ids=["{}-{}{}".format(*row) for row in WILDBG["rows"]],
)
def test_counts_of_wildbg(
    engine: Any, position_id: str, die: int, other_die: int, count: int
) -> None:
    assert engine.count_plays(board_of_id(position_id), (die, other_die)).tolist() == [count]


# Doubles 1-1 to 6-6, then 2-1, 3-1, 3-2, 4-1 and so on to 6-5, by other generators: two of our
# own for all these games; GNU Backgammon's, OpenSpiel's and wildbg's for Portes.
OPENINGS = {
    "portes": "42 75 73 52 4 11  15 16 17 14 18 17 8 8 9 9 10 14 14 14 7",
    "nackgammon": "70 103 101 25 17 3  23 22 27 15 17 17 12 16 17 11 10 13 13 8 7",
    "hypergammon": "7 11 15 15 15 12  6 7 8 7 8 9 7 8 9 9 7 8 9 9 9",
    "longgammon": "5 5 5 5 5 4  2 2 2 2 2 2 2 2 2 2 2 2 2 2 2",
    "plakoto": "5 5 5 5 5 4  2 2 2 2 2 2 2 2 2 2 2 2 2 2 2",
    "fevga": "1 1 1 1 2 1  1 1 1 1 1 1 1 1 1 1 1 1 1 1 1",
}


@pytest.mark.parametrize("name", OPENINGS)
def test_counts_of_the_openings(engine: Any, name: str) -> None:
    doubles_first = sorted(ROLLS, key=lambda roll: (roll[0] != roll[1], roll))
    board = np.repeat(start_board(RULES[name])[None], len(ROLLS), 0)
    counts = engine.count_plays(board, np.array(doubles_first), rules=name)
    assert counts.tolist() == [int(count) for count in OPENINGS[name].split()]


@pytest.mark.parametrize("name", OPENINGS)
def test_opening_counts_add_up_to_perft(name: str) -> None:
    total = {"portes": 447, "nackgammon": 547, "hypergammon": 195, "fevga": 22}
    assert sum(int(count) for count in OPENINGS[name].split()) == total.get(name, 59)


@pytest.mark.parametrize(("name", "one", "two"), [("hypergammon", 195, 38_017)])
def test_plays_two_plies_deep(engine: Any, name: str, one: int, two: int) -> None:
    """All plays of all 21 rolls from the start, and all the answers to each of them."""

    def follow(boards: Int8Array) -> Int8Array:
        every = np.repeat(boards, len(ROLLS), 0)
        found: Int8Array = engine.afterstates(every, np.tile(ROLLS, (len(boards), 1)), name).boards
        return found[:, ::-1]

    after_one = follow(start_board(RULES[name])[None])
    assert len(after_one) == one
    assert len(follow(after_one)) == two
