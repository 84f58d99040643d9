"""Records of the GammonX server: Portes and Plakoto read and analysed, others refused."""

from __future__ import annotations

import random

import pytest
from match_files import match_files

import tavli_fast as tf

FILES = {name: data.decode() for name, data in match_files("gammonx").items()}


def test_a_game_of_portes() -> None:
    match = tf.read_match(FILES["PortesGameHistory.txt"])
    session = match.session
    assert match.mended == ()
    assert (session.games[0].contact, session.score, match.players) == ("hit", (0, 1), ("A", "B"))
    rolls = FILES["PortesGameHistory.txt"].count(" Roll ")
    assert len(session.history[0].turns) == rolls
    assert tf.read_match(FILES["PortesGameHistory.txt"], strict=True).session.score == (0, 1)
    assert sum(each.plays for each in tf.analyse(match).totals) == rolls


def test_a_game_of_plakoto_ends_with_a_lost_mother() -> None:
    match = tf.read_match(FILES["PlakotoGameHistory.txt"])
    assert match.session.score == (2, 0)
    assert len(match.mended) == 1
    assert "the game is over" in match.mended[0].what
    last = match.session.history[0].turns[-1]
    assert tf.outcomes(tf.apply(last.board, last.moves, rules="plakoto"), "plakoto")[0][0]
    found = tf.analyse(match)
    assert found.totals[0].unforced > 25
    assert all(each.stage is None for each in found.decisions)
    assert any("^" in each.played.text for each in found.decisions)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (FILES["FevgaGameHistory.txt"], "Game Modus 'Fevga': expected one of portes, plakoto"),
        (FILES["TavliMatchHistory.txt"], "line 205: a match of several games"),
        (";[Game Modus 'Portes']\nWhite Jumps 3\n", "line 2, column 1, 'White Jumps 3': expected"),
        (";[Game Modus 'Portes']\nWhite Roll 3 1\nBlack Move 5/2\n", "line 3, column 1"),
    ],
)
def test_what_is_refused(text: str, message: str) -> None:
    with pytest.raises(tf.NotationError, match=message):
        tf.read_match(text, strict=True)


def test_mangled_records() -> None:
    rng, read = random.Random(8), 0
    for _ in range(40):
        lines = FILES["PortesGameHistory.txt"].split("\n")
        for _ in range(rng.randint(1, 4)):
            at = rng.randrange(len(lines))
            place = rng.randint(0, len(lines[at]))
            lines[at] = rng.choice([lines[at][:place], lines[at][place:], "", lines[at] + "9"])
        try:
            match = tf.read_match("\n".join(lines))
        except tf.NotationError:
            continue
        read += 1
        assert match.session.score >= (0, 0)
    assert read > 12
