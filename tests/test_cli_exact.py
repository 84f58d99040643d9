"""The commands evaluate, bearoff and solve: the figures of the API, in JSON and in words."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from cli_calls import START_ID, WON_ID, document, shown

import tavli_fast as tf
from tavli_fast.cli import run

SIX = "jQUAAFYDAAAAAA"
"""X has 3:2 4:1 5:1 6:2, O 1:1 2:2 5:2 6:1."""
MINE, THEIRS = [0, 0, 2, 1, 1, 2], [1, 2, 0, 0, 2, 1]


def test_an_evaluation_has_the_figures_of_the_api() -> None:
    found = document("evaluate", START_ID, "--rules", "backgammon", "--plies", "1")
    board = tf.start("backgammon")
    for plies, row in enumerate(found["plies"]):
        expected = tf.evaluate(board, "net", "backgammon", plies)
        assert row["plies"] == plies
        assert row["outcomes"] == expected.outcomes[0].tolist()
        assert row["equity"] == expected.equity[0]
    assert len(found["plies"]) == 2
    assert found["race"] is None
    assert found["exact"] is None
    setting = tf.CubeSetting(cap=64)
    expected_cube = tf.cube_equities(found["plies"][1]["outcomes"], setting)
    assert found["cube"]["equities"]["no_double"] == expected_cube.no_double[0]
    assert found["cube"]["action"] == "no double"
    assert document("evaluate", "--rules", "plakoto", "--plies", "0")["cube"] is None


def test_a_bearoff_is_exact_where_the_table_knows_it() -> None:
    table, one = tf.two_sided("backgammon"), tf.one_sided("backgammon")
    for command, *options in (("evaluate", "--plies", "0"), ("bearoff",)):
        found = document(command, SIX, "--rules", "backgammon", *options)
        for place, equity in found["exact"]["no_double"].items():
            assert equity == table.equity(MINE, THEIRS, place)[0]
        for place, equity in found["exact"]["best_action"].items():
            assert equity == table.equity(MINE, THEIRS, place, best_action=True)[0]
        sides = found["race" if command == "evaluate" else "sides"]
        for name, side in (("X", MINE), ("O", THEIRS)):
            assert sides[name]["effective_pips"] == one.effective_pips(side)[0]
            assert sum(sides[name]["rolls"]) == pytest.approx(1)
    assert found["race"]["outcomes"] == one.race(MINE, THEIRS)[0].tolist()
    wide = document("bearoff", SIX, "--rules", "backgammon", "--points", "7")
    assert wide["race"]["equity"] == pytest.approx(found["race"]["equity"], abs=1e-12)


def test_what_is_shown() -> None:
    text = shown("evaluate", SIX, "--rules", "backgammon", "--plies", "0")
    equity = tf.two_sided("backgammon").equity(MINE, THEIRS, "centred")[0]
    assert f"cube in the middle  {equity:+.4f}\n" in text
    assert "X needs 4.124 rolls on average: effective pip count 33.68, pip count 27\n" in text
    assert "best: no double\n" in text
    text = shown("bearoff", SIX, "--no-board")
    assert "X         6    27      4.1241           33.68     6.68\n" in text
    assert "    4  47.61 %     67.91 %  61.49 %     92.61 %\n" in text
    match = shown(
        "evaluate", "XGID=-b----E-C---eE---c-e----B-:1:-1:1:00:2:1:0:5:10", "--plies", "0"
    )
    assert "double" not in match  # O owns the cube
    assert "The game is over: X has 2 points." in shown("evaluate", WON_ID)


def test_a_game_is_solved_and_kept(tmp_path: Path) -> None:
    file = tmp_path / "one.tf"
    small = ("--set", "checkers=1", "--set", "start=24:1")
    found = document("solve", "hypergammon", *small, "--cube", "--out", str(file))
    assert found["positions"] == 651
    assert found["start"]["equities"]["none"] == pytest.approx(0.4527731, abs=1e-6)
    game = tf.SolvedGame.load(file)
    board = tf.start(game.rules)
    for place, equity in found["start"]["equities"].items():
        assert game.equity(board, place)[0] == equity
    np.testing.assert_array_equal(game.outcomes(board)[0], found["start"]["outcomes"])
    text = shown("solve", "hypergammon", *small, "--quiet")
    assert "hypergammon with checkers=1, start=24:1: 651 positions in" in text
    assert "the start for the player on roll, cube none: +0.4528\n" in text


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("evaluate 31", "31 is a roll: expected a position alone"),
        ("evaluate --plies 4", "'4': expected a whole number, 0 to 3"),
        ("evaluate --policy random", "random play judges nothing, expected a net"),
        ("evaluate --cube", "--cube: the rules of portes have none"),
        ("bearoff", "a checker is on point 24: expected both sides on their first 8 points"),
        (f"bearoff {SIX} --points 5", "point 6: expected both sides on their first 5 points, or"),
        (f"bearoff {SIX} --points 13", "'13': expected a whole number, 1 to 12"),
        ("bearoff " + WON_ID, "the game is over"),
        (f"bearoff {SIX} --set bearoff_oversize=no", "rules with bearoff_oversize=True"),
        ("bearoff 31", "31 is a roll"),
        ("solve portes", "15 checkers a side have up to"),
        ("solve hypergammon --most-bytes 1000", "pass most_bytes="),
        ("solve chess", "'chess' is not one of"),
        ("solve hypergammon --out /no/such/folder/x", "'--out': '/no/such/folder/x': No such file"),
    ],
)
def test_bad_calls(call: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(call.split()) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert message in printed.err
    assert printed.err.count("\n") == 1
