"""The readable sequence of legal plays."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from boards import boards, rolls, start_board
from hypothesis import given

from tavli_fast.boards.plays import plays as generate
from tavli_fast.errors import BoardError, IllegalMoveError, NotationError
from tavli_fast.notation.legal import LegalPlays, legal_plays
from tavli_fast.notation.play import Play
from tavli_fast.notation.xgid import from_xgid
from tavli_fast.rules.presets import BACKGAMMON, BACKGAMMON_ZH, HYPERGAMMON, PORTES, RULES

START = start_board(PORTES)
PLAYS = legal_plays(START, (3, 1))

OPENING_31 = [
    "24/20",
    "24/21 24/23",
    "24/21 8/7",
    "24/21 6/5",
    "24/23 13/10",
    "24/23 8/5",
    "24/23 6/3",
    "13/9",
    "13/10 8/7",
    "13/10 6/5",
    "8/4",
    "8/5 6/5",
    "8/7 6/3",
    "8/5 8/7",
    "6/2",
    "6/3 6/5",
]


def same_text(text: str) -> str:
    """A play's words in one order, to compare texts however their moves are ordered."""
    return " ".join(sorted(text.split()))


def dancing() -> np.ndarray:
    board = np.zeros((2, 26), np.int8)
    board[0, [25, 6, 5]] = 1, 7, 7
    board[1, [1, 3, 12]] = 2, 2, 11
    return board


def test_the_plays_of_an_opening_roll() -> None:
    assert len(PLAYS) == 16
    assert sorted(map(same_text, map(str, PLAYS))) == sorted(map(same_text, OPENING_31))


def test_it_is_a_sequence_of_plays() -> None:
    assert isinstance(PLAYS, Sequence)
    listed = list(PLAYS)
    assert all(isinstance(play, Play) for play in listed)
    assert PLAYS[0] == listed[0]
    assert PLAYS[-1] == listed[15]
    assert PLAYS[np.int64(3)] == listed[3]  # type: ignore[call-overload]
    assert PLAYS[2:5] == tuple(listed[2:5])
    assert PLAYS[::-1] == tuple(reversed(PLAYS))
    assert PLAYS[20:] == ()
    assert list(reversed(PLAYS)) == listed[::-1]
    assert PLAYS.count(listed[3]) == PLAYS.count("8/5 6/5") == 1
    assert PLAYS.count("8/4 6/5") == 0
    for index in (16, -17):
        with pytest.raises(IndexError):
            PLAYS[index]
    with pytest.raises(TypeError):
        PLAYS[8.0]  # type: ignore[call-overload]


def test_a_text_picks_a_play() -> None:
    for place, play in enumerate(PLAYS):
        assert PLAYS[str(play)] == play
        assert PLAYS.index(str(play)) == PLAYS.index(play) == PLAYS.index(play.board) == place
    assert PLAYS["31: 6-5, 8-5"] == PLAYS["8/5 6/5"]
    assert PLAYS.index("8/5 6/5", 0, 16) == PLAYS.index("8/5 6/5", -16) == PLAYS.index("8/5 6/5")


@pytest.mark.parametrize(
    ("item", "why"),
    [
        ("8/5 6/4", "play '8/5 6/4' cannot be played with 3-1; closest legal plays: '8/5 6/5'"),
        ("8/5", "play '8/5' is not legal with 3-1"),
        ("", "3-1 can be played"),
        ("foo", "'foo' is no move"),
        (legal_plays(START, (6, 5))[0], r"play '\d+/\d+.*' is none of the 16 legal plays of 3-1"),
        (START, "that position is none of the 16 legal plays of 3-1"),
        (START[0], r"no play: array \(26,\); expected a Play, the text of one, or a position"),
        (None, "no play: None; expected a Play, the text of one, or a position"),
    ],
)
def test_index_says_what_is_wrong(item: Any, why: str) -> None:
    with pytest.raises(ValueError, match=why) as refused:
        PLAYS.index(item)
    assert isinstance(refused.value, IllegalMoveError | NotationError)
    if isinstance(item, str):
        with pytest.raises(type(refused.value), match=why):
            PLAYS[item]


