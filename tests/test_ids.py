"""Position IDs and XGIDs: published pairs, worked examples, round trips, and what is refused."""

from __future__ import annotations

import base64
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from boards import boards, made_boards, start_board
from hypothesis import given
from hypothesis import strategies as st

from tavli_fast.errors import BoardError, NotationError
from tavli_fast.notation.position_id import (
    XGID,
    from_position_id,
    from_xgid,
    parse_position,
    position_id,
    to_xgid,
)
from tavli_fast.rules.presets import BACKGAMMON, HYPERGAMMON, NACKGAMMON, PORTES, Rules

START_ID = "4HPwATDgc/ABMA"
START_XGID = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:3:0:10"
START_LETTERS = "-b----E-C---eE---c-e----B-"


def table(name: str) -> list[list[str]]:
    """The rows of a file of tests/data/, without its comments."""
    text = (Path(__file__).parent / "data" / name).read_text(encoding="utf-8")
    return [line.split("\t") for line in text.splitlines() if not line.startswith("#")]


PUBLISHED = table("position_ids.tsv")[1:]


def readable(board: np.ndarray) -> bool:
    """Whether readers take the board's ID: not both on the bar against six closed points."""
    return not all(plane[25] and plane[1:7].min() > 1 for plane in board)


# --- published and worked IDs ---------------------------------------------------------------------


def test_there_are_published_ids() -> None:
    assert len(PUBLISHED) == 67


@pytest.mark.parametrize(("text", "expected", "_source"), PUBLISHED)
def test_published_xgid_has_its_published_position_id(
    text: str, expected: str, _source: str
) -> None:
    board = from_xgid(text).board
    assert position_id(board) == expected
    np.testing.assert_array_equal(from_position_id(expected), board)


@pytest.mark.parametrize("text", [row[0] for row in PUBLISHED])
def test_published_xgid_prints_as_it_was_read(text: str) -> None:
    assert str(from_xgid(text)) == text


@pytest.mark.parametrize(
    ("rules", "expected"),
    [(PORTES, START_ID), (HYPERGAMMON, "AACgAgAAKgAAAA"), (NACKGAMMON, "4Dl4ADbgOXgANg")],
)
def test_start_positions(rules: Rules, expected: str) -> None:
    board = start_board(rules)
    assert position_id(board, rules) == expected
    read = from_position_id(expected, rules)
    assert read.dtype == np.int8
    assert read.shape == (2, 26)
    np.testing.assert_array_equal(read, board)


def test_the_player_not_on_roll_stands_first_in_the_id() -> None:
    board = np.zeros((2, 26), np.int8)
    board[0, [0, 6]] = 14, 1
    board[1, [0, 3]] = 13, 2
    assert position_id(board) == "DAAAAAEAAAAAAA"
    # The bits 0, 0, 1, 1 of the opponent's 3-point come first.
    assert base64.b64decode("DAAAAAEAAAAAAA==")[0] == 0b1100


def test_hypergammon_board_is_not_told_from_twelve_off() -> None:
    read = from_position_id("AACgAgAAKgAAAA", "portes")
    assert read[:, 0].tolist() == [12, 12]


def test_the_xgid_letters_do_not_turn_with_the_turn() -> None:
    first = from_xgid(f"{START_LETTERS[:-2]}AA:0:0:1:00:2:1:0:5:10")
    second = from_xgid(f"{START_LETTERS[:-2]}AA:0:0:-1:00:2:1:0:5:10")
    np.testing.assert_array_equal(first.board, second.board[::-1])
    assert first.board[0, 25] == 1
    assert (first.scores, second.scores) == ((2, 1), (1, 2))


# --- round trips ----------------------------------------------------------------------------------


@given(boards())
def test_position_id_round_trip(board: np.ndarray) -> None:
    if readable(board):
        np.testing.assert_array_equal(from_position_id(position_id(board)), board)


@given(boards(HYPERGAMMON))
def test_position_id_round_trip_of_hypergammon(board: np.ndarray) -> None:
    text = position_id(board, HYPERGAMMON)
    np.testing.assert_array_equal(from_position_id(text, "hypergammon"), board)


@pytest.mark.parametrize("rules", [PORTES, HYPERGAMMON])
def test_round_trips_of_made_boards(rules: Rules) -> None:
    rng = np.random.default_rng(5)
    for board in filter(readable, made_boards(rng, 300, rules)):
        text = position_id(board, rules)
        assert len(text) == 14
        np.testing.assert_array_equal(from_position_id(f" {text}\n", rules), board)
        turn = int(rng.choice([1, -1]))
        xgid = to_xgid(board, rules=rules, turn=turn)
        np.testing.assert_array_equal(from_xgid(xgid, rules).board, board)


