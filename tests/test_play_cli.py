"""The command ``play``: a person at a pipe."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from cli_calls import runner, shown
from processes import COMMAND

import tavli_fast as tf
from tavli_fast.cli import program
from tavli_fast.cli.saved_match import read_match
from tavli_fast.cli.terminal_match import TerminalMatch

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
    assert "expected a name that ends in .json" in result.stderr
    assert not saved.exists()
    name = tmp_path / "trio.json"
    played(*args, "--save", str(name), stdin="1\n1\nq\n")
    assert "portes, plakoto, fevga, to 3 points, seed 2, at 0-0" in played("--resume", str(name))


@pytest.mark.parametrize("name", ["match.mat", "match.json"])
@pytest.mark.parametrize(
    "rules",
    ["hypergammon", "plakoto", pytest.param("backgammon_zh", marks=pytest.mark.slow)],
)
def test_a_match_goes_on_where_it_was_left(rules: str, name: str, tmp_path: Path) -> None:
    """An interrupted match was lost."""
    saved = str(tmp_path / name)
    args = ("--rules", rules, "--set", "higher_die=no", "--target", "3", "--seed", "5")
    # A net for both, as the random player would begin its stream anew.
    policy = tmp_path / "net.npz"
    tf.Net.random(rules, 8, seed=4).save(policy)
    stdin = "keep\nroll\nt\n1\n" * 3000
    whole = played(
        *args, "--policy", str(policy), "--save", str(tmp_path / "whole.json"), stdin=stdin
    )
    lines = "keep\nroll\nt\n1\n" * 3
    text = played(*args, "--policy", str(policy), "--save", saved, stdin=lines)
    assert text.endswith(f"To go on: tavli-fast play --resume {saved}\n")
    for _ in range(3):
        text = played("--resume", saved, "--policy", str(policy), stdin=lines)
        assert "goes on after " in text
    text = played("--resume", saved, "--policy", str(policy), stdin=stdin)
    assert text.splitlines()[-1] == whole.splitlines()[-1]
    again = read_match(saved).session
    assert again.to_dict() == read_match(str(tmp_path / "whole.json")).session.to_dict()
    assert again.game.rules.higher_die is False
    if name.endswith(".mat"):
        assert tf.read_mat(Path(saved).read_text()).session.score == again.score


def test_each_turn_is_saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    saved = tmp_path / "match.mat"
    turns: list[int] = []

    class GoneError(Exception):
        pass

    def reading() -> str:
        turns.append(len(read_match(str(saved)).session.game.record.turns))
        if len(turns) == 6:
            raise GoneError
        return "1\n" if len(turns) % 2 else "roll\n"

    monkeypatch.setattr("sys.stdin.readline", reading, raising=False)
    monkeypatch.setattr(TerminalMatch, "_read", lambda self, question: reading().strip())
    result = runner().invoke(
        program,
        ["play", "--rules", "hypergammon", "--seed", "3", "--no-board", "--save", str(saved)],
    )
    assert isinstance(result.exception, GoneError)
    assert turns == sorted(turns)
    assert turns[-1] >= 4
    assert len(read_match(str(saved)).session.game.record.turns) == turns[-1]
    assert [path.name for path in tmp_path.iterdir()] == ["match.mat"]


def test_the_match_of_another_program_goes_on(tmp_path: Path) -> None:
    other = tmp_path / "other.mat"
    other.write_text(
        " 3 point match\n\n Game 1\n A : 0                B : 0\n"
        "  1) 31: 8/5 6/5                 42: 8/4 6/4\n"
    )
    kept = other.read_text()
    text = played("--resume", str(other), stdin="roll\n1\nq\n")
    assert text.startswith("backgammon with ")
    assert ", to 3 points, at 0-0\n" in text
    assert "goes on after 2 turns" in text
    assert other.read_text() == kept
    saved = tmp_path / "mine.mat"
    played("--resume", str(other), "--save", str(saved), stdin="roll\n1\nq\n")
    assert tf.read_mat(saved.read_text()).players == ("A", "B")
    assert "goes on after " in played("--resume", str(saved), stdin="q\n")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected a length such as"),
        ("{}", "is no match of tavli-fast play"),
        ('{"policy": 3, "players": ["a", "b"], "session": {}}', "names that are no strings"),
        ('{"policy": null, "players": ["a", "b"], "session": {}}', "is no match of"),
        (";|{", "is no match of tavli-fast play"),
        ("[" * 100_000, "expected a length such as"),
    ],
)
def test_what_cannot_be_resumed(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "match"
    path.write_text(text)
    result = runner().invoke(program, ["play", "--resume", str(path)])
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())


def test_what_a_saved_match_has_settled() -> None:
    for option in ("--rules portes", "--set doubles=4", "--target 3", "--seed 1"):
        result = runner().invoke(program, ["play", "--resume", __file__, *option.split()])
        assert result.exit_code == 2
        assert "with --resume: expected none" in result.stderr


def test_a_new_match_is_not_written_over_one_that_goes_on(tmp_path: Path) -> None:
    saved = tmp_path / "match.mat"
    args = ("--rules", "hypergammon", "--target", "1", "--save", str(saved))
    played(*args, stdin="1\nq\n")
    kept = saved.read_text()
    result = runner().invoke(program, ["play", *args], input="q\n")
    assert result.exit_code == 2
    assert f"{saved} holds a match at 0-0: expected another file, or --resume" in result.stderr
    assert saved.read_text() == kept
    played("--resume", str(saved))  # to its end
    assert played(*args, stdin="q\n").endswith(f"--resume {saved}\n")


@pytest.mark.skipif(os.name != "posix", reason="pipes of POSIX")
def test_a_match_is_saved_to_a_pipe_at_its_end() -> None:
    done = subprocess.run(
        [
            *COMMAND,
            *[
                "play",
                "--rules",
                "portes",
                "--policy",
                "random",
                "--no-board",
                "--save",
                "/dev/stdout",
            ],
        ],
        input="q\n",
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.count("\n3 point match\n") == 1
    assert done.stdout.index("Stopped at 0-0.") < done.stdout.index("3 point match")


def advised(*args: str, stdin: str) -> str:
    return shown("play", "--policy", "net", "--seed", "4", *args, stdin=stdin)


def test_hints_and_evaluations() -> None:
    text = advised(
        "--rules", "portes_cube", "--no-board", stdin="hint\neval\nroll\nhint\neval\nq\n"
    )
    session = tf.Session("portes_cube", target=3, seed=4)
    while session.game.player != 0 or session.phase != "play":
        session.game._ask(tf.as_policy("net", "portes_cube"))
    dice = session.game.dice
    assert dice is not None
    best = tf.best_plays(session.game.board, dice, "net", "portes_cube")
    text_of_best = tf.format_play(best.moves[0, 0], session.game.board)
    assert f"1.  {text_of_best}" in text
    assert "You before the roll: equity " in text
    assert "no double (no double " in text or "double, take (no double" in text
    assert "You: equity " in text
    plain = advised("--rules", "plakoto", "--no-board", stdin="hint\nq\n")
    assert "1.  " in plain


def test_the_board_shows_the_cube_and_the_score() -> None:
    text = advised("--rules", "portes_cube", "--target", "5", stdin="board\nq\n")
    assert text.count("cube 1, centred; score 0-0 to 5\n") == 2
    assert "score 0-0 to 3\n" in advised("--rules", "portes", stdin="q\n")


def test_undo_goes_back_to_the_last_decision(tmp_path: Path) -> None:
    saved = tmp_path / "match.json"
    stdin = "roll\n1\nroll\n1\nundo\nundo\nundo\n2\nq\n"
    text = advised("--rules", "portes_cube", "--no-board", "--save", str(saved), stdin=stdin)
    record = read_match(str(saved)).session.game.record
    mine = [turn for turn in record.turns if turn.player == 0]
    assert len(mine) == 1
    session = tf.Session("portes_cube", target=3, seed=4)
    while session.game.player != 0 or session.phase != "play":
        session.game._ask(tf.as_policy("net", "portes_cube"))
    assert mine[0].moves == session.game.plays[1].moves
    assert "nothing to take back" not in text
    first = advised("--rules", "portes", "--no-board", stdin="undo\nq\n")
    assert "nothing to take back in this game" in first


def test_the_analysis_so_far() -> None:
    text = advised("--rules", "portes_cube", "--no-board", stdin="roll\n1\nroll\n1\nanalyse\nq\n")
    assert "error rate (mEMG)" in text
    assert "You" in text
