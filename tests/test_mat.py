"""Match texts: what is written is read to the same match; foreign texts, broken ones."""

from __future__ import annotations

import random
from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tavli_fast as tf

HYPER = replace(tf.HYPERGAMMON, jacoby=False)
GAMES = {
    "hypergammon": HYPER,
    "with Jacoby": tf.HYPERGAMMON,
    "with beavers": replace(HYPER, beavers=True, cube_cap=16),
    "with beavers that stand": replace(HYPER, beavers=True, beaver_refusable=False, cube_cap=None),
    "without Crawford": replace(HYPER, crawford=False, opening="fresh_roll"),
    "winner starts": replace(HYPER, opening="fresh_roll", next_starter="winner"),
    "chinese opening": replace(HYPER, opening="contest_or_reroll"),
    "backgammon": tf.BACKGAMMON,
    "portes": tf.PORTES,
    "portes_cube": tf.PORTES_CUBE,
    "plakoto": tf.PLAKOTO,
    "fevga": tf.FEVGA,
    "gul_bara": tf.GUL_BARA,
}
FAST = [name for name, rules in GAMES.items() if rules.checkers == 3]


def random_match(name: str, seed: int, target: int | None, most: int = 2_000) -> tf.Session:
    """Play legal actions drawn at random, with some resignations; `most` may cut a game short."""
    rules, draw = GAMES[name], random.Random(seed)
    session = tf.Session(rules, target=target, seed=seed)
    for _ in range(most):
        if session.phase == "match_over" or (session.phase == "game_over" and target is None):
            break
        sizes = [1] if rules.jacoby else [1, 2, 3]
        if draw.random() < 0.004 and session.phase in ("roll", "double", "play", "beaver"):
            session.game.resign(draw.choice(sizes), draw.randrange(2))
            continue
        actions = session.legal_actions
        if "double" in actions and draw.random() < 0.8:
            actions = ["roll"]
        session.act(draw.choice(actions))
    return session


def told(session: tf.Session) -> list[object]:
    """Return what a match text tells of a session."""
    return [
        (
            [(turn.player, sorted(turn.dice), sorted(turn.moves)) for turn in record.turns],
            record.calls,
            record.winner,
            record.points,
            record.stake,
            record.crawford,
            record.unplayed and sorted(record.unplayed),
        )
        for record in session.history
    ]


def check_round_trip(session: tf.Session) -> str:
    text = tf.write_mat(session, ("Άννα: 3  b", "O 2"), {"Event": "Random [1]"})
    again = tf.read_mat(text)
    assert told(again.session) == told(session)
    assert (again.session.score, again.session.winner) == (session.score, session.winner)
    assert again.session.away == session.away
    assert again.players == ("Άννα: 3 b", "O 2")
    assert again.tags["Event"] == "Random (1)"
    assert tf.write_mat(again) == text
    assert tf.read_mat("\ufeff" + text.replace("\n", "\r\n")).session.to_dict() == (
        again.session.to_dict()
    )
    return text


@pytest.mark.parametrize("name", FAST)
def test_random_matches(name: str) -> None:
    said = set()
    for seed in range(12):
        session = random_match(name, seed, [None, 1, 3, 7][seed % 4])
        check_round_trip(session)
        said |= {call.action for record in session.history for call in record.calls}
    assert {"double", "take", "drop"} <= said
    assert ("beaver" in said) == GAMES[name].beavers


@pytest.mark.parametrize("name", sorted(GAMES.keys() - set(FAST)))
def test_random_matches_of_other_games(name: str) -> None:
    text = check_round_trip(random_match(name, 5, 2))
    variation = {"backgammon": "Backgammon", "portes_cube": "Backgammon"}.get(name, name)
    assert f'; [Variation "{variation}"]' in text


@pytest.mark.parametrize("most", range(1, 40, 3))
def test_matches_cut_short(most: int) -> None:
    session = random_match("with beavers", most, 5, most)
    again = tf.read_mat(tf.write_mat(session)).session
    assert told(again) == told(session)
    if session.phase in ("double", "beaver", "play", "over"):
        assert again.phase == session.phase


HAND_MADE = """; [Site "Kafeneio"]
; [Variation "Backgammon"]

 3 point match

 Game 1
 Anna : 0                            Bo : 0
  1)                                 43: 24/20 13/10
  2)  Doubles => 2                    Takes
  3) 31: 8/5* 6/5*                   62: Bar/23 10/4
  4) 66: 24/18(2) 13/7(2)            22: 6/4(2) 13/11(2)
  5) 11: 6/5 8/7(2) 6/5              65: ????
      Wins 2 points

 Game 2
 Anna : 2                            Bo : 0
  1) 31: 8/5 6/5                     61: 13/7 8/7
  2) 64: 24/14                       31: 6/3 24/23
  3) 42: Resigns                     """


