"""Positions as other programs write them: two IDs, clipboards, FIBS lines, OGIDs, odd XGIDs."""

from __future__ import annotations

import random
import re

import numpy as np
import pytest
from cli_calls import shown
from match_files import match_files

import tavli_fast as tf

START = "XGID=-b----E-C---eE---c-e----B-"
FIBS = [
    line
    for line in match_files("ids")["fibs_board.txt"].decode().split("\n")
    if line.startswith("board:")
]


def contents(xgid: tf.XGID) -> tuple[object, ...]:
    """Return what all these texts hold; the order of dice is none of theirs."""
    return (
        xgid.board.tobytes(),
        sorted(xgid.dice or ()),
        xgid.cube,
        xgid.cube_owner,
        xgid.pending,
        xgid.scores,
        xgid.match_length,
        xgid.crawford,
    )


def random_xgids(count: int, seed: int, *, fair: bool = False) -> list[tf.XGID]:
    """Return positions with random cubes and scores; `fair`: only what can be in a match."""
    rng, found = random.Random(seed), []
    for board in tf.random_boards(count, "backgammon", seed=seed):
        length = rng.choice([0, 1, 3, 7, 25])
        scores = [rng.randrange(length or 10) for _ in range(2)]
        owner = rng.choice([-1, 0, 1])
        pending = "double" if owner >= 0 and rng.random() < 0.2 else None
        short = length and max(scores) == length - 1
        found.append(
            tf.XGID(
                board,
                (rng.randint(1, 6), rng.randint(1, 6))
                if rng.random() < 0.6 and not pending
                else None,
                cube=2 ** rng.randint(1, 4) if owner else 1,
                cube_owner=0 if pending and fair else owner,
                turn=rng.choice([1, -1]),
                pending=pending,
                scores=(scores[0], scores[1]),
                match_length=length,
                crawford=bool(short and rng.random() < 0.5),
                rules=tf.BACKGAMMON,
            )
        )
    return found


@pytest.mark.parametrize("name", match_files("bgblitz"))
def test_clipboards_of_bgblitz_hold_the_same_twice(name: str) -> None:
    text = match_files("bgblitz")[name].decode("utf-8", errors="replace")
    assert contents(tf.from_gnubg_id(text)) == contents(tf.from_xgid(text))


@pytest.mark.parametrize("name", match_files("xgtext"))
def test_clipboards_of_extreme_gammon(name: str) -> None:
    text = match_files("xgtext")[name].decode("utf-8", errors="replace")
    board, dice = tf.parse_position(text)
    first = next(line for line in text.split("\n") if "XGID" in line)
    assert np.array_equal(board, tf.from_xgid(first).board)
    assert dice == tf.from_xgid(first).dice
    # The picture in it, seen by the player on roll, says how many pips there are.
    pips = re.search(r"X: *([0-9]+) +O: *([0-9]+) X-O", text)
    assert pips is not None
    assert tf.pip_counts(board)[0].tolist() == [*map(int, pips.groups())]


def test_gnu_backgammons_ids() -> None:
    money = tf.from_gnubg_id("GNUBGID=4HPwATDgc/ABMA:cIkFAAAAAAAA")
    assert str(money) == f"{START}:0:0:1:31:0:0:1:0:15"
    match = tf.from_gnubg_id(
        "text\n GNU Backgammon  Position ID: 4HPwATDgc/ABMA\n  Match ID   : 8IhuACAACAAE\n"
    )
    assert (match.dice, match.match_length, match.crawford) == ((5, 3), 3, True)
    assert sorted(match.scores) == [1, 2]
    assert tf.gnubg_id(money) == "GNUBGID=4HPwATDgc/ABMA:cIkFAAAAAAAA"
    for xgid in random_xgids(150, 1):
        again = tf.from_gnubg_id(tf.gnubg_id(xgid), "backgammon")
        assert contents(again) == contents(xgid)
        assert again.turn == xgid.turn


@pytest.mark.parametrize("line", FIBS)
def test_lines_of_fibs(line: str) -> None:
    xgid = tf.from_fibs(line)
    assert contents(tf.from_fibs(tf.to_fibs(xgid))) == contents(xgid)
    board, dice = tf.parse_position(line)
    assert np.array_equal(board, xgid.board)
    assert dice == xgid.dice
    assert xgid.board.sum(axis=1).tolist() == [15, 15]


def test_fibs_by_hand_and_at_random() -> None:
    first = tf.from_fibs(FIBS[0])
    assert (first.dice, first.scores, first.match_length) == ((6, 2), (0, 1), 3)
    assert np.array_equal(first.board, tf.start())
    for xgid in random_xgids(150, 2, fair=True):
        crawford = xgid.match_length and xgid.match_length - 1 in xgid.scores
        if crawford and not xgid.crawford and max(xgid.scores) != xgid.match_length - 1:
            continue
        assert contents(tf.from_fibs(tf.to_fibs(xgid), "backgammon")) == contents(xgid)


