"""TFIDs: what they look like, round trips in every game, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from boards import boards, made_boards, other_number, start_board
from hypothesis import given
from hypothesis import strategies as st

from tavli_fast.boards.positions import random_boards
from tavli_fast.boards.tfid import LETTERS, from_tfid, tfid
from tavli_fast.errors import BoardError, NotationError
from tavli_fast.notation.position_id import (
    from_position_id,
    from_xgid,
    parse_position,
    position_id,
    to_xgid,
)
from tavli_fast.rules.presets import FEVGA, NARDE, PLAKOTO, PORTES, RULES, TAPA, Rules

STARTS = {
    "portes": "TFID1:p:1b4E1C3eE3c1e4B1:0:0",
    "portes_cube": "TFID1:c:1b4E1C3eE3c1e4B1:0:0",
    "backgammon": "TFID1:b:1b4E1C3eE3c1e4B1:0:0",
    "backgammon_zh": "TFID1:z:1b4E1C3eE3c1e4B1:0:0",
    "hypergammon": "TFID1:h:1aaa18AAA1:0:0",
    "nackgammon": "TFID1:n:1bb3D1C3dD3c1d3BB1:0:0",
    "longgammon": "TFID1:l:1o22O1:0:0",
    "tavla": "TFID1:t:1b4E1C3eE3c1e4B1:0:0",
    "plakoto": "TFID1:k:1o22O1:0:0",
    "tapa": "TFID1:a:1o22O1:0:0",
    "fevga": "TFID1:f:12o11O1:0:0",
    "moultezim": "TFID1:m:12o11O1:0:0",
    "narde": "TFID1:d:12o11O1:0:0",
    "gul_bara": "TFID1:g:12o11O1:0:0",
}

PLAKOTO_START = STARTS["plakoto"]


def test_every_preset_has_a_letter_of_its_own() -> None:
    assert list(LETTERS) == list(RULES) == list(STARTS)
    assert len(set(LETTERS.values())) == len(LETTERS)


@pytest.mark.parametrize("name", RULES)
def test_starts(name: str) -> None:
    board = start_board(RULES[name])
    assert tfid(board, rules=name) == tfid(board, rules=RULES[name]) == STARTS[name]
    read, game = from_tfid(STARTS[name])
    assert game == name
    assert read.dtype == np.int8
    assert read.shape == (2, 26)
    np.testing.assert_array_equal(read, board)


def board_of(mine: dict[int, int], theirs: dict[int, int], rules: Rules) -> np.ndarray:
    """A board with both sides in their own numbers; the rest is borne off."""
    board = np.zeros((2, 26), np.int8)
    for plane, points in zip(board, (mine, theirs), strict=True):
        for point, count in points.items():
            plane[point] = count
        plane[0] = rules.checkers - abs(plane).sum()
    return board


WORKED = [
    # Pins of both sides: O's on the mover's 3 and 20, his own on 7 (the opponent's 18).
    (PLAKOTO, {3: 2, 20: 1, 7: -1, 24: 11}, {22: -1, 5: -1, 18: 3, 12: 10}, None),
    (FEVGA, {24: 3, 11: 1, 1: 2}, {24: 4, 10: 1, 6: 1}, (6, 6)),
    (PORTES, {25: 2, 6: 13}, {25: 1, 24: 14}, (3, 1)),
    (PORTES, {25: 15}, {}, None),
]
TEXTS = [
    "TFID1:k:3B_3c_5j6A_3K1:0:0",
    "TFID1:f:1B9Ad5a3a1C1:9:9:66",
    "TFID1:p:an4M18B:0:0:31",
    "TFID1:p:25O:0:15",
]


@pytest.mark.parametrize(("case", "text"), list(zip(WORKED, TEXTS, strict=True)))
def test_worked_ids(case: tuple[Any, ...], text: str) -> None:
    rules, mine, theirs, dice = case
    board = board_of(mine, theirs, rules)
    assert tfid(board, dice, rules) == text
    np.testing.assert_array_equal(from_tfid(text)[0], board)
    read, roll = parse_position(text)
    np.testing.assert_array_equal(read, board)
    assert roll == dice


@pytest.mark.parametrize("name", RULES)
def test_round_trips_of_game_boards(name: str) -> None:
    rules = RULES[name]
    longest = 0
    for board in random_boards(500, rules, seed=4):
        for each in (board, board[::-1]):
            text = tfid(each, rules=rules)
            longest = max(longest, len(text))
            read, game = from_tfid(f"  {text}\n")
            assert game == name
            np.testing.assert_array_equal(read, each)
            assert not read.flags.writeable or read.base is not each
    assert longest <= 60


def test_round_trips_of_made_boards() -> None:
    for board in made_boards(np.random.default_rng(8), 300, PORTES):
        np.testing.assert_array_equal(from_tfid(tfid(board))[0], board)


@given(boards(), st.none() | st.tuples(st.integers(1, 6), st.integers(1, 6)))
def test_round_trip(board: np.ndarray, dice: tuple[int, int] | None) -> None:
    read, roll = parse_position(tfid(board, dice=dice))
    np.testing.assert_array_equal(read, board)
    assert roll == dice


def test_the_prefix_may_be_small() -> None:
    np.testing.assert_array_equal(from_tfid("tfid1:k:1o22O1:0:0")[0], start_board(PLAKOTO))


# --- the rules that a TFID names, and other ones --------------------------------------------------


def test_parse_position_takes_the_game_that_is_named() -> None:
    for name, text in STARTS.items():
        for rules in (None, name, RULES[name]):
            np.testing.assert_array_equal(parse_position(text, rules)[0], start_board(RULES[name]))
    # The same kind of game: a position of the one is one of the other.
    np.testing.assert_array_equal(parse_position(PLAKOTO_START, TAPA)[0], start_board(TAPA))
    for rules in ("portes", "fevga", "longgammon"):
        with pytest.raises(NotationError, match="a position of plakoto, which cannot be one"):
            parse_position(PLAKOTO_START, rules)


@pytest.mark.parametrize(
    ("rules", "name"),
    [
        (replace(PLAKOTO, mother_points=3), "plakoto"),
        (replace(TAPA, higher_die=False), "tapa"),
        (replace(FEVGA, runner_gate=12), "fevga"),
        (replace(NARDE, opening="fresh_roll"), "narde"),
        (replace(PORTES, win_needs_all_dice=False), "portes"),
        (replace(PLAKOTO, checkers=10, start=((24, 10),)), "plakoto"),
    ],
)
def test_a_house_rule_has_the_id_of_the_game_that_it_changes(rules: Rules, name: str) -> None:
    text = tfid(start_board(rules), rules=rules)
    assert text[6] == LETTERS[name]
    np.testing.assert_array_equal(parse_position(text, rules)[0], start_board(rules))


def test_other_numbers_of_checkers_need_their_rules() -> None:
    house = replace(PLAKOTO, checkers=10, start=((24, 10),))
    text = tfid(start_board(house), rules=house)
    assert text == "TFID1:k:1j22J1:0:0"
    with pytest.raises(NotationError, match="10 checkers: expected 15"):
        from_tfid(text)


def test_a_kind_of_game_without_a_letter() -> None:
    opposed = replace(FEVGA, parallel=False, own_start_prime="allowed", trap="none")
    with pytest.raises(ValueError, match=r"contact='none' with parallel=False.*position_id"):
        tfid(start_board(opposed), rules=opposed)
    text = position_id(start_board(opposed), opposed)
    np.testing.assert_array_equal(from_position_id(text, opposed), start_board(opposed))


# --- the other IDs hold neither pins nor parallel games -------------------------------------------


@pytest.mark.parametrize("name", ["plakoto", "tapa", "fevga", "moultezim", "narde", "gul_bara"])
def test_the_other_ids_name_the_tfid(name: str) -> None:
    board = start_board(RULES[name])
    for write in (position_id, to_xgid):
        with pytest.raises(ValueError, match=f"cannot hold .*: use the TFID, {STARTS[name]}$"):
            write(board, rules=name)
    for read, text in [
        (from_position_id, "4HPwATDgc/ABMA"),
        (from_xgid, "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:3:0:10"),
    ]:
        for reader in (read, parse_position):
            with pytest.raises(NotationError, match=f"expected a TFID, such as {STARTS[name]}$"):
                reader(text, name)


# --- what is refused ------------------------------------------------------------------------------

MALFORMED = [
    ("", "expected TFID1:game"),
    ("TFID", "expected TFID1:game"),
    ("TFID:k:1o22O1:0:0", "expected TFID1:game"),
    ("TFID2:k:1o22O1:0:0", "version 2: expected 1"),
    ("TFID01:k:1o22O1:0:0", "version 01: expected 1"),
    ("TFID1", "has 1 fields: expected 5 or 6"),
    ("TFID1:k:1o22O1", "has 3 fields: expected 5 or 6"),
    ("TFID1:k:1o22O1:0", "has 4 fields: expected 5 or 6"),
    ("TFID1:k:1o22O1:0:0:31:", "has 7 fields: expected 5 or 6"),
    ("TFID1::1o22O1:0:0", "game '': expected one of p"),
    ("TFID1:K:1o22O1:0:0", "game 'K': expected one of p"),
    ("TFID1:plakoto:1o22O1:0:0", r"game 'plakoto': expected one of p \(portes\)"),
    ("TFID1:k::0:0", "0 points: expected 26"),
    ("TFID1:k:1o21O1:0:0", "25 points: expected 26"),
    ("TFID1:k:1o22O2:0:0", "27 points: expected 26"),
    ("TFID1:k:1o22O99:0:0", "124 points: expected 26"),
    ("TFID1:k:1o22O1A:0:0", "27 points: expected 26"),
    ("TFID1:k:o23O1:0:0", "on the bar"),
    ("TFID1:k:1o022O1:0:0", "'0' at 2 of the points"),
    ("TFID1:k:1o2200O1:0:0", "'0' at 4 of the points"),
    ("TFID1:k:1o11011O1:0:0", "'0' at 4 of the points"),
    ("TFID1:k:1o1111O1:0:0", "'1' at 4 of the points"),
    ("TFID1:k:1o-----O1:0:0", "'-' at 2 of the points"),
    ("TFID1:k:1p22O1:0:0", "'p' at 1 of the points"),
    ("TFID1:k:1o22P1:0:0", "'P' at 4 of the points"),
    ("TFID1:k:1o22_O1:0:0", "'_' at 4 of the points"),
    ("TFID1:k:1o22O__1:0:0", "'_' at 6 of the points"),
    ("TFID1:k:1o22O 1:0:0", "' ' at 5 of the points"),
    ("TFID1:k:1o22Ö1:0:0", "'Ö' at 4 of the points"),
    ("TFID1:k:1o\u066222O1:0:0", "at 2 of the points"),  # a digit two of another script
    ("TFID1:p:A24O:0:0", "'A' on a bar: expected the opponent's, a to o"),
    ("TFID1:p:o24o:0:0", "'o' on a bar: expected the player on roll's, A to O"),
    ("TFID1:k:1o23O_:0:0", "'O_' on a bar"),
    ("TFID1:k:1o22O1:1:0", "16 checkers: expected 15"),
    ("TFID1:k:1o22N1:0:0", "14 checkers: expected 15"),
    ("TFID1:k:1o22O1:0:1", "16 checkers: expected 15"),
    ("TFID1:k:1o22O1:-1:0", "borne off '-1': expected a number 0 to 15"),
    ("TFID1:k:1o22O1:16:0", "borne off '16': expected a number 0 to 15"),
    ("TFID1:k:1o22O1::0", "borne off '': expected a number"),
    ("TFID1:k:1o22O1: 0:0", "borne off ' 0': expected a number"),
    ("TFID1:k:1o22O1:0:x", "borne off 'x': expected a number"),
    (f"TFID1:k:1o22O1:0:{'9' * 5000}", "borne off"),
    ("TFID1:k:1o22O1:0:0:", "roll '': expected two digits"),
    ("TFID1:k:1o22O1:0:0:7", "roll '7': expected two digits"),
    ("TFID1:k:1o22O1:0:0:71", "roll '71': expected two digits"),
    ("TFID1:k:1o22O1:0:0:00", "roll '00': expected two digits"),
    ("TFID1:k:1o22O1:0:0:311", "roll '311': expected two digits"),
    ("TFID1:p:1n22O_1:0:0", "pin"),
    ("TFID1:f:1A_10n11N1:0:0", "pin"),
    ("TFID1:l:1n22N1A:0:0", "27 points"),
    ("TFID1:k:n24O:0:1", "bar"),
    ("TFID1:p:26:15:15", "both sides have borne off all"),
    (None, "expected a str"),
    (b"TFID1:k:1o22O1:0:0", "expected a str"),
]


@pytest.mark.parametrize(("text", "why"), MALFORMED)
def test_malformed_tfid_is_refused(text: Any, why: str) -> None:
    with pytest.raises(NotationError, match=why) as refused:
        from_tfid(text)
    assert repr(text)[:70] in str(refused.value)
    with pytest.raises(NotationError):
        parse_position(text)


def test_what_cannot_be_written() -> None:
    board = start_board(PLAKOTO)
    with pytest.raises(ValueError, match="dice has a die of 7"):
        tfid(board, (3, 7), "plakoto")
    with pytest.raises(ValueError, match="rules='chess'"):
        tfid(board, rules="chess")
    with pytest.raises(ValueError, match="shape"):
        tfid(board[0], rules="plakoto")
    board[0, 24] = 14
    with pytest.raises(BoardError):
        tfid(board, rules="plakoto")


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    for candidate in (text, f"TFID1:{text}", f"TFID1:k:{text}:0:0"):
        with pytest.raises(NotationError):
            from_tfid(candidate)


@given(
    st.sampled_from([*STARTS.values(), *TEXTS]),
    st.text("ABOabo_:0123456789kfpTFID", max_size=8),
    st.integers(0, 40),
    st.integers(0, 8),
)
def test_a_damaged_tfid_is_read_or_refused(text: str, noise: str, at: int, cut: int) -> None:
    damaged = text[:at] + noise + text[at + cut :]
    try:
        board, game = from_tfid(damaged)
    except NotationError:
        return
    # Every position has one text.
    _, dice = parse_position(damaged)
    assert tfid(board, dice, game).lower() == damaged.strip().lower()


def test_one_wrong_letter_is_never_another_position() -> None:
    """Checkers and points must add up; only a pin of one by one has its like, the other way up."""
    text = TEXTS[0]
    for at in range(8, len(text)):
        for letter in "ABCDEFGHIJKLMNOabcdefghijklmno0123456789_":
            if letter.lower() == text[at].lower():
                continue
            with pytest.raises(NotationError):
                from_tfid(text[:at] + letter + text[at + 1 :])


def test_numbers_of_the_other_side() -> None:
    board = board_of({24: 14, 1: 1}, {24: 14, 13: 1}, FEVGA)
    assert other_number(12, FEVGA) == 24
    with pytest.raises(BoardError, match="both sides"):
        tfid(board, rules="fevga")
