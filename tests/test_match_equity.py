"""Match equity tables: the computed one, and reading and writing a user's own."""

from __future__ import annotations

import random
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tavli_fast as tf

TABLE = tf.MatchEquityTable.compute(25)
PUBLISHED = tf.MatchEquityTable.load(Path(__file__).parent / "data" / "kazaross_xg2.csv")
# Woolsey's table in whole percent, rows 2 to 7 against columns 2 to 7 (Kit Woolsey 1993,
# bkgm.com/articles/Woolsey/TheMatchEquityTable).
WOOLSEY = np.array(
    [
        [50, 60, 68, 75, 81, 85],
        [40, 50, 59, 66, 71, 76],
        [32, 41, 50, 58, 64, 70],
        [25, 34, 42, 50, 57, 63],
        [19, 29, 36, 43, 50, 56],
        [15, 24, 30, 37, 44, 50],
    ]
)


def test_is_symmetric() -> None:
    assert abs(TABLE.pre + TABLE.pre.T - 1).max() < 1e-15
    assert abs(TABLE.turned().pre - TABLE.pre).max() < 1e-15
    assert np.array_equal(TABLE.turned().post, TABLE.post)
    again = tf.MatchEquityTable.compute(25)
    assert (again, hash(again)) == (TABLE, hash(TABLE))


def test_is_monotone() -> None:
    assert (np.diff(TABLE.pre, axis=1) > 0).all()  # the more the opponent needs, the better
    assert (np.diff(TABLE.pre, axis=0) < 0).all()
    assert (np.diff(TABLE.post, axis=1) < 0).all()
    # Without the right to double the side that trails is worse off than after the Crawford game.
    assert (TABLE.pre[2:, 0] < TABLE.post[0, 2:]).all()


@settings(max_examples=30)
@given(
    gammons=st.floats(0, 0.6),
    backgammons=st.floats(0, 1),
    efficiency=st.floats(0, 1),
    swing=st.floats(0, 0.1),
)
def test_any_parameters_give_a_table(
    gammons: float, backgammons: float, efficiency: float, swing: float
) -> None:
    table = tf.MatchEquityTable.compute(
        9,
        gammon_rate=gammons,
        backgammon_rate=backgammons * gammons,
        efficiency=efficiency,
        swing=swing,
    )
    assert np.allclose(table.pre + table.pre.T, 1, atol=1e-15)
    if efficiency >= 0.4 and gammons <= 0.5:  # a cube that is hardly used helps who leads
        assert (np.diff(table.pre, axis=1) >= -1e-12).all()
    assert (np.diff(table.post, axis=1) <= 1e-12).all()


def test_is_close_to_published_tables() -> None:
    difference = abs(TABLE.pre[:15, :15] - PUBLISHED.pre)
    assert difference.max() < 0.0095  # 2-away, 4-away
    assert difference.mean() < 0.0014
    assert abs(TABLE.post[0, :15] - PUBLISHED.post[0]).max() < 0.0053
    assert abs(TABLE.pre[1:7, 1:7] - WOOLSEY / 100).max() < 0.013


def test_what_follows_from_the_rules_alone() -> None:
    assert TABLE.pre[0, 0] == 0.5
    assert (np.diag(TABLE.pre) == 0.5).all()
    # The Crawford game at 1-away, 2-away: half the games won, a gammon wins the match at once.
    assert TABLE.chance(2, 1) == pytest.approx(0.5 * (0.27 + 0.73 * 0.5))
    # Without gammons and with an endless run of small steps a match is a walk.
    walk = tf.MatchEquityTable.compute(4, gammon_rate=0, backgammon_rate=0, swing=0)
    assert walk.chance(2, 1, post_crawford=True) == 0.5
    assert walk.chance(3, 1, post_crawford=True) == 0.25
    assert walk.chance(3, 1) == 0.25
    assert walk.chance(2, 1) == 0.25


def test_gammons_help_the_side_that_trails() -> None:
    few, many = (tf.MatchEquityTable.compute(9, gammon_rate=rate) for rate in (0.1, 0.4))
    assert (many.post[0, 2:] > few.post[0, 2:]).all()
    assert many.chance(7, 2) > few.chance(7, 2)


def test_after_a_game() -> None:
    after = TABLE.after(3, 4, [-4, -2, -1, 0, 1, 2, 3, 8])
    expected: list[Any] = [0, TABLE.chance(3, 2), TABLE.chance(3, 3), TABLE.chance(3, 4)]
    expected += [TABLE.chance(2, 4), TABLE.chance(1, 4), 1, 1]
    assert after.tolist() == [float(chance) for chance in expected]
    # 1-away, 4-away is the Crawford game at first, and not any more after it.
    assert TABLE.after(1, 5, -1) == 1 - TABLE.post[1, 3]
    assert TABLE.after(2, 5, 1) == TABLE.pre[0, 4]
    assert TABLE.after(3, 1, 1, post_crawford=True) == TABLE.post[0, 1]
    assert TABLE.after(1, 1, -1) == 0