def test_ogids() -> None:
    start = tf.from_ogid("11ccccchhhjjjjj:66666888dddddoo:N0N::W:IW:0:0:1:0")
    assert np.array_equal(start.board, tf.start())
    assert (start.turn, start.match_length) == (1, 1)
    for xgid in random_xgids(150, 3):
        again = tf.from_ogid(tf.to_ogid(xgid), "backgammon")
        assert contents(again) == contents(xgid)
        assert again.turn == xgid.turn
    hyper = tf.XGID(tf.start("hypergammon"), rules=tf.HYPERGAMMON)
    assert tf.to_ogid(hyper).endswith(":3")
    assert np.array_equal(
        tf.from_ogid(tf.to_ogid(hyper), "hypergammon").board, tf.start("hypergammon")
    )
    with pytest.raises(tf.NotationError, match="3 checkers a side: expected 15"):
        tf.from_ogid(tf.to_ogid(hyper))


def test_xgids_of_other_programs() -> None:
    assert tf.from_xgid(f"{START}:1:1:1:31:0:0:0:7:0").max_cube == 1024
    assert tf.from_xgid(f"{START}:0:0:0:31:0:0:0:7:0").turn == 1
    assert tf.from_xgid(f"{START}:0:0:1:31:0:0:0:7:0").max_cube == 1


@pytest.mark.parametrize(
    "text",
    [
        tf.gnubg_id(tf.from_xgid(f"{START}:1:1:1:31:2:4:0:7:10")),
        tf.to_fibs(tf.from_xgid(f"{START}:1:1:1:31:2:4:0:7:10")),
        tf.to_ogid(tf.from_xgid(f"{START}:1:1:1:31:2:4:0:7:10")),
    ],
)
def test_they_are_read_wherever_an_id_is(text: str) -> None:
    assert tf.view(text).cube == 2
    assert "8/5 6/5" in tf.legal_plays(text, (3, 1))
    assert "X's cube at 2; X needs 5, O 3" in shown("hint", text, "--no-board")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: tf.from_gnubg_id("4HPwATDgc/ABMA"), "expected GNUBGID="),
        (lambda: tf.from_gnubg_id("GNUBGID=4HPwATDgc/ABMA:cIkF"), "4 characters: expected 12"),
        (lambda: tf.from_gnubg_id("GNUBGID=4HPwATDgc/ABMA:cAkYAAAAAAAA"), "Match ID"),
        (lambda: tf.from_fibs("board:a:b:3"), "has 3 values: expected board: and 52"),
        (lambda: tf.from_fibs(FIBS[0].replace(":-2:", ":x:", 1)), "expected a whole number"),
        (lambda: tf.from_fibs(FIBS[0].replace(":-2:", ":99:", 1)), "has 115 checkers|checkers"),
        (lambda: tf.from_fibs(7), "expected a str"),  # type: ignore[arg-type]
        (lambda: tf.from_ogid("11:66"), "expected <white>:<black>"),
        (lambda: tf.from_ogid("1:1:N0N::W:IW:0:0:1:0"), "both sides hold"),
        (lambda: tf.from_ogid(7), "expected <white>"),  # type: ignore[arg-type]
        (lambda: tf.from_fibs(FIBS[0], "plakoto"), "it cannot hold pinned checkers"),
        (lambda: tf.from_ogid("1:2:N0N::W:IW:0:0:1:0", "fevga"), "it cannot hold a game in which"),
    ],
)
def test_what_is_refused(call, message: str) -> None:
    with pytest.raises(tf.NotationError, match=message):
        call()


def test_mangled_texts_are_refused_or_read() -> None:
    rng = random.Random(6)
    texts = [*FIBS, tf.gnubg_id(tf.from_xgid(f"{START}:1:1:1:31:2:4:0:7:10"))]
    texts += [tf.to_ogid(each) for each in random_xgids(5, 4)]
    texts += [each.decode("utf-8", errors="replace") for each in match_files("bgblitz").values()]
    read = 0
    for _ in range(600):
        text = rng.choice(texts)
        for _ in range(rng.randint(1, 3)):
            at = rng.randrange(len(text))
            put = rng.choice(["", ":", "9", "-", "a", "é", text[at] * 2])
            text = text[:at] + put + text[at + 1 :]
        try:
            board, _ = tf.parse_position(text)
        except tf.NotationError:
            continue
        tf.validate(board)
        read += 1
    assert read > 60
