"""The command ``match``: the figures of the arena, and matches with the cube."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from cli_calls import document, runner, shown, untimed

import tavli_fast as tf
from tavli_fast.cli import program

RULES = "hypergammon"


@pytest.fixture(scope="module")
def weak(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("nets") / "weak.npz"
    tf.Net.random(RULES, hidden=4, seed=1, scale=0.5).save(path)
    return str(path)


def test_games_without_a_cube_are_those_of_the_arena(weak: str) -> None:
    args = ("match", "net", weak, "--rules", RULES, "--games", "600", "--seed", "5")
    found = document(*args)
    expected = tf.arena("net", tf.Net.load(weak), RULES, 600, 5)
    assert (found["points"], found["std_error"]) == (expected.points, expected.std_error)
    assert found["interval"] == list(expected.interval)
    assert found["counts"] == expected.counts.tolist()
    assert found["rates"]["win"] == expected.won()
    assert found["rates"]["lose_gammon"] == expected.lost(2)
    assert found["won_std_error"] == expected.won_error
    assert (found["first"], found["second"]) == (expected.first, expected.second)
    assert (found["games"], found["unfinished_pairs"], found["seed"]) == (600, 0, 5)
    assert found["opening"] is True
    assert found["version"] == tf.__version__
    assert untimed(shown(*args, "--threads", "1")) == untimed(shown(*args, "--threads", "3"))


def test_what_a_player_sees(weak: str) -> None:
    args = ("match", "net", weak, "--rules", RULES, "--games", "600", "--seed", "5")
    expected = tf.arena("net", tf.Net.load(weak), RULES, 600, 5)
    low, high = expected.interval
    lines = shown(*args).splitlines()
    assert lines[:3] == [f"{RULES}, seed 5", f"A: {expected.first}", f"B: {expected.second}"]
    assert lines[4].split() == ["all", "gammon", "(2)", "backgammon", "(3)"]
    assert lines[5].split() == ["A", "wins", *(f"{expected.won(k):.2%}" for k in (1, 2, 3))]
    assert lines[6].split() == ["B", "wins", *(f"{expected.lost(k):.2%}" for k in (1, 2, 3))]
    assert lines[8] == (
        f"A gains {expected.points:+.4f} ± {expected.std_error:.4f} points a game "
        f"(95 %: {low:+.4f} to {high:+.4f})"
    )
    assert lines[9].startswith(f"600 games, mean {expected.plies / 600:.1f} plies, ")


def test_without_names_the_net_plays(weak: str) -> None:
    args = ("--rules", RULES, "--games", "20", "--seed", "5")
    net = tf.with_tables("net", RULES).name
    for given, names in (((), (net, "random")), ((weak,), (tf.Net.load(weak).name, net))):
        found = document("match", *given, *args)
        assert (found["first"], found["second"]) == names


def test_draws_and_games_that_are_cut() -> None:
    args = ("match", "random", "random", "--rules", "plakoto", "--games", "200", "--seed", "1")
    expected = tf.arena("random", "random", "plakoto", 200, 1)
    assert re.search(rf"^draw +{expected.drawn:.2%}$", shown(*args), re.MULTILINE)
    assert document(*args)["rates"]["draw"] == expected.drawn > 0
    cut = (*args, "--max-plies", "5")
    assert "100 pairs with a game cut at 5 plies: not counted" in shown(*cut)
    assert document(*cut)["points"] is None


def test_games_with_the_cube(weak: str) -> None:
    args = ("match", "net", weak, "--rules", RULES, "--cube", "--games", "12", "--seed", "3")
    found = document(*args, "--threads", "1")
    expected = tf.arena("net", tf.Net.load(weak), RULES, 12, 3, cube=True)
    assert isinstance(expected, tf.MatchResult)
    assert (found["points"], found["std_error"]) == (expected.mean, expected.std_error)
    assert (found["games"], found["games_played"], found["target"]) == (12, 12, None)
    again = document(*args, "--threads", "2")
    assert {**again, "seconds": 0} == {**found, "seconds": 0}
    assert "points a game, the cube included" in shown(*args, "--threads", "1")


def test_matches(weak: str) -> None:
    args = ("match", "net", weak, "--rules", RULES, "--target", "3", "--games", "8", "--seed", "3")
    found = document(*args, "--threads", "1")
    expected = tf.arena("net", tf.Net.load(weak), RULES, 8, 3, target=3)
    assert isinstance(expected, tf.MatchResult)
    assert (found["matches_won"], found["interval"]) == (expected.mean, list(expected.interval))
    assert (found["matches"], found["target"]) == (8, 3)
    assert found["games_played"] >= 8
    output = shown(*args, "--threads", "1")
    assert f"A wins {found['matches_won']:.1%} ± " in output
    assert "of the matches to 3 points" in output
    itself = document(args[0], weak, weak, *args[3:], "--threads", "1")
    assert (itself["matches_won"], itself["std_error"]) == (0.5, 0)


BAD = [
    ("match net chess", "'B': 'chess': expected 'net', 'random', or an .npz file of weights"),
    ("match no-such.npz net", "'A': no-such.npz: No such file or directory"),
    ("match net random --games 3", "3: expected an even number, as games come in pairs"),
    ("match net random --games 0", "'0': expected a whole number, 2 to"),
    ("match net random --rules plakoto --cube", "--cube: the rules of plakoto have none"),
    ("match net random --target 0", "'0': expected a whole number, 1 to"),
    ("match net random --target 3 --max-plies 9", "--max-plies with --target or --cube"),
]


def test_a_game_that_freezes_has_one_line() -> None:
    call = "match random random --rules plakoto --set mother=none --target 1 --games 60 --seed 1"
    result = runner().invoke(program, [*call.split(), "--threads", "1"])
    assert (result.exit_code, result.stderr.count("\n")) == (1, 1)
    assert "the game is not over after 10000 turns" in result.stderr


@pytest.mark.parametrize(("call", "message"), BAD)
def test_bad_input(call: str, message: str) -> None:
    result = runner().invoke(program, call.split())
    assert result.exit_code == 2
    assert message in result.stderr


def test_a_net_for_another_game_is_refused(weak: str, tmp_path: Path) -> None:
    result = runner().invoke(program, ["match", weak, "random", "--rules", "fevga"])
    assert result.exit_code == 2
    assert "is for the rules hypergammon" in result.stderr