def test_reads_a_hand_made_text() -> None:
    text = HAND_MADE.replace("42: Resigns                     ", "42: ???      Wins 1 point")
    match = tf.read_mat(text)
    first, second = match.session.history
    assert match.players == ("Anna", "Bo")
    assert match.tags["Site"] == "Kafeneio"
    assert (first.starter, first.contest, first.points, first.stake) == (1, ((3, 4),), 2, 2)
    assert first.unplayed == (6, 5)
    assert [call.action for call in first.calls] == ["double", "take", "resign"]
    assert (second.crawford, second.winner, second.points) == (True, 1, 1)
    assert match.session.score == (2, 1)
    assert tf.read_mat(tf.write_mat(match)).session.to_dict() == match.session.to_dict()


def test_what_is_written_looks_as_other_programs_write() -> None:
    text = HAND_MADE.replace("42: Resigns                     ", "42: ???      Wins 1 point")
    lines = tf.write_mat(tf.read_mat(text)).split("\n")
    begin = lines.index(" Game 1")
    assert lines[begin : begin + 8] == [
        " Game 1",
        " Anna : 0                          Bo : 0",
        "  1)                              43: 24/20 13/10",
        "  2)  Doubles => 2                 Takes",
        "  3) 31: 8/5* 6/5                 62: 25/23 10/4",
        "  4) 66: 24/18 24/18 13/7 13/7    22: 13/11 13/11 6/4 6/4",
        "  5) 11: 8/7 8/7 6/5 6/5          65: ???",
        "      Wins 2 points",
    ]


def test_a_drop_stands_as_other_readers_need_it() -> None:
    text = tf.write_mat(tf.read_mat(DROPS))
    assert "  3)  Drops                        Wins 1 point\n" in text
    assert "Drops\n      Wins 1 point and the match\n" in text


DROPS = """ 2 point match

 Game 1
 A : 0            B : 0
  1) 31: 8/5 6/5  42: 8/4 6/4
  2) 61: 13/7 8/7  Doubles => 2
  3)  Drops        Wins 1 point

 Game 2
 A : 0            B : 1
  1) 31: 8/5 6/5  42: 8/4 6/4
  2) 61: 13/7 8/7 64: 8/2 6/2
      Wins 1 point

 Game 3
 A : 1            B : 1
  1) 31: 8/5 6/5  42: 8/4 6/4
  2)  Doubles => 2 Drops
      Wins 1 point and the match
"""


def test_money_and_scores_to_begin_with() -> None:
    money = DROPS.replace(" 2 point match", " 0 point match").replace(" and the match", "")
    assert tf.read_mat(money).session.target is None
    assert tf.read_mat(DROPS.replace(" 2 point match", "Match of 2 points")).session.target == 2
    late = DROPS[DROPS.index(" Game 3") :].replace("Game 3", "Game 1")
    match = tf.read_mat('; [Player 1 "Ann"]\n 2 point match\n' + late)
    # Both were one short before, and somebody doubles: the Crawford game has been played.
    assert (match.session.score, match.session.winner) == ((2, 1), 0)
    assert match.players == ("Ann", "B")
    assert tf.read_mat(tf.write_mat(match)).session.to_dict() == match.session.to_dict()