def test_chances_of_arrays() -> None:
    mine, theirs = np.meshgrid(np.arange(0, 4), np.arange(1, 5), indexing="ij")
    chances = TABLE.chance(mine, theirs)
    assert chances.shape == (4, 4)
    assert (chances[0] == 1).all()
    assert np.array_equal(chances[1:], TABLE.pre[:3, :4])
    assert TABLE.chance(5, -2) == 0


def test_texts_hold_every_number_exactly(tmp_path: Path) -> None:
    uneven = tf.MatchEquityTable(
        np.clip(TABLE.pre[:5, :5] + 0.01, 0, 1),
        [TABLE.post[0, :5], TABLE.post[1, :5] * 0.9],
        "A & <b>",
    )
    for table in (TABLE, uneven, tf.MatchEquityTable([[0.5]], [0.5], "one, two", 'a "table"')):
        for text, read in (
            (table.to_csv(), tf.MatchEquityTable.from_csv),
            (table.to_xml(), tf.MatchEquityTable.from_xml),
        ):
            again = read(text)
            assert again == table
            assert (again.name, again.description) == (table.name, table.description)
        for name in ("table.csv", "table.XML"):
            table.save(tmp_path / name)
            assert tf.MatchEquityTable.load(tmp_path / name) == table
    assert uneven != TABLE
    assert uneven.turned().turned().post.tolist() == uneven.post.tolist()
    assert uneven.chance(2, 1, post_crawford=True) != 1 - uneven.chance(1, 2, post_crawford=True)


GNUBG = """<?xml version = "1.0"?>
<!DOCTYPE met PUBLIC "-//GNU Backgammon//DTD Match Equity Tables//EN" "met.dtd">
<!-- a comment -->
<met>
  <info><name>Three  points</name><description>by
    hand</description><length>3</length></info>
  <pre-crawford-table type="explicit">
    <row> <me>0.5</me> <me>0.7</me> <me>0.75</me> </row>
    <row> <me> 0.3 </me> <me>0.5</me> <me>0.6</me> </row>
    <row> <me>0.25</me> <me>0.4</me> <me>0.5</me> </row>
  </pre-crawford-table>
  <post-crawford-table type="explicit" player="both">
    <row> <me>0.5</me> <me>0.48</me> <me>0.32</me> </row>
  </post-crawford-table>
</met>
"""


def test_reads_the_layout_of_gnu_backgammon() -> None:
    table = tf.MatchEquityTable.from_xml(GNUBG)
    assert (table.name, table.description, table.length) == ("Three points", "by hand", 3)
    assert table.chance(1, 3) == 0.75
    assert table.chance(2, 1, post_crawford=True) == 0.48
    short = tf.MatchEquityTable.from_xml(GNUBG.replace("<me>0.32</me>", ""))
    assert short.length == 2
    assert short.chance(1, 2) == 0.7
    second = '</post-crawford-table><post-crawford-table type="explicit" player="0"><row><me>0.4'
    second += "</me><me>0.3</me><me>0.2</me></row></post-crawford-table></met>"
    one = GNUBG.replace('"both"', '"1"').replace("</post-crawford-table>\n</met>", second)
    both = tf.MatchEquityTable.from_xml(one)
    assert both.post.tolist() == [[0.4, 0.3, 0.2], [0.5, 0.48, 0.32]]


