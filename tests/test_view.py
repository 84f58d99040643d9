"""The board picture and the pip counts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from boards import boards, made_boards, other_number, start_board
from hypothesis import given

from tavli_fast.boards.positions import random_boards
from tavli_fast.boards.tfid import tfid
from tavli_fast.errors import BoardError, NotationError
from tavli_fast.notation.position_id import from_position_id, from_xgid, position_id
from tavli_fast.notation.view import BoardView, pip_counts, view
from tavli_fast.rules.presets import BACKGAMMON, FEVGA, HYPERGAMMON, PLAKOTO, PORTES, RULES, Rules

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
        np.testing.assert_array_equal(checkers_in(lines, PORTES), board)


@pytest.mark.parametrize("name", RULES)
def test_every_checker_of_every_game_is_drawn(name: str) -> None:
    rules = RULES[name]
    for board in random_boards(100, rules, seed=2):
        lines = str(view(board, rules)).splitlines()
        assert max(map(len, lines)) <= 79
        np.testing.assert_array_equal(checkers_in(lines, rules), board)


def checkers_in(lines: list[str], rules: Rules) -> np.ndarray:
    """Read a picture back: what a player sees who knows nothing of how it is drawn."""
    board = np.zeros((2, 26), np.int64)
    edges = [index for index, line in enumerate(lines) if "+-OFF-" in line]
    # In the parallel games O's tray, at the left, makes room for itself.
    left = 6 if rules.parallel else 0
    top, bottom = lines[edges[0] + 1 :][:5], lines[: edges[1]][:-6:-1]
    for rows, edge, others_bar in ((top, edges[0], 0), (bottom, edges[1], 1)):
        numbers = [word for word in lines[edge].replace("+", "-").split("-") if word.isdigit()]
        columns = [left + 2 + 3 * i for i in range(6)] + [left + 25 + 3 * i for i in range(6)]
        for number, column in zip(map(int, numbers), columns, strict=True):
            side, count, pinned = stack([row[column : column + 3] for row in rows])
            places = (0, number), (1, other_number(number, rules))
            if count:
                board[places[side]] = count
            if pinned:
                board[places[1 - side]] = -1
        side, count, _ = stack([row[left + 21 : left + 24] for row in reversed(rows)])
        if count:
            assert side == others_bar
            board[side, 25] = count
        fields = rows[0].split("|")
        tray = fields[1 if left and not others_bar else 4].split()
        if tray:
            assert tray[0] == "OX"[others_bar]
            board[1 - others_bar, 0] = int(tray[1])
    return board


def stack(cells: list[str]) -> tuple[int, int, bool]:
    """The side and the height of a stack and whether it pins, from its cells where it begins."""
    words = [cell.strip() for cell in cells]
    pins = words[0] in ("x", "o")
    if pins:
        assert words[1] == {"x": "O", "o": "X"}[words[0]]
        words = [*words[1:], ""]
    numbers = [int(word) for word in words if word.isdigit()]
    height = sum(map(bool, words))
    assert all(words[:height])
    return "XO".index(words[0] or "X"), numbers[0] if numbers else height, pins


# Pins of both sides; a stack of seven over a pinned checker.
PLAKOTO_ID = "TFID1:k:1e_2A_1B3a2c3G_2d_3C1:0:0"
PLAKOTO_PICTURE = """\
 +13-14-15-16-17-18------19-20-21-22-23-24-+-OFF-+  O: 220 pips
 | O           o    |   |    x           X |     |
 | O           X    |   |    O           X |     |
 | O           X    |   |    O           X |     |
 |             X    |   |    O             |     |
 |             7    |   |    O             |     |
 |                  |   |                  |     |
 |                  |   |                5 |     |
 |                  |   |                O |     |
 |                  |   |                O |     |
 |                  |   | X     X        O |     |
 |       O          |   | X     o        x |     |
 +12-11-10--9--8--7-------6--5--4--3--2--1-+-OFF-+  X: 228 pips, on roll
 x, o: pinned under the other side's checkers"""

