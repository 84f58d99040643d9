"""Play text of the games with pins, and of those in which both sides run the same way round."""

from __future__ import annotations

import pytest
from boards import Checkers, board_of, start_board

from tavli_fast.errors import IllegalMoveError, NotationError
from tavli_fast.notation.legal import legal_plays
from tavli_fast.notation.play import format_play, parse_play
from tavli_fast.notation.xgid import from_xgid
from tavli_fast.rules.presets import FEVGA, GUL_BARA, NARDE, PLAKOTO, Rules

# Pins: worked cases of docs/rules.md and their like. (board, moves, text)
GOLDEN_PINS = [
    (({20: 1, 10: 1}, {7: 1}), [(10, 7), (20, 19)], "20/19 10/7^"),
    (({20: 1, 10: 1}, {7: 1}), [(10, 7), (7, 6)], "10/7^/6"),
    (({20: 1, 10: 1}, {7: 1}), [(10, 9), (9, 6)], "10/6"),
    (({20: 1, 10: 1}, {7: 1}), [(20, 17), (17, 16)], "20/16"),
    (({24: 2}, {20: 1, 19: 1}), [(24, 19), (24, 20)], "24/20^ 24/19^"),
    (({24: 2}, {20: 1, 19: 1}), [(24, 19), (19, 15)], "24/19^/15"),
    (({7: 1, 4: 1}, {5: 12, 22: 2, 24: 1}), [(7, 1), (1, 0)], "7/off"),
    (({7: 1, 4: 1}, {5: 12, 22: 2, 1: 1}), [(7, 1), (1, 0)], "7/1^/off"),
    (({7: 1, 4: 1}, {5: 12, 22: 2, 1: 1}), [(7, 1)], "7/1^"),
    (({8: 3}, {6: 1}), [(8, 6), (8, 6), (8, 6)], "8/6^(3)"),
    (({8: 1, 7: 1}, {6: 1}), [(8, 6), (7, 6)], "8/6^ 7/6"),
    (({8: 2, 6: 1}, {6: -1}), [(8, 6), (6, 5)], "8/5"),  # pinned before, pinned afterwards
    (({12: 2}, {12: -1}), [(12, 11), (12, 9)], "12/11 12/9"),  # freed
    (({12: -1, 15: 1}, {12: 1}), [(15, 14)], "15/14"),
    (({15: 1}, {12: 2}), [(15, 14)], "15/14"),
]


@pytest.mark.parametrize(("sides", "moves", "text"), GOLDEN_PINS)
def test_format_play_marks_pins(
    sides: tuple[Checkers, Checkers], moves: list[tuple[int, int]], text: str
) -> None:
    board = board_of(*sides, rules=PLAKOTO)
    assert format_play(moves, board, PLAKOTO) == text
    assert format_play(moves[::-1], board, "plakoto") == text


def test_a_play_tells_where_it_pins() -> None:
    board = board_of({20: 1, 10: 1}, {7: 1}, PLAKOTO)
    plays = legal_plays(board, (3, 1), PLAKOTO)
    play = plays["20/19 10/7"]
    assert (play.hits, play.pins) == ((), (7,))
    assert str(play) == "20/19 10/7^"
    assert play.board[1, 18] == -1
    # The capturer that goes on pins nothing in the end; its text says which way it went.
    gone_on = plays["10/6"]
    assert gone_on.board[1, 18] == 1
    assert plays["10/7^/6"] == plays["10/9/6"] == gone_on
    assert (str(gone_on), gone_on.pins) in (("10/6", ()), ("10/7^/6", (7,)))
    assert plays["20/16"].pins == ()
    both = parse_play("24/20 24/19", board_of({24: 2}, {20: 1, 19: 1}, PLAKOTO), (5, 4), PLAKOTO)
    assert (both.pins, str(both)) == ((20, 19), "24/20^ 24/19^")


def test_a_hit_is_no_pin() -> None:
    play = parse_play("8/5*/4", board_of({8: 1}, {5: 1, 24: 2}), (3, 1))
    assert (play.hits, play.pins) == ((5,), ())


