"""The command ``play``: a person at a pipe."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_calls import runner, shown

import tavli_fast as tf
from tavli_fast.cli import program

KEEP_ON = "roll\n1\n" * 4000


def played(*args: str, stdin: str = KEEP_ON) -> str:
    return shown("play", "--no-board", "--policy", "random", *args, stdin=stdin)


@pytest.mark.parametrize("rules", ["hypergammon", "backgammon", "plakoto", "backgammon_zh"])
def test_a_whole_match(rules: str, tmp_path: Path) -> None:
    saved = tmp_path / "match.mat"
    stdin = KEEP_ON if rules != "backgammon_zh" else "keep\nroll\n1\n" * 3000
    text = played(
        "--rules", rules, "--target", "2", "--seed", "5", "--save", str(saved), stdin=stdin
    )
    assert f"{rules}, to 2 points, seed 5" in text
    last = text.strip().split("\n")[-1]
    assert last in ("X wins the match.", "O wins the match.")
    match = tf.read_mat(saved.read_text())
    assert match.session.winner == "XO".index(last[0])
    assert match.players == ("You", "tavli-fast random")
    # The dice are those of the seed.
    session = tf.Session(rules, target=2, seed=5)
    assert match.session.history[0].turns[0].player == session.history[0].starter
    assert played("--rules", rules, "--target", "2", "--seed", "5", stdin=stdin) == text


def test_the_cube_and_the_words() -> None:
    text = played("--rules", "hypergammon", "--seed", "3", stdin="help\nDOUBLE\n" + KEEP_ON)
    assert "resign [gammon]" in text
    assert "X: doubles 2\nO: takes" in text
    assert "hypergammon, to 3 points" in text
    listed = played("--rules", "portes", "--seed", "1", stdin="list\nq\n")
    assert "   1  " in listed
    assert listed.endswith("Stopped at 0-0.\n")
    early = played("--rules", "portes_cube", "--seed", "1", stdin="1\nlist\nq\n")
    assert "no dice are on the table: expected roll first" in early
    gone = played("--rules", "portes", "--target", "0", "--seed", "1", stdin="resign gammon\n")
    assert "without an end" in gone
    assert "X: resigns\nThe game is O's, 2 points: 0-2." in gone
    assert gone.endswith("Stopped at 0-2.\n")


def test_against_a_net_that_doubles(tmp_path: Path) -> None:
    net = tf.Net.random("hypergammon", 8, seed=4, scale=0.5)
    net.save(tmp_path / "net.npz")
    args = ("--rules", "hypergammon", "--policy", str(tmp_path / "net.npz"), "--target", "5")
    texts = [played(*args, "--seed", str(seed), stdin="t\nroll\n1\n" * 900) for seed in range(4)]
    assert any("O: doubles 2" in text and "X: takes" in text for text in texts)
    assert all("wins the match." in text for text in texts)


def test_nonsense_is_answered() -> None:
    stdin = "13/1\n99\n0\nresign much\n8/5 6/5 4/3 2/1 9/8\nboard\n²\n"
    text = shown("play", "--rules", "portes", "--seed", "1", stdin=stdin)
    for answer in (
        "play '13/1'",
        "99: expected a number from 1 to",
        "0: expected a number from 1 to",
        "resign much: expected one of single, gammon, backgammon",
        "expected at most 4",
        "+13-14-15-16-17-18-",
        "play '²'",
        "Stopped at 0-0.",
    ):
        assert answer in text


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--policy", "gnubg"], "'gnubg': expected 'net', 'random'"),
        (["--policy", "missing.npz"], "No such file"),
        (["--target", "-1"], "expected a whole number"),
        (["--rules", "chess"], "chess"),
    ],
)
def test_refuses_bad_options(args: list[str], message: str) -> None:
    result = runner().invoke(program, ["play", *args])
    assert result.exit_code != 0
    assert message in (result.stderr or str(result.exception))


def test_the_largest_seed() -> None:
    assert f"seed {2**128 - 1}" in played("--seed", str(2**128 - 1))


def test_a_trio_goes_on_from_game_to_game(tmp_path: Path) -> None:
    args = ("--set", "trio=portes,plakoto,fevga", "--target", "3", "--seed", "2")
    text = played(*args)
    assert "Game 1 of portes: " in text
    assert "Game 2 of plakoto: " in text
    saved = tmp_path / "trio.mat"
    result = runner().invoke(program, ["play", *args, "--save", str(saved)], input="q\n")
    assert result.exit_code == 2
    assert "3 games in turn" in result.stderr