@st.composite
def xgids(draw: st.DrawFn) -> XGID:
    length = draw(st.sampled_from([0, 1, 7, 25]))
    scores = st.integers(0, length - 1 if length else 40)
    cap = draw(st.integers(0, 15))
    pending = draw(st.sampled_from([None, "double", "beaver", "raccoon"]))
    dice = st.none() | st.tuples(st.integers(1, 6), st.integers(1, 6))
    flag = st.booleans()
    return XGID(
        draw(boards().filter(readable)),
        dice=None if pending else draw(dice),
        cube=2 ** draw(st.integers(0, cap)),
        cube_owner=draw(st.sampled_from([-1, 0, 1])),
        turn=draw(st.sampled_from([-1, 1])),
        pending=pending,
        scores=(draw(scores), draw(scores)),
        match_length=length,
        crawford=bool(length) and draw(flag),
        jacoby=not length and draw(flag),
        beavers=not length and draw(flag),
        max_cube=2**cap,
    )


@given(xgids())
def test_xgid_round_trip(xgid: XGID) -> None:
    read = from_xgid(str(xgid))
    assert read == xgid
    assert hash(read) == hash(xgid)
    for name in ("dice", "cube", "cube_owner", "turn", "pending", "scores", "match_length"):
        assert getattr(read, name) == getattr(xgid, name)
    for name in ("crawford", "jacoby", "beavers", "max_cube"):
        assert getattr(read, name) == getattr(xgid, name)
    np.testing.assert_array_equal(read.board, xgid.board)


# --- what an XGID tells ---------------------------------------------------------------------------


def test_fields_of_a_money_game() -> None:
    xgid = from_xgid(START_XGID)
    assert xgid.dice == (3, 1)
    assert (xgid.cube, xgid.cube_owner, xgid.max_cube) == (1, 0, 1024)
    assert (xgid.turn, xgid.pending, xgid.scores, xgid.match_length) == (1, None, (0, 0), 0)
    assert (xgid.crawford, xgid.jacoby, xgid.beavers) == (False, True, True)
    assert not xgid.board.flags.writeable


def test_fields_of_a_match_are_told_from_the_side_on_roll() -> None:
    xgid = from_xgid("XGID=-b----E-C---eE---c-e----B-:2:-1:-1:64:1:3:0:7:10")
    assert (xgid.cube, xgid.cube_owner) == (4, 1)
    assert (xgid.scores, xgid.match_length) == ((3, 1), 7)
    assert from_xgid("XGID=-b----E-C---eE---c-e----B-:0:0:1:00:4:1:1:5:10").crawford


@pytest.mark.parametrize(("letter", "word"), [("D", "double"), ("B", "beaver"), ("R", "raccoon")])
def test_an_answer_that_is_waited_for(letter: str, word: str) -> None:
    text = f"XGID={START_LETTERS}:1:1:1:{letter}:0:0:3:0:10"
    xgid = from_xgid(text)
    assert (xgid.pending, xgid.dice, str(xgid)) == (word, None, text)


@pytest.mark.parametrize(
    "text",
    [
        START_XGID,
        START_XGID.removeprefix("XGID="),
        START_XGID.replace("XGID", "xgid"),
        START_XGID.removesuffix(":10"),
        f"  {START_XGID}\n",
        f'"{START_XGID}"',
        f"Position 4. {START_XGID}.",
        f"{START_XGID}\n\nX:A   O:B\nScore is X:0 O:0\n +13-14-15\nXGID=nonsense",
        f"best: ({START_XGID.removeprefix('XGID=')}) and more: 1:2",
    ],
)
def test_xgid_is_found(text: str) -> None:
    assert from_xgid(text) == from_xgid(START_XGID)


def test_xgid_is_told_by_text_and_rules() -> None:
    xgid = from_xgid(START_XGID)
    assert xgid != from_xgid(START_XGID, NACKGAMMON)
    assert xgid != replace(xgid, cube=2)
    assert xgid != str(xgid)
    assert str(replace(xgid, dice=(6, 6))) == START_XGID.replace(":31:", ":66:")