BOMB = '<!DOCTYPE met [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]><met>&b;</met>'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no XML"),
        ("<met>", "no XML"),
        ("<table/>", "<table>: expected <met>"),
        (BOMB, "entity declarations are not read"),
        ("<met/>", "expected one for both"),
        (GNUBG.replace('"both"', '"0"'), "expected one for both"),
        (GNUBG.replace('"explicit">', '"zadeh">'), "type 'zadeh': expected 'explicit'"),
        (GNUBG.replace("<me>0.6</me>", ""), r"row 2 has 2: expected 3"),
        (GNUBG.replace("0.6", "much"), r"row 2: 'much' is no number"),
        (GNUBG.replace("0.6", "1.6"), r"pre holds 1.6: expected chances, 0 to 1"),
        (GNUBG.replace("0.6", "nan"), r"pre holds nan: expected chances"),
    ],
)
def test_refuses_bad_xml(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        tf.MatchEquityTable.from_xml(text)


CSV = "name,T\naway,1,2\n1,0.5,0.7\n2,0.3,0.5\npost,0.5,0.48\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no row 'post'"),
        ("name,T\n2,0.5,0.7\n", "line 2 begins with '2': expected the row 1, or 'post'"),
        (CSV.replace("post,0.5,0.48\n", ""), "no row 'post'"),
        (CSV + "post,0.5,0.48\n", "line 6 begins with 'post': expected the row 3, or 'post-opp"),
        (CSV + "3,0.5,0.4,0.3\n", "begins with '3'"),
        (CSV.replace("0.7", "seven"), "line 3: 'seven' is no number"),
        (CSV.replace("0.7", "-0.7"), "pre holds -0.7"),
        (CSV.replace(",0.48", ""), "row 3 has 1: expected 2"),
        (CSV.replace("1,0.5,0.7", "1,0.5"), "row 1 has 1: expected 2"),
        ('"', "no CSV"),
        ("nothing", "begins with 'nothing'"),
    ],
)
def test_refuses_bad_csv(text: str, message: str) -> None:
    assert tf.MatchEquityTable.from_csv(CSV).length == 2
    with pytest.raises(ValueError, match=message):
        tf.MatchEquityTable.from_csv(text)


@given(text=st.text(st.sampled_from('namepost12,.05\n"<>/&'), max_size=60))
def test_no_text_does_worse_than_a_value_error(text: str) -> None:
    for read in (tf.MatchEquityTable.from_csv, tf.MatchEquityTable.from_xml):
        with suppress(ValueError):
            read(text)


def test_spoilt_tables_are_refused_or_hold_chances() -> None:
    rng = random.Random(1)
    for good, read in ((CSV, tf.MatchEquityTable.from_csv), (GNUBG, tf.MatchEquityTable.from_xml)):
        refused = 0
        for _ in range(300):
            place = rng.randrange(len(good))
            text = good[:place] + rng.choice(["", "x", "-", "9", ",", "<", "\n"])
            text += good[place + rng.randint(0, 3) :]
            try:
                table = read(text)
            except ValueError as error:
                assert str(error)  # noqa: PT017
                refused += 1
                continue
            assert 1 <= table.length <= 100
            assert ((table.pre >= 0) & (table.pre <= 1)).all()
            assert ((table.post >= 0) & (table.post <= 1)).all()
        assert refused > 100


def test_refuses_bad_arguments(tmp_path: Path) -> None:
    compute = tf.MatchEquityTable.compute
    with pytest.raises(ValueError, match=r"length=0: expected an integer 1 to 100"):
        compute(0)
    with pytest.raises(ValueError, match=r"gammon_rate=1.5: expected a number, 0 to 1"):
        compute(5, gammon_rate=1.5)
    with pytest.raises(ValueError, match=r"backgammon_rate=0.3: expected a number, 0 to 0.27"):
        compute(5, backgammon_rate=0.3)
    with pytest.raises(ValueError, match=r"efficiency='x': expected a number"):
        compute(5, efficiency="x")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"swing=nan: expected a number, 0 to 0.5"):
        compute(5, swing=float("nan"))
    with pytest.raises(ValueError, match=r"26 points to go: this table holds 1 to 25"):
        TABLE.chance(26, 3)
    with pytest.raises(ValueError, match="both 0 or less"):
        TABLE.chance([2, 0], [3, 0])
    with pytest.raises(ValueError, match="mine="):
        TABLE.chance(2.5, 3)
    with pytest.raises(ValueError, match=r"mine=0: expected an integer 1 to 25"):
        TABLE.after(0, 3, 1)
    with pytest.raises(ValueError, match=r"points=0.5"):
        TABLE.after(2, 3, 0.5)
    with pytest.raises(ValueError, match=r"pre has shape \(2, 1\)"):
        tf.MatchEquityTable([[0.5], [0.4]], [0.5])
    with pytest.raises(ValueError, match=r"post has shape \(2,\): expected \[1\] or \[2, 1\]"):
        tf.MatchEquityTable([[0.5]], [0.5, 0.4])
    with pytest.raises(ValueError, match="pre is no array of numbers"):
        tf.MatchEquityTable([["a"]], [0.5])
    with pytest.raises(ValueError, match=r"ends in \.csv or \.xml"):
        tf.MatchEquityTable.load(tmp_path / "table.txt")
    with pytest.raises(ValueError, match="read-only"):
        TABLE.pre[0, 0] = 1
    assert repr(TABLE) == "<MatchEquityTable 'tavli_fast, gammon rate 0.27' to 25>"
    assert TABLE != 3