FEVGA_ID = "TFID1:f:3a1AB1Ba2fab1a1a1CA2C1:3:2"
FEVGA_PICTURE = """\
         1  2  3  4  5  6       7  8  9 10 11 12   O's numbers
 +-OFF-+13-14-15-16-17-18------19-20-21-22-23-24-+  O: 195 pips
 | O 2 | O  O     O     O |   |    X  X        X |
 |     |    O             |   |    X           X |
 |     |                  |   |    X           X |
 |     |                  |   |                  |
 |     |                  |   |                  |
 +-----+ <--   <--   <--  |   | <--   <--   <--  +-----+
       | -->   -->   -->  |   | -->   -->   -->  |     |
       | 6                |   |                  |     |
       | O                |   |                  |     |
       | O                |   |                  |     |
       | O           X    |   | X                |     |
       | O        O  X    |   | X  X     O       | X 3 |
       +12-11-10--9--8--7-------6--5--4--3--2--1-+-OFF-+  X: 186 pips, on roll
        24 23 22 21 20 19      18 17 16 15 14 13   O's numbers
 Both sides follow the arrows, each from its own 24 to 1 and off."""


@pytest.mark.parametrize(
    ("text", "picture"), [(PLAKOTO_ID, PLAKOTO_PICTURE), (FEVGA_ID, FEVGA_PICTURE)]
)
def test_pictures_of_pins_and_of_a_parallel_game(text: str, picture: str) -> None:
    assert str(view(text)) == picture
    assert repr(view(text)) == f"view('{text}')"


def test_a_game_is_known_by_its_picture() -> None:
    pictures = [str(view(start_board(rules), rules)) for rules in (PORTES, PLAKOTO, FEVGA)]
    assert ["BAR" in picture for picture in pictures] == [True, False, False]
    assert ["pinned" in picture for picture in pictures] == [False, True, False]
    assert ["<--" in picture for picture in pictures] == [False, False, True]


def test_the_start_of_fevga() -> None:
    lines = str(view(start_board(FEVGA), FEVGA)).splitlines()
    # X begins at the right of the top, O opposite, at the left of the bottom.
    assert [line[-4:] for line in lines[2:7]] == [*["  X |"[1:]] * 4, " 15 |"[1:]]
    assert [line[7:11] for line in lines[9:14]] == ["|15 ", *["| O "] * 4]


def test_repr_leads_back() -> None:
    shown = view(START)
    assert repr(shown) == "view('4HPwATDgc/ABMA', rules='portes')"
    assert isinstance(shown, BoardView)
    assert repr(view(start_board(FEVGA), FEVGA)) == "view('TFID1:f:12o11O1:0:0')"
    houses = replace(PORTES, hit_and_run_home=False), replace(PLAKOTO, mother="lose_always")
    for rules in (*RULES.values(), *houses):
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

    xgid = from_xgid("XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:3:0:10", "backgammon")
    assert str(view(xgid)) == START_PICTURE
    assert (view(xgid).rules, view(xgid, PORTES).rules) == (BACKGAMMON, PORTES)
    for name, rules in RULES.items():
        shown = view(tfid(start_board(rules), rules=name))
        assert shown.rules is rules
        np.testing.assert_array_equal(shown.board, start_board(rules))


def test_what_cannot_be_viewed() -> None:
    with pytest.raises(BoardError):
        view(START, "hypergammon")
    with pytest.raises(NotationError):
        view("no board")
    with pytest.raises(ValueError, match="shape"):
        view(np.stack([START, START]))
    with pytest.raises(ValueError, match="rules"):
        view(START, "chess")


# --- pip counts -----------------------------------------------------------------------------------


def test_pip_counts() -> None:
    crowded = from_xgid(CROWDED).board
    counts = pip_counts(np.stack([START, crowded, crowded[::-1]]))
    assert counts.dtype == np.int64
    assert counts.tolist() == [[167, 167], [144, 160], [160, 144]]
    assert pip_counts(START).tolist() == [[167, 167]]
    assert pip_counts(START.tolist()).tolist() == [[167, 167]]
    assert pip_counts(np.zeros((0, 2, 26), np.int8)).shape == (0, 2)


def test_a_pinned_checker_has_its_pips_to_go() -> None:
    board = view(PLAKOTO_ID).board
    assert pip_counts(board).tolist() == [[228, 220]]
    assert "X: 228 pips" in str(view(PLAKOTO_ID))


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