def test_rules_from_tags_and_arguments() -> None:
    base = DROPS.replace(" 2 point", '; [CubeLimit "64"]\n; [Crawford "Off"]\n 2 point')
    rules = tf.read_mat(base).session.games[0]
    assert (rules.cube_cap, rules.crawford, rules.cube) == (64, False, True)
    portes = tf.read_mat(base, "portes").session.games[0]
    assert (portes.backgammon_points, portes.cube) == (2, True)
    hyper = HAND_MADE.replace("Backgammon", "HyperGammon (3)")
    with pytest.raises(tf.NotationError, match="line 8"):
        tf.read_mat(hyper)
    with pytest.raises(tf.NotationError, match=r"Variation 'HyperGammon \(2\)': expected one of"):
        tf.read_mat(HAND_MADE.replace("Backgammon", "HyperGammon (2)"))
    with pytest.raises(ValueError, match="rules"):
        tf.read_mat(base, "chess")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (" 2 point match", "two points", "line 1, column 1, 'two points': expected a length"),
        (" Game 1", "", "line 4, column 2, 'A : 0 B : 0': expected 'Game 1'"),
        (" Game 1", " Game 2", "line 3, column 2, 'Game 2': expected Game 1"),
        (" A : 0            B : 0\n", "", "line 4.*: expected a score"),
        ("B : 1\n", "B : 0\n", "line 10, .*expected 0 to 1, the score as played"),
        ("31: 8/5 6/5  42", "37: 8/5 6/5  42", "line 5.*: expected cells"),
        (
            "31: 8/5 6/5  42",
            "31: 8/5 6/4  42",
            "line 5, column 6, '31: 8/5 6/4': play '8/5 6/4' cannot be played",
        ),
        (
            "31: 8/5 6/5  42",
            "31: Cannot Move  42",
            "line 5, .*: play 'Cannot Move': 3-1 can be played",
        ),
        ("42: 8/4 6/4\n  2) 61", "42: 8/4 6/4  11: 8/7\n  2) 61", "line 5.*: expected two cells"),
        (
            "61: 13/7 8/7  Doubles => 2",
            "Takes            Doubles => 2",
            "line 6, column 6, 'Takes': cannot take",
        ),
        ("Doubles => 2\n  3)  Drops", "Doubles => 4\n  3)  Drops", "a stake of 4: expected 2"),
        (
            "Drops        Wins 1 point",
            "Drops        Wins 2 point",
            "line 7, .*: expected 1: as played, the right side wins 1",
        ),
        ("Drops        Wins 1 point\n", "Drops\n", None),
        ("6/2\n      Wins 1 point\n", "6/2\n", "line 14, .*: cannot begin the next game"),
        (
            "Drops\n      Wins 1 point",
            "Beavers => 4\n      Wins 3 points",
            "line 19, column 7, 'Wins 3': expected 4, 8 or 12 points",
        ),
        ("Doubles => 2 Drops", "Doubles => 2 Drops is wise", "expected nothing after 'Drops'"),
        ("Doubles => 2 Drops", "Illegal play (8/5)", "line 18.*: expected cells"),
        ("  2)  Doubles => 2 Drops", "  2) 11: 8/7", "line 18, .*: play '8/7'"),
        ("Wins 1 point and", "Wins 1 point or", "line 19.*: expected nothing after"),
        (
            "      Wins 1 point and the match",
            "      Wins 0 point",
            "line 19, .*the left side wins 1",
        ),
    ],
)
def test_refuses_broken_texts(old: str, new: str, message: str | None) -> None:
    assert old in DROPS
    text = DROPS.replace(old, new, 1)
    if message is None:
        assert tf.read_mat(text).session.score == (2, 1)
        return
    with pytest.raises(tf.NotationError, match=message):
        tf.read_mat(text)


@pytest.mark.parametrize(
    ("limit", "why"), [("many", "invalid literal|expected"), ("48", "cube_cap"), ("1" * 5000, ".")]
)
def test_refuses_bad_cube_limits(limit: str, why: str) -> None:
    with pytest.raises(tf.NotationError, match=why):
        tf.read_mat(f'; [CubeLimit "{limit}"]\n' + DROPS)


def mangled(text: str, rng: random.Random) -> str:
    """Return a text with one to four of its lines dropped, repeated, cut, turned or spoilt."""
    lines = text.split("\n")
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(lines))
        line = lines[at]
        place = rng.randint(0, len(line))
        what = rng.choice(["drop", "repeat", "cut", "turn", "character"])
        if what == "drop":
            del lines[at]
        elif what == "repeat":
            lines.insert(at, line)
        elif what == "cut":
            lines[at] = line[:place]
        elif what == "turn":
            lines[at] = line[place:] + line[:place]
        else:
            lines[at] = line[:place] + chr(rng.randrange(32, 1000)) + line[place + 1 :]
        lines = lines or [""]
    return "\n".join(lines)


def test_mangled_texts_are_refused_or_read_as_a_whole_match() -> None:
    rng, refused, read = random.Random(1), 0, 0
    for _ in range(400):
        try:
            match = tf.read_mat(mangled(HAND_MADE, rng))
        except ValueError as error:
            assert str(error)  # noqa: PT017
            refused += 1
            continue
        # What has been read is a match that can be written and read again.
        again = tf.read_mat(tf.write_mat(match))
        assert again.session.score == match.session.score
        assert len(again.session.history) == len(match.session.history)
        read += 1
    assert refused > 200
    assert read > 20


@given(text=st.text(st.sampled_from(' 0123456789:;)(/"[]ABGamepointchWsDul=>*-\n'), max_size=300))
def test_any_text_is_read_or_refused(text: str) -> None:
    with suppress(ValueError):
        tf.read_mat(" 3 point match\n Game 1\n A : 0   B : 0\n" + text)


def test_refuses_what_the_format_cannot_hold() -> None:
    with pytest.raises(ValueError, match="3 games in turn: expected a match of one game"):
        tf.write_mat(tf.Session(tf.TRIO, seed=1))
    house = replace(HYPER, auto_double_max=1)
    tied = iter([(3, 3), (5, 2), *[(4, 1)] * 9])
    session = tf.Session(house, throw=lambda: next(tied))
    with pytest.raises(ValueError, match="automatic double"):
        tf.write_mat(session)
    with pytest.raises(ValueError, match="players=7: expected two names"):
        tf.write_mat(tf.Session(HYPER, seed=1), 7)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="match='x': expected a Session or a MatMatch"):
        tf.write_mat("x")  # type: ignore[arg-type]
    with pytest.raises(tf.NotationError, match="expected a str"):
        tf.read_mat(7)  # type: ignore[arg-type]
    with pytest.raises(tf.NotationError, match="expected a length"):
        tf.read_mat("")