@pytest.mark.parametrize("rules", [PORTES, NACKGAMMON, replace(PORTES, higher_die=False)])
def test_repr_of_an_xgid_leads_back(rules: Rules) -> None:
    xgid = from_xgid(START_XGID, rules)
    assert eval(repr(xgid), {"from_xgid": from_xgid, "Rules": Rules}) == xgid
    assert repr(from_xgid(START_XGID)) == f"from_xgid('{START_XGID}')"
    assert repr(from_xgid(START_XGID, NACKGAMMON)) == (
        f"from_xgid('{START_XGID}', rules='nackgammon')"
    )


def test_to_xgid() -> None:
    board = start_board(PORTES)
    assert to_xgid(board) == f"XGID={START_LETTERS}:0:0:1:00:0:0:0:0:10"
    assert to_xgid(board, (3, 1), jacoby=True, beavers=True) == START_XGID
    text = to_xgid(board, turn=-1, cube=4, cube_owner=1, scores=(3, 1), match_length=7)
    assert text == f"XGID={START_LETTERS}:2:-1:-1:00:1:3:0:7:10"


@pytest.mark.parametrize(
    "fields",
    [
        {"dice": (0, 1)},
        {"dice": (7, 1)},
        {"dice": 3},
        {"cube": 3},
        {"cube": 0},
        {"cube": 2048},
        {"max_cube": 1000},
        {"cube_owner": 2},
        {"turn": 0},
        {"pending": "drop"},
        {"pending": "double", "dice": (3, 1)},
        {"scores": (1,)},
        {"scores": (-1, 0)},
        {"scores": (8, 0), "match_length": 7},
        {"scores": (7, 7), "match_length": 7},
        {"match_length": -1},
        {"match_length": 100_000},
        {"scores": (100_000, 0)},
        {"crawford": True},
        {"crawford": 2, "match_length": 3},
        {"jacoby": 2},
        {"beavers": 1},
        {"turn": 1.0},
        {"cube_owner": True},
        {"jacoby": True, "match_length": 7},
        {"beavers": True, "match_length": 7},
        {"rules": "hypergammon"},
        {"rules": "chess"},
    ],
)
def test_to_xgid_refuses(fields: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"=|board|dice"):
        to_xgid(start_board(PORTES), **fields)


def test_an_xgid_takes_rules_by_name() -> None:
    found = XGID(start_board(PORTES), rules="backgammon")  # type: ignore[arg-type]
    assert found.rules is BACKGAMMON
    assert from_xgid(str(found), "backgammon") == found


# --- either ---------------------------------------------------------------------------------------


def test_parse_position() -> None:
    start = start_board(PORTES)
    for text, dice in [
        (START_ID, None),
        (f" {START_ID} ", None),
        (START_XGID, (3, 1)),
        (START_XGID.removeprefix("XGID="), (3, 1)),
        (START_XGID.replace(":31:", ":00:"), None),
        (f"{START_ID}:cIkFAAAAAAAA", (3, 1)),
        (f"{START_ID}:8IhuACAACAAE", (5, 3)),
        (f"{START_ID}:cAkAAAAAAAAA", None),
    ]:
        board, found = parse_position(text)
        np.testing.assert_array_equal(board, start)
        assert found == dice
        board[0, 24] = 0  # the caller's own


def match_id(bits: int) -> str:
    return base64.b64encode(bits.to_bytes(9, "little")).decode()


@pytest.mark.parametrize(
    ("match", "why"),
    [
        ("cIkFAAAAAAA", "11 characters: expected 12"),
        ("cIkF-AAAAAAA", "character '-'"),
        ("", "0 characters: expected 12"),
        (match_id(1 << 12), "a double or a resignation"),
        (match_id(2 << 13), "a double or a resignation"),
        (match_id(3 << 15), "dice 3 and 0"),
        (match_id(7 << 15 | 1 << 18), "dice 7 and 1"),
    ],
)
def test_match_id_is_refused(match: str, why: str) -> None:
    with pytest.raises(NotationError, match=why):
        parse_position(f"{START_ID}:{match}")


# --- what is refused ------------------------------------------------------------------------------


def stream(*runs: int, tail: str = "") -> str:
    """The Position ID of 50 numbers of checkers (zeros where there are fewer)."""
    padded = [*runs, *[0] * (50 - len(runs))]
    bits = ("".join("1" * run + "0" for run in padded) + tail).ljust(80, "0")
    data = int(bits[::-1], 2).to_bytes(10, "little")
    return base64.b64encode(data).decode().rstrip("=")


CLOSED = [2] * 6 + [0] * 18 + [1]