GOLDEN_ROUND = [
    (FEVGA, {24: 15}, {12: 15}, (5, 5), "24/4"),
    (FEVGA, {24: 15}, {12: 15}, (5, 5), "24/9 24/19"),
    (FEVGA, {24: 15}, {12: 15}, (3, 1), "24/20"),
    (FEVGA, {24: 14, 18: 1}, {16: 1, 12: 14}, (6, 2), "Cannot Move"),
    (NARDE, {24: 15}, {12: 15}, (4, 4), "24/16(2)"),
    (GUL_BARA, {24: 1}, {9: 1}, (5, 5), "24/14"),
    (GUL_BARA, {24: 1, 23: 1}, {13: 1}, (5, 5), "24/3 23/off"),
    (GUL_BARA, {24: 1, 23: 1}, {13: 1}, (5, 5), "24/4 23/off"),
    (GUL_BARA, {24: 15}, {12: 15}, (1, 1), "24/14"),
]


@pytest.mark.parametrize(("rules", "mine", "theirs", "dice", "text"), GOLDEN_ROUND)
def test_plays_of_parallel_games(
    rules: Rules, mine: Checkers, theirs: Checkers, dice: tuple[int, int], text: str
) -> None:
    board = board_of(mine, theirs, rules)
    play = parse_play(text, board, dice, rules)
    assert str(play) == text
    assert (play.hits, play.pins) == ((), ())


def test_a_stop_that_one_checker_closes() -> None:
    board = board_of({14: 1, 1: 14}, {12: 1, 13: 14}, FEVGA)
    assert str(parse_play("14/8", board, (4, 2), FEVGA)) == "14/8"
    assert str(parse_play("14/10/8", board, (4, 2), FEVGA)) == "14/8"
    with pytest.raises(IllegalMoveError, match="cannot be played with 4-2"):
        parse_play("14/12/8", board, (4, 2), FEVGA)


def test_a_stop_that_is_a_pinned_checker_of_ones_own() -> None:
    board = board_of({20: 1, 15: -1, 3: 13}, {15: 1, 1: 14}, PLAKOTO)
    assert str(parse_play("20/14", board, (5, 1), PLAKOTO)) == "20/14"
    for text, why in [("20/15/14", "cannot be played"), ("15/14 20/15", "cannot be played")]:
        with pytest.raises(IllegalMoveError, match=why):
            parse_play(text, board, (5, 1), PLAKOTO)
    with pytest.raises(IllegalMoveError, match="is not legal"):
        parse_play(
            "15/14 3/off", board_of({15: -1, 3: 14}, {15: 1, 1: 14}, PLAKOTO), (3, 1), PLAKOTO
        )


def test_a_cascade_has_up_to_24_moves() -> None:
    board = board_of({24: 1, 20: 3, 14: 4}, {11: 15}, GUL_BARA)
    plays = legal_plays(board, (4, 4), GUL_BARA)
    longest = max(plays, key=lambda play: len(play.moves))
    assert len(longest.moves) == 12
    assert len(str(longest)) < 50
    with pytest.raises(NotationError, match="25 moves: expected at most 24"):
        parse_play("2/1(13) 3/2(12)", board, (4, 4), GUL_BARA)
    with pytest.raises(NotationError, match="a count of 25: expected 1 to 24"):
        parse_play("2/1(25)", board, (4, 4), GUL_BARA)
    with pytest.raises(ValueError, match="25 moves: expected at most 24"):
        format_play([(2, 1)] * 25, board, GUL_BARA)
    # What the dice cannot make is told at once, however many ways there are to try.
    with pytest.raises(IllegalMoveError, match="cannot be played with 4-4"):
        parse_play("24/1 20/1(3) 14/1(4)", board, (4, 4), GUL_BARA)


def test_boards_may_be_ids() -> None:
    start = "TFID1:k:1o22O1:0:0"
    assert parse_play("24/21 24/23", start, (3, 1)) == parse_play(
        "24/21 24/23", start_board(PLAKOTO), (3, 1), PLAKOTO
    )
    xgid = from_xgid("XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:3:0:10")
    assert parse_play("8/5 6/5", xgid, xgid.dice) == parse_play(  # type: ignore[arg-type]
        "8/5 6/5", start_board(xgid.rules), (3, 1)
    )
    assert format_play([(8, 5)], str(xgid)) == "8/5"
    with pytest.raises(NotationError, match="Position ID 'board'"):
        parse_play("8/5 6/5", "board", (3, 1))