def test_index_looks_between_two_places() -> None:
    place = PLAYS.index("8/5 6/5")
    for start, stop in [(place + 1, 16), (0, place), (20, 30)]:
        with pytest.raises(IllegalMoveError, match=f"at {place}: not from {start} to {stop}"):
            PLAYS.index("8/5 6/5", start, stop)


def test_it_says_what_it_belongs_to() -> None:
    plays = legal_plays(START, np.array([3, 1]), PORTES)
    assert plays.dice == (3, 1)
    assert plays.rules is PORTES
    np.testing.assert_array_equal(plays.board, START)
    with pytest.raises(ValueError, match="read-only"):
        plays.board[0, 24] = 0


def test_the_board_given_may_change_afterwards() -> None:
    board = START.copy()
    plays = legal_plays(board, (3, 1))
    board[:] = 0
    assert "8/5 6/5" in plays
    np.testing.assert_array_equal(plays.board, START)


@pytest.mark.parametrize(
    "text", ["8/5 6/5", "6/5 8/5", "31: 8-5, 6-5", "8 5 6 5", "24/20", "24/23/20"]
)
def test_texts_that_are_in(text: str) -> None:
    assert text in PLAYS


@pytest.mark.parametrize(
    "text",
    ["24/18 13/11", "8/5", "", "Cannot Move", "foo", "5/8", "52: 8/5 6/5", "off/3", "8/5(9)"],
)
def test_texts_that_are_not_in(text: str) -> None:
    assert text not in PLAYS


def test_plays_and_afterstates_that_are_in_or_not() -> None:
    others = legal_plays(START, (6, 5))
    for play in PLAYS:
        assert play in PLAYS
        assert play.board in PLAYS
        assert play.board.astype(np.int64) in PLAYS
        assert play not in others
        assert play.board not in others
    assert START not in PLAYS
    assert START[0] not in PLAYS
    assert np.zeros((3, 2, 26)) not in PLAYS


@pytest.mark.parametrize("item", [None, 3, (8, 5), [(8, 5), (6, 5)], b"8/5 6/5"])
def test_other_things_are_not_in(item: Any) -> None:
    assert item not in PLAYS


def test_str_is_one_play_a_line() -> None:
    assert str(PLAYS).splitlines() == [str(play) for play in PLAYS]


def test_repr_shows_the_plays() -> None:
    plays = legal_plays(dancing(), (5, 4))
    assert len(plays) > 0
    assert repr(plays) == f"<LegalPlays 5-4: {', '.join(map(str, plays))}>"
    shown = ", ".join(str(play) for play in PLAYS[:12])
    assert repr(PLAYS) == f"<LegalPlays 3-1: {shown}, … 4 more>"


def test_a_dance() -> None:
    plays = legal_plays(dancing(), (3, 1))
    assert len(plays) == 0
    assert not plays
    assert list(plays) == []
    assert str(plays) == "Cannot Move"
    assert repr(plays) == "<LegalPlays 3-1: Cannot Move>"
    assert "bar/22" not in plays
    assert "Cannot Move" not in plays
    for text in ("bar/22", "Cannot Move"):
        with pytest.raises(IllegalMoveError, match="no legal play of 3-1"):
            plays[text]


def test_a_board_may_be_an_id() -> None:
    xgid = from_xgid("XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:3:0:10", "backgammon")
    for board in (xgid, str(xgid), "4HPwATDgc/ABMA", "TFID1:p:1b4E1C3eE3c1e4B1:0:0"):
        assert list(legal_plays(board, (3, 1))) == list(PLAYS)
    assert legal_plays(xgid, (3, 1)).rules is BACKGAMMON
    assert legal_plays(xgid, (3, 1), PORTES).rules is PORTES
    narde = legal_plays("TFID1:d:12o11O1:0:0", (6, 6))
    assert (narde.rules, str(narde)) == (RULES["narde"], "24/18(2)")
    with pytest.raises(NotationError, match="Position ID 'start'"):
        legal_plays("start", (3, 1))