MALFORMED_POSITION_IDS = [
    ("", "0 characters: expected 14"),
    (START_ID[:-1], "13 characters: expected 14"),
    (START_ID + "A", "15 characters: expected 14"),
    ("4HPwATDgc-ABMA", "character '-'"),
    ("4HPwATDgc_ABMA", "character '_'"),
    ("4HPwATDgc ABMA", "character ' '"),
    ("4HPwATDgcéABMA", "character 'é'"),
    ("4HPwATDgc/AB==", "character '='"),
    (START_ID[:-1] + "B", "last character 'B'"),
    (START_ID[:-1] + "P", "last character 'P'"),
    ("/" * 13 + "w", "ends after 0 of 50"),
    (stream(15, *[0] * 24, 15)[:-1] + "Q", "ends after|expected only zero"),
    (stream(1, tail="01"), "expected only zero bits after 50"),
    (stream(16), "the opponent has 16 checkers: expected at most 15"),
    (stream(*[0] * 25, 10, 6), "the player on roll has 16 checkers: expected at most 15"),
    (stream(1, *[0] * 47, 1), "both sides"),
    (stream(*CLOSED, *CLOSED), "both sides are on the bar against six closed points"),
    ("AAAAAAAAAAAAAA", "both sides have borne off all"),
    (None, "expected a str"),
    (START_ID.encode(), "expected a str"),
    (14, "expected a str"),
]


@pytest.mark.parametrize(("text", "why"), MALFORMED_POSITION_IDS)
def test_malformed_position_id_is_refused(text: Any, why: str) -> None:
    for reader in (from_position_id, parse_position):
        with pytest.raises(NotationError, match=why) as refused:
            reader(text)
        assert repr(text) in str(refused.value)


def test_more_checkers_than_the_game_has() -> None:
    with pytest.raises(NotationError, match="15 checkers: expected at most 3"):
        from_position_id(START_ID, "hypergammon")
    with pytest.raises(NotationError, match="15 checkers: expected at most 3"):
        from_xgid(START_XGID, HYPERGAMMON)


MALFORMED_XGIDS: list[tuple[Any, str]] = [
    *((text, why) for text, why in table("malformed_xgids.tsv")),
    ("", "1 fields"),
    ("no position here", "1 fields"),
    (START_XGID.replace(":0:10", f":{'9' * 5000}:10"), "match length"),
    (None, "expected a str"),
    (START_XGID.encode(), "expected a str"),
]


def test_there_are_malformed_xgids() -> None:
    assert len(MALFORMED_XGIDS) == 45


@pytest.mark.parametrize(("text", "why"), MALFORMED_XGIDS)
def test_malformed_xgid_is_refused(text: Any, why: str) -> None:
    with pytest.raises(NotationError, match=why) as refused:
        from_xgid(text)
    if isinstance(text, str) and len(text) < 70:
        assert text.removeprefix("XGID=") in str(refused.value)


@pytest.mark.parametrize("text", [text for text, _ in MALFORMED_XGIDS])
def test_malformed_xgid_is_no_position(text: Any) -> None:
    with pytest.raises(NotationError):
        parse_position(text)


def test_a_board_that_cannot_be_has_no_id() -> None:
    board = start_board(PORTES)
    board[0, 24] = 3
    for write in (position_id, to_xgid):
        with pytest.raises(BoardError):
            write(board)
        with pytest.raises(ValueError, match="shape"):
            write(board[0])
        with pytest.raises(ValueError, match="rules"):
            write(start_board(PORTES), rules="chess")


@given(st.text(max_size=90))
def test_any_text_is_read_or_refused(text: str) -> None:
    for reader in (from_position_id, from_xgid, parse_position):
        with pytest.raises(NotationError):
            reader(text)


@given(st.binary(min_size=10, max_size=10))
def test_any_ten_bytes_are_read_back_or_refused(data: bytes) -> None:
    text = base64.b64encode(data).decode().rstrip("=")
    try:
        board = from_position_id(text)
    except NotationError:
        return
    assert position_id(board) == text


@given(st.text("-ABOabop:0123DBR", max_size=12), st.integers(0, 50), st.integers(0, 12))
def test_a_damaged_xgid_is_read_or_refused(noise: str, at: int, cut: int) -> None:
    try:
        xgid = from_xgid(START_XGID[:at] + noise + START_XGID[at + cut :])
    except NotationError:
        return
    assert from_xgid(str(xgid)) == xgid
