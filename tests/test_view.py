"""The board picture and the pip counts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from boards import boards, made_boards, start_board
from hypothesis import given

from tavli_fast.errors import BoardError, NotationError
from tavli_fast.ids import from_position_id, from_xgid, position_id
from tavli_fast.rules import HYPERGAMMON, PORTES, Rules
from tavli_fast.view import BoardView, pip_counts, view

START = start_board(PORTES)

START_PICTURE = """\
 +13-14-15-16-17-18------19-20-21-22-23-24-+-OFF-+  O: 167 pips
 | X           O    |   | O              X |     |
 | X           O    |   | O              X |     |
 | X           O    |   | O                |     |
 | X                |   | O                |     |
 | X                |   | O                |     |
 |                  |BAR|                  |     |
 | O                |   | X                |     |
 | O                |   | X                |     |
 | O           X    |   | X                |     |
 | O           X    |   | X              O |     |
 | O           X    |   | X              O |     |
 +12-11-10--9--8--7-------6--5--4--3--2--1-+-OFF-+  X: 167 pips, on roll"""

# Both sides on the bar, stacks of six and eleven, checkers off on both sides.
CROWDED = "XGID=f-----A-K-----------b----B:0:0:1:31:0:0:0:0:10"
CROWDED_PICTURE = """\
 +13-14-15-16-17-18------19-20-21-22-23-24-+-OFF-+  O: 160 pips
 |                  |   |    O             | O 7 |
 |                  |   |    O             |     |
 |                  |   |                  |     |
 |                  | X |                  |     |
 |                  | X |                  |     |
 |                  |BAR|                  |     |
 |            11    | O |                  |     |
 |             X    | O |                  |     |
 |             X    | O |                  |     |
 |             X    | O |                  |     |
 |             X    | 6 | X                | X 1 |
 +12-11-10--9--8--7-------6--5--4--3--2--1-+-OFF-+  X: 144 pips, on roll"""


def test_the_start_looks_as_on_a_board() -> None:
    assert str(view(START)) == START_PICTURE


def test_bar_stacks_and_checkers_off() -> None:
    assert str(view(CROWDED)) == CROWDED_PICTURE


def test_a_side_that_is_all_off() -> None:
    board = START.copy()
    board[0] = 0
    board[0, 0] = 15
    picture = str(view(board))
    assert "|X 15 |" in picture
    assert "X: 0 pips" in picture


def test_every_checker_is_drawn() -> None:
    for board in made_boards(np.random.default_rng(3), 200, PORTES):
        lines = str(view(board)).splitlines()
        assert len(lines) == 13
        assert len({len(line.split("  X:")[0].split("  O:")[0]) for line in lines}) == 1
        np.testing.assert_array_equal(checkers_in(lines), board)


def checkers_in(lines: list[str]) -> np.ndarray:
    """Read a picture back: what a player sees who knows nothing of how it is drawn."""
    board = np.zeros((2, 26), np.int64)
    top, bottom = lines[1:6], lines[7:12][::-1]
    for rows, label, others_bar in ((top, lines[0], 0), (bottom, lines[12], 1)):
        numbers = label.split("+")[1].replace("-", " ").split()
        columns = [2 + 3 * i for i in range(6)] + [24 + 3 * i + 1 for i in range(6)]
        for number, column in zip(map(int, numbers), columns, strict=True):
            side, count = stack([row[column : column + 3] for row in rows])
            if count:
                board[side, number if side == 0 else 25 - number] = count
        side, count = stack([row[21:24] for row in reversed(rows)])
        if count:
            assert side == others_bar
            board[side, 25] = count
        tray = rows[0].split("|")[4].split()
        if tray:
            assert tray[0] == "OX"[others_bar]
            board[1 - others_bar, 0] = int(tray[1])
    return board


def stack(cells: list[str]) -> tuple[int, int]:
    """The side and the height of a stack, from its cells from where it begins."""
    words = [cell.strip() for cell in cells]
    height = int(words[4]) if words[4].isdigit() else sum(map(bool, words))
    assert all(words[:height])
    return "XO".index(words[0] or "X"), height


def test_repr_leads_back() -> None:
    shown = view(START)
    assert repr(shown) == "view('4HPwATDgc/ABMA', rules='portes')"
    assert isinstance(shown, BoardView)
    for rules in (PORTES, HYPERGAMMON, replace(PORTES, hit_and_run_home=False)):
        board = start_board(rules)
        again = eval(repr(view(board, rules)), {"view": view, "Rules": Rules})
        np.testing.assert_array_equal(again.board, board)
        assert again.rules == rules


def test_a_view_keeps_its_board() -> None:
    board = START.copy()
    shown = view(board)
    board[:] = 0
    assert str(shown) == START_PICTURE
    assert shown.rules is PORTES
    with pytest.raises(ValueError, match="read-only"):
        shown.board[0, 24] = 0


def test_a_view_of_an_id() -> None:
    assert str(view("4HPwATDgc/ABMA")) == START_PICTURE
    assert str(view("XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:3:0:10")) == START_PICTURE
    np.testing.assert_array_equal(
        view("AACgAgAAKgAAAA", "hypergammon").board, start_board(HYPERGAMMON)
    )


def test_what_cannot_be_viewed() -> None:
    with pytest.raises(BoardError):
        view(START, "hypergammon")
    with pytest.raises(NotationError):
        view("no board")
    with pytest.raises(ValueError, match="shape"):
        view(np.stack([START, START]))
    with pytest.raises(ValueError, match="rules"):
        view(START, "chess")


# Pip counts


def test_pip_counts() -> None:
    crowded = from_xgid(CROWDED).board
    counts = pip_counts(np.stack([START, crowded, crowded[::-1]]))
    assert counts.dtype == np.int64
    assert counts.tolist() == [[167, 167], [144, 160], [160, 144]]
    assert pip_counts(START).tolist() == [[167, 167]]
    assert pip_counts(START.tolist()).tolist() == [[167, 167]]
    assert pip_counts(np.zeros((0, 2, 26), np.int8)).shape == (0, 2)


def test_pip_counts_do_not_overflow() -> None:
    board = np.zeros((2, 26), np.int8)
    board[:, 25] = 15
    assert pip_counts(board).tolist() == [[375, 375]]


@pytest.mark.parametrize(
    "bad", [START[0], np.zeros((2, 25), np.int8), START * 1.0, "boards", None, START[None, None]]
)
def test_pip_counts_refuses(bad: Any) -> None:
    with pytest.raises(ValueError, match="expected integers of shape"):
        pip_counts(bad)


@given(boards())
def test_pips_of_a_flipped_board_are_flipped(board: np.ndarray) -> None:
    (mine, theirs), *_ = pip_counts(board).tolist()
    assert pip_counts(board[::-1]).tolist() == [[theirs, mine]]
    assert f"O: {theirs} pips" in str(view(board))
    assert f"X: {mine} pips" in str(view(board))
    assert position_id(from_position_id("4HPwATDgc/ABMA")) in repr(view(START))