def test_very_many_plays_are_made_only_when_they_are_wanted() -> None:
    board = np.zeros((2, 26), np.int8)
    board[0, [0, 20, 16, 13, 10]] = 7, 2, 2, 2, 2
    board[1, [24, 23]] = 8, 7
    plays = legal_plays(board, (3, 3), "gul_bara")
    assert len(plays) > 1000
    play = plays[len(plays) // 2]
    assert plays[str(play)] == play
    assert plays.index(play) == len(plays) // 2
    assert repr(plays).endswith(f"… {len(plays) - 12} more>")
    with pytest.raises(IllegalMoveError, match="closest legal plays"):
        plays["24/21"]


def test_a_finished_game_has_no_plays() -> None:
    board = START.copy()
    board[1] = 0
    board[1, 0] = 15
    assert len(legal_plays(board, (3, 1))) == 0


def test_a_play() -> None:
    board = START.copy()
    board[1, 24] -= 1  # one of the opponent's last two, on the mover's 1
    board[1, 20] += 1  # stands on the mover's 5
    play = next(play for play in legal_plays(board, (3, 1)) if str(play) == "8/5* 6/5")
    assert sorted(play.moves) == [(6, 5), (8, 5)]
    assert play.hits == (5,)
    assert repr(play) == "<Play 8/5* 6/5>"
    assert play.board.dtype == np.int8
    assert play.board.shape == (2, 26)
    assert play.board[0, [5, 6, 8]].tolist() == [2, 4, 2]
    assert play.board[1, [20, 25]].tolist() == [0, 1]
    with pytest.raises(ValueError, match="read-only"):
        play.board[0, 5] = 0
    with pytest.raises(AttributeError):
        play.moves = ()  # type: ignore[misc]


def test_a_play_is_its_afterstate() -> None:
    play = PLAYS[0]
    twin = Play((), play.board.copy(), ())
    assert play == twin
    assert hash(play) == hash(twin)
    assert play != PLAYS[1]
    assert play != str(play)
    assert len(set(PLAYS) | {twin}) == 16
    assert copy.copy(play) == play
    assert pickle.loads(pickle.dumps(play)) == play
    assert str(pickle.loads(pickle.dumps(PLAYS))) == str(PLAYS)


def test_the_rules_are_played() -> None:
    board = np.zeros((2, 26), np.int8)
    board[0, [0, 3, 2]] = 1, 1, 1
    board[1, [0, 1]] = 2, 1
    assert "3/off 2/1" in legal_plays(board, (3, 1), "hypergammon")
    assert legal_plays(board, (3, 1), HYPERGAMMON).rules is HYPERGAMMON
    # The Chinese text does not ask for the order that plays both dice.
    blocked = np.zeros((2, 26), np.int8)
    blocked[0, [0, 7]] = 14, 1
    blocked[1, [0, 19, 20]] = 11, 2, 2
    assert len(legal_plays(blocked, (4, 3), BACKGAMMON_ZH)) >= len(legal_plays(blocked, (4, 3)))


@pytest.mark.parametrize("dice", [(0, 1), (3, 7), 3, (3,), (3, 1, 1), "31", None, (3.0, 1.0)])
def test_bad_dice(dice: Any) -> None:
    with pytest.raises(ValueError, match="dice"):
        legal_plays(START, dice)


def test_bad_boards_and_rules() -> None:
    with pytest.raises(BoardError):
        legal_plays(np.zeros((2, 26), np.int8), (3, 1))
    with pytest.raises(BoardError):
        LegalPlays(START, (3, 1), "hypergammon")
    with pytest.raises(ValueError, match="shape"):
        legal_plays(np.stack([START, START]), (3, 1))
    with pytest.raises(ValueError, match="rules"):
        legal_plays(START, (3, 1), "chess")


@given(boards(), rolls())
def test_it_holds_what_the_generator_gives(board: np.ndarray, dice: tuple[int, int]) -> None:
    plays = legal_plays(board, dice)
    moves, afterstates, offsets = generate(board, dice)
    assert len(plays) == offsets[-1] == len(set(plays))
    for play, made, afterstate in zip(plays, moves, afterstates, strict=True):
        assert play.moves == tuple((s, t) for s, t in made.tolist() if s >= 0)
        np.testing.assert_array_equal(play.board, afterstate)
        assert len(play.hits) == afterstate[1, 25] - board[1, 25]
        assert all(board[1, 25 - point] == 1 for point in play.hits)
        assert play in plays
