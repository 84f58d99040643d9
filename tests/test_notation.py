"""Play text: how plays are written, what is read, and what is refused and why."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from boards import board_of, boards, made_boards, rolls, start_board
from hypothesis import given
from hypothesis import strategies as st

from tavli_fast.boards.positions import random_boards
from tavli_fast.errors import BoardError, IllegalMoveError, NotationError
from tavli_fast.notation.legal import legal_plays
from tavli_fast.notation.play import Play, format_play, parse_play
from tavli_fast.rules.presets import HYPERGAMMON, PORTES, RULES, TAVLA, Rules

START = start_board(PORTES)

# The texts below are written as GNU Backgammon 1.07 writes them.
GOLDEN = [
    (START, [(24, 18), (18, 13)], "24/13"),
    (START, [(13, 11), (24, 18)], "24/18 13/11"),
    (START, [(6, 5), (8, 5)], "8/5 6/5"),
    (START, [(13, 8), (13, 10)], "13/10 13/8"),
    (START, [(6, 4), (6, 4), (24, 22), (24, 22)], "24/22(2) 6/4(2)"),
    (START, [(24, 23), (24, 23), (23, 22), (22, 21)], "24/21 24/23"),
    (START, [(24, 20), (20, 16), (24, 20), (20, 16)], "24/16(2)"),
    (START, [(24, 20), (20, 16), (16, 12), (12, 8)], "24/8"),
    (START, [], "Cannot Move"),
    (START, [[-1, -1]] * 4, "Cannot Move"),
    (START, [[24, 18], [13, 11], [-1, -1], [-1, -1]], "24/18 13/11"),
    (board_of({8: 2}, {5: 1}), [(8, 5), (5, 3)], "8/5*/3"),
    (board_of({8: 2}, {3: 1}), [(8, 5), (5, 3)], "8/3*"),
    (board_of({8: 2}, {5: 1, 3: 1}), [(8, 5), (5, 3)], "8/5*/3*"),
    (board_of({8: 2}, {5: 2}), [(8, 6), (6, 3)], "8/3"),
    (board_of({25: 1, 6: 2}, {20: 1}), [(25, 20), (20, 15)], "bar/20*/15"),
    (board_of({25: 1, 6: 2}, {20: 1}), [(25, 20), (6, 1)], "bar/20* 6/1"),
    (board_of({25: 2, 6: 2}), [(25, 22), (25, 22), (6, 3)], "bar/22(2) 6/3"),
    (board_of({6: 2}, {4: 1}), [(6, 4), (6, 4)], "6/4*(2)"),
    (board_of({6: 2}, {5: 1}), [(6, 5), (5, 4), (6, 5), (5, 4)], "6/5*/4(2)"),
    (board_of({8: 1, 6: 1}, {5: 1}), [(8, 5), (6, 5)], "8/5* 6/5"),
    (board_of({6: 1, 5: 1}, {4: 1}), [(5, 4), (6, 5), (5, 4)], "6/4* 5/4"),
    (board_of({6: 3}), [(6, 0), (6, 0)], "6/off(2)"),
    (board_of({7: 1, 6: 1}), [(7, 2), (6, 0)], "7/2 6/off"),
    (board_of({6: 1}), [(6, 4), (4, 0)], "6/off"),
    (board_of({25: 1, 2: 1}), [(25, 22), (2, 0)], "bar/22 2/off"),
]


@pytest.mark.parametrize(("board", "moves", "text"), GOLDEN)
def test_format_play(board: np.ndarray, moves: Any, text: str) -> None:
    assert format_play(moves, board) == text
    assert format_play(np.array(moves, dtype=np.int8), board) == text
    assert format_play(moves[::-1], board) == text


@pytest.mark.parametrize(
    "moves",
    [
        [(24, 24)],
        [(5, 8)],
        [(0, -1)],
        [(26, 24)],
        [(25, 25)],
        [24, 18],
        [(24, 18, 13)],
        [(24.0, 18.0)],
        "24/18",
        [(24, 23)] * 5,
    ],
)
def test_format_play_refuses(moves: Any) -> None:
    with pytest.raises(ValueError, match="moves"):
        format_play(moves, START)


def test_format_play_checks_the_board() -> None:
    with pytest.raises(BoardError):
        format_play([(24, 18)], START, "hypergammon")
    with pytest.raises(ValueError, match="rules"):
        format_play([(24, 18)], START, "chess")


# --- reading --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("dice", "text", "expected"),
    [
        ((3, 1), "8/5 6/5", "8/5 6/5"),
        ((3, 1), "6/5 8/5", "8/5 6/5"),
        ((1, 3), "8/5 6/5", "8/5 6/5"),
        ((3, 1), "31: 8/5 6/5", "8/5 6/5"),
        ((3, 1), "13: 8/5 6/5", "8/5 6/5"),
        ((3, 1), " 3-1:8/5, 6/5 ", "8/5 6/5"),
        ((3, 1), "8-5 6-5", "8/5 6/5"),
        ((3, 1), "8 / 5  6 - 5", "8/5 6/5"),
        ((3, 1), "8/5,6/5", "8/5 6/5"),
        ((3, 1), "8 5 6 5", "8/5 6/5"),
        ((3, 1), "8 5, 6 5", "8/5 6/5"),
        ((3, 1), "8/5* 6/5^", "8/5 6/5"),
        ((3, 1), "08/05 6/5", "8/5 6/5"),
        ((3, 1), "24/20", "24/20"),
        ((3, 1), "24/23/20", "24/20"),
        ((3, 1), "24/21/20", "24/20"),
        ((3, 1), "24/23 23/20", "24/20"),
        ((3, 1), "23/20 24/23", "24/20"),
        ((3, 1), "24 23 23 20", "24/20"),
        ((5, 3), "13/5", "13/5"),
        ((6, 5), "24/13", "24/13"),
        ((4, 4), "24/16", None),
        ((4, 4), "24/16(2)", "24/16(2)"),
        ((4, 4), "24/16 24/16", "24/16(2)"),
        ((4, 4), "24/20(2) 13/9(2)", "24/20(2) 13/9(2)"),
        ((4, 4), "24-20 (2), 13-9 (2)", "24/20(2) 13/9(2)"),
        ((4, 4), "24/20/16(2)", "24/16(2)"),
        ((3, 3), "24/12", None),
        ((2, 2), "24/16", "24/16"),
        ((2, 2), "24/20/16", "24/16"),
        ((1, 1), "8/7(2) 6/5(2)", "8/7(2) 6/5(2)"),
    ],
)
def test_parse_play_at_the_start(dice: tuple[int, int], text: str, expected: str | None) -> None:
    if expected is None:  # not all the moves that there are, or through a closed point
        with pytest.raises(IllegalMoveError, match=r"is not legal|cannot be played"):
            parse_play(text, START, dice)
    else:
        assert str(parse_play(text, START, dice)) == expected


@pytest.mark.parametrize("text", ["bar/20*/15", "BAR/20*/15", "Bar/20 20/15", "25/20/15", "25 15"])
def test_parse_play_from_the_bar(text: str) -> None:
    play = parse_play(text, board_of({25: 1}, {20: 1, 10: 2}), (5, 5))
    assert str(play) == "bar/20*/15"
    assert play.moves == ((25, 20), (20, 15))


@pytest.mark.parametrize("text", ["2/off(2)", "2/OFF(2)", "2/0 2/0", "2-off, 2-off", "2 off 2 0"])
def test_parse_play_bearing_off(text: str) -> None:
    play = parse_play(text, board_of({2: 3}, {20: 1}), (6, 2))
    assert str(play) == "2/off(2)"
    assert play.board[0, 0] == 14


def test_a_move_stands_for_a_longer_one_that_comes_to_the_same() -> None:
    # With 3-1 the last checker must take both dice; written, that is 3/off.
    play = parse_play("3/off", board_of({3: 1}, {24: 2}), (3, 1))
    assert play.moves == ((3, 2), (2, 0))


# --- stops left out -------------------------------------------------------------------------------


def test_a_stop_left_out_is_no_hit_if_it_need_not_be() -> None:
    board = board_of({13: 2, 1: 2}, {8: 1, 24: 2})
    assert str(parse_play("13/5", board, (5, 3))) == "13/5"
    assert parse_play("13/5", board, (5, 3)).hits == ()
    assert str(parse_play("13/8/5", board, (5, 3))) == "13/8*/5"
    assert parse_play("13/8 8/5", board, (5, 3)).hits == (8,)


def test_a_stop_left_out_is_a_hit_if_there_is_no_other_way() -> None:
    board = board_of({13: 2, 1: 2}, {8: 1, 10: 2, 24: 2})
    assert str(parse_play("13/5", board, (5, 3))) == "13/8*/5"
    board = board_of({24: 1}, {20: 1, 1: 2})
    assert str(parse_play("24/8", board, (4, 4))) == "24/20*/8"


def test_a_text_with_two_meanings_is_refused() -> None:
    board = board_of({13: 2, 1: 2}, {8: 1, 10: 1, 24: 2})
    with pytest.raises(NotationError, match="ambiguous") as refused:
        parse_play("13/5", board, (5, 3))
    assert "'13/8*/5'" in str(refused.value)
    assert "'13/10*/5'" in str(refused.value)
    assert "13/5" not in legal_plays(board, (5, 3))
    assert parse_play("13/10/5", board, (5, 3)).hits == (10,)


def test_a_stop_that_is_named_must_be_open() -> None:
    board = board_of({13: 2, 1: 2}, {8: 2, 24: 2})
    assert str(parse_play("13/5", board, (5, 3))) == "13/5"
    assert str(parse_play("13/10/5", board, (5, 3))) == "13/5"
    with pytest.raises(IllegalMoveError, match="cannot be played with 5-3"):
        parse_play("13/8/5", board, (5, 3))


def test_rules_decide_what_a_text_can_mean() -> None:
    # Tavla: a checker that hits at home stays; the other way round there is nothing to hit.
    board = board_of({6: 2, 1: 2}, {4: 1, 24: 2})
    assert parse_play("6/4*/3", board, (2, 1)).hits == (4,)
    assert str(parse_play("6/3", board, (2, 1), TAVLA)) == "6/3"
    with pytest.raises(IllegalMoveError, match="not legal"):
        parse_play("6/4*/3", board, (2, 1), "tavla")


# --- no play --------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["", "  ", "Cannot Move", "cannot  move", "PASS", "dance", "31:"])
def test_no_legal_play(text: str) -> None:
    board = board_of({25: 1, 6: 14}, {24: 2, 22: 2})
    play = parse_play(text, board, (3, 1))
    assert play.moves == ()
    assert play.hits == ()
    np.testing.assert_array_equal(play.board, board)
    assert not play.board.flags.writeable
    assert (str(play), repr(play)) == ("Cannot Move", "<Play Cannot Move>")


def test_a_play_where_there_is_none() -> None:
    board = board_of({25: 1, 6: 14}, {24: 2, 22: 2})
    with pytest.raises(IllegalMoveError, match="no legal play of 3-1"):
        parse_play("bar/22", board, (3, 1))
    with pytest.raises(IllegalMoveError, match="no legal play"):
        parse_play("6/5", board_of({}, {6: 3}), (3, 1))


@pytest.mark.parametrize("text", ["", "Cannot Move", "pass"])
def test_a_play_must_be_made(text: str) -> None:
    with pytest.raises(IllegalMoveError, match="3-1 can be played, for example '"):
        parse_play(text, START, (3, 1))


# --- what is refused ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("foo", "'foo' is no move"),
        ("24/18 foo", "'foo' is no move"),
        ("24/18/", "'24/18/' is no move"),
        ("/18", "'/18' is no move"),
        ("24//18", "'24//18' is no move"),
        ("24/18 13", "'13' is no move"),
        ("24", "pairs of points"),
        ("24 18 13", "pairs of points"),
        ("24/18(", r"'24/18\(' is no move"),
        ("24/18(x)", "is no move"),
        ("24/18(22)", "a count of 22: expected 1 to 4"),
        ("24/18(222)", "is no move"),
        ("24/18(0)", "a count of 0: expected 1 to 4"),
        ("24/18(5)", "a count of 5: expected 1 to 4"),
        ("24/18(2)(2)", "is no move"),
        ("+24/18", "is no move"),
        ("26/20", "no point 26"),
        ("99/20", "no point 99"),
        ("124/18", "no point 124"),
        ("1" * 5000 + "/2", "no point 1"),
        ("off/3", "a checker that is off does not move"),
        ("0/3", "a checker that is off does not move"),
        ("6/off/3", "a checker that is off does not move"),
        ("8/bar", "no checker moves to the bar"),
        ("25/25", "no checker moves to the bar"),
        ("5/8", "checkers move to lower points"),
        ("8/5/7", "checkers move to lower points"),
        ("8/8", "checkers move to lower points"),
        ("5 8", "checkers move to lower points"),
        ("24/23/22/21/20/19", "5 moves: expected at most 4"),
        ("6/5(3) 8/7(2)", "5 moves: expected at most 4"),
        ("52: 8/5 6/5", "names another roll: expected 31:"),
        ("33: 8/5 6/5", "names another roll: expected 31:"),
        ("31: 31: 8/5", "is no move"),
        ("24\u201318", "is no move"),  # an en dash
        ("\u0668/\u0665", "is no move"),  # 8/5 in other digits
    ],
)
def test_unreadable_text_is_refused(text: str, why: str) -> None:
    with pytest.raises(NotationError, match=why) as refused:
        parse_play(text, START, (3, 1))
    assert repr(text)[:50] in str(refused.value)  # a long text is cut


@pytest.mark.parametrize("text", [None, 3, b"8/5 6/5", [(8, 5), (6, 5)]])
def test_what_is_no_text_is_refused(text: Any) -> None:
    with pytest.raises(NotationError, match="expected a str"):
        parse_play(text, START, (3, 1))


@pytest.mark.parametrize(
    ("text", "near"),
    [
        ("8/5 6/4", "'8/5 6/5'"),
        ("8/5", "'8/5 6/5'"),
        ("24/16", "'24/20'"),
        ("24/18 13/11", "'24/21"),
        ("8/5 6/5 13/12", "'8/5 6/5'"),
        ("8/5(2)", "'8/5 6/5'"),
        ("bar/24 8/5", "'24/23 8/5'"),
        ("8/5 6/off", "'8/5 6/5'"),
        ("7/6 8/5", "'8/5 6/5'"),
    ],
)
def test_illegal_text_is_refused_and_the_closest_plays_are_named(text: str, near: str) -> None:
    with pytest.raises(IllegalMoveError, match="closest legal plays") as refused:
        parse_play(text, START, (3, 1))
    message = str(refused.value)
    assert repr(text) in message
    assert near in message
    assert "3-1" in message


def test_parse_play_checks_its_arguments() -> None:
    with pytest.raises(BoardError):
        parse_play("8/5 6/5", START, (3, 1), HYPERGAMMON)
    with pytest.raises(ValueError, match="shape"):
        parse_play("8/5 6/5", START[0], (3, 1))
    bad: list[Any] = [(0, 1), (3, 7), 3, (3, 1, 1), None]
    for dice in bad:
        with pytest.raises(ValueError, match="dice"):
            parse_play("8/5 6/5", START, dice)
    with pytest.raises(ValueError, match="rules"):
        parse_play("8/5 6/5", START, (3, 1), "chess")


# --- every legal play -----------------------------------------------------------------------------


def spellings(play: Play, dice: tuple[int, int]) -> list[str]:
    """Ways in which people and programs write a play."""
    text = str(play)
    plain = " ".join(f"{source}/{target}" for source, target in play.moves)
    words = " ".join(f"{source} {target}" for source, target in play.moves)
    return [
        text,
        text.upper(),
        text.replace("/", "-"),
        text.replace(" ", ", "),
        text.replace("*", "").replace("^", ""),
        f"{dice[0]}{dice[1]}: {text}",
        f"{dice[1]}{dice[0]}:{text}",
        plain,
        plain.replace("25", "bar").replace("/0", "/Off"),
        words,
        words.replace("25", "bar"),
        " ".join(reversed(plain.split(" "))),
    ]


def check_all_texts(
    board: np.ndarray, dice: tuple[int, int], most: int, rules: Rules = PORTES
) -> int:
    """Check that texts of a board's plays are distinct and read back; return how many plays."""
    plays = legal_plays(board, dice, rules)
    texts = [str(play) for play in plays]
    assert len(set(texts)) == len(texts)
    chosen = plays[:: max(1, len(plays) // most)]
    for play in chosen:
        assert format_play(play.moves, board, rules) == str(play)
        for text in spellings(play, dice):
            assert plays[text] == play, (text, play)
    return len(chosen)


@given(boards(), rolls())
def test_every_legal_play_is_read_back(board: np.ndarray, dice: tuple[int, int]) -> None:
    check_all_texts(board, dice, most=20)


@pytest.mark.parametrize("doubles", [False, True])
def test_plays_of_made_boards_are_read_back(doubles: bool) -> None:
    rng = np.random.default_rng(11)
    seen = 0
    for board in made_boards(rng, 200, PORTES):
        first, second = (int(die) for die in rng.choice(np.arange(1, 7), 2, replace=False))
        seen += check_all_texts(board, (first, first if doubles else second), most=20)
    assert seen > 1000


@pytest.mark.parametrize("name", RULES)
def test_plays_of_every_game_are_read_back(name: str) -> None:
    rules = RULES[name]
    # Doubles of a cascade have up to millions of plays; the high ones have few.
    least = 4 if rules.cascade else 1
    rng = np.random.default_rng(13)
    seen = 0
    for board in random_boards(40, rules, seed=13):
        first, second = (int(die) for die in rng.integers(least, 7, 2))
        seen += check_all_texts(board, (first, second), 10, rules)
        seen += check_all_texts(board, (first, first), 10, rules)
    assert seen > 200


@given(boards(), rolls(), st.data())
def test_a_text_with_all_stops_left_out_is_read_or_refused(
    board: np.ndarray, dice: tuple[int, int], data: st.DataObject
) -> None:
    plays = legal_plays(board, dice)
    if not plays:
        return
    play = data.draw(st.sampled_from(list(plays)))
    short = " ".join(
        f"{word.split('/')[0]}/{word.split('/')[-1]}" for word in str(play).replace("*", "").split()
    )
    try:
        found = parse_play(short, board, dice)
    except NotationError:
        # Only where it could be another play too.
        rivals = [other for other in plays if (other.board[0] == play.board[0]).all()]
        assert len(rivals) > 1
    else:
        # Where another play is meant, it goes the same way with fewer hits left unsaid.
        assert found == play or len(found.hits) < len(play.hits)
        np.testing.assert_array_equal(found.board[0], play.board[0])


@given(st.text("0123456789/*-(),: barof^", max_size=24))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        play = parse_play(text, START, (3, 1))
    except (NotationError, IllegalMoveError):
        return
    assert play in legal_plays(START, (3, 1))
