"""The command line: what it prints, in JSON and in words, and how it fails."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import tavli_fast as tf
from tavli_fast.__main__ import main
from tavli_fast.cli import program, rolling, run

START_ID = "4HPwATDgc/ABMA"
START_XGID = "-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"
WON_ID = "4HPwATAAAAAAAA"
"""X has borne off all, O none."""


def position(mine: dict[int, int], theirs: dict[int, int]) -> np.ndarray:
    board = np.zeros((2, 26), np.int8)
    for plane, points in zip(board, (mine, theirs), strict=True):
        for point, checkers in points.items():
            plane[point] = checkers
        plane[0] = 15 - plane.sum()
    return board


DANCE = tf.position_id(position({25: 1, 6: 14}, {**dict.fromkeys(range(1, 7), 2), 7: 3}))
ONE_TO_GO = tf.position_id(position({1: 1}, {13: 15}))
NEAR_THE_END = tf.position_id(position({6: 1, 1: 1}, {6: 15}))


def shown(*args: str, columns: int = 200) -> str:
    """Return what a call prints; it must succeed."""
    result = CliRunner().invoke(program, args, env={"COLUMNS": str(columns)})
    assert result.exit_code == 0, result.output
    assert result.exception is None
    return result.output


def document(*args: str) -> Any:
    """Return the JSON that a call prints; it must be strict and all on one line."""

    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is no JSON")

    output = shown(*args, "--json")
    assert output.count("\n") == 1
    return json.loads(output, parse_constant=refuse)


def untimed(output: str) -> str:
    """Return an output without what differs from run to run."""
    output = re.sub(r"[\d.]+ s, [\d,]+ (games|nodes)/s", "_", output)
    return re.sub(r'"(seconds|nodes_per_second)": [\d.e+-]+', "_", output)


# rollout


def test_a_rollout_in_json_has_the_figures_of_the_api() -> None:
    found = document("rollout", "--seed", "7", "--trials", "500", "--rules", "backgammon")
    expected = tf.rollout(tf.start("backgammon"), "backgammon", trials=500, seed=7)
    shares = expected.probabilities[0]
    assert found.pop("seconds") > 0
    rates = found.pop("rates")
    assert found == {
        "rules": "backgammon",
        "position": START_ID,
        "roll": None,
        "over": False,
        "outcome": None,
        "policy": "random",
        "trials": 500,
        "seed": 7,
        "max_plies": 10_000,
        "counts": expected.counts[0].tolist(),
        "equity": expected.equity[0],
        "std_error": expected.std_error[0],
        "plies": expected.plies[0],
        "unfinished": 0,
    }
    assert rates == pytest.approx(
        {
            "win": shares[4:].sum(),
            "gammon": shares[5:].sum(),
            "backgammon": shares[6],
            "lose": shares[:3].sum(),
            "lose_gammon": shares[:2].sum(),
            "lose_backgammon": shares[0],
            "draw": 0,
        }
    )


def test_the_rates_are_those_that_the_rules_tell_apart() -> None:
    rates = document("rollout", "--trials", "50")["rates"]
    assert list(rates) == ["win", "gammon", "lose", "lose_gammon", "draw"]


def test_a_roll_in_json_has_every_play_from_its_flipped_afterstate() -> None:
    found = document("rollout", "--roll", "31", "--seed", "3", "--trials", "300")
    legal = tf.legal_plays(tf.start(), (3, 1))
    expected = tf.rollout(tf.flip([play.board for play in legal]), trials=300, seed=3)
    assert found["roll"] == [3, 1]
    assert found["dance"] is False
    assert found["legal_plays"] == len(found["plays"]) == len(legal)
    order = np.argsort(expected.equity)
    for listed, index in zip(found["plays"], order, strict=True):
        play = legal[int(index)]
        assert listed["play"] == str(play)
        assert listed["moves"] == [list(move) for move in play.moves]
        assert listed["afterstate"] == tf.position_id(play.board)
        assert listed["next"] == tf.position_id(tf.flip(play.board))
        assert listed["equity"] == -expected.equity[index]
        assert listed["difference"] == expected.equity[order[0]] - expected.equity[index]
        assert listed["std_error"] == expected.std_error[index]
        assert listed["counts"] == expected.counts[index, ::-1].tolist()
        assert listed["rates"]["win"] == pytest.approx(expected.probabilities[index, :3].sum())
        assert listed["rates"]["lose_gammon"] == pytest.approx(
            expected.probabilities[index, 5:].sum()
        )
        assert listed["plies"] == expected.plies[index]


def test_top_limits_what_is_shown_and_nothing_else() -> None:
    args = ("rollout", "--roll", "64", "--seed", "1", "--trials", "100")
    every, some = document(*args), document(*args, "--top", "3")
    assert some["plays"] == every["plays"][:3]
    assert some["legal_plays"] == every["legal_plays"] == len(every["plays"])
    output = shown(*args, "--top", "3")
    assert f"({every['legal_plays'] - 3} more)" in output
    assert re.findall(r"^\d+  (\S+(?: \S+)*)  ", output, re.MULTILINE) == [
        listed["play"] for listed in some["plays"]
    ]
    assert "more)" not in shown(*args, "--top", "1000")


@pytest.mark.parametrize("roll", ["31", "3-1", "3,1", "3 1", " 31 "])
def test_a_roll_may_be_written_in_several_ways(roll: str) -> None:
    assert document("plays", "--roll", roll)["roll"] == [3, 1]


def test_the_roll_of_an_xgid_is_taken_unless_another_is_given() -> None:
    for command in (("plays",), ("rollout", "--trials", "20")):
        args = (*command, "--position", START_XGID)
        assert document(*args)["roll"] == [3, 1]
        assert document(*args, "--roll", "65")["roll"] == [6, 5]
        assert document(*args)["position"] == START_ID


def test_a_roll_that_dances_is_rolled_out_with_the_opponent_on_roll() -> None:
    args = ("rollout", "--position", DANCE, "--roll", "21", "--trials", "200", "--seed", "1")
    found = document(*args)
    board = tf.from_position_id(DANCE)
    expected = tf.rollout(tf.flip(board), trials=200, seed=1)
    assert found["dance"] is True
    assert found["legal_plays"] == 0
    assert [listed["play"] for listed in found["plays"]] == ["Cannot Move"]
    assert found["plays"][0]["moves"] == []
    assert found["plays"][0]["afterstate"] == DANCE
    assert found["plays"][0]["equity"] == -expected.equity[0]
    assert "roll 2-1: Cannot Move, X dances; 200 games\n" in shown(*args)


def test_a_play_that_ends_the_game_is_worth_its_outcome() -> None:
    found = document("rollout", "--position", ONE_TO_GO, "--roll", "21", "--trials", "10")
    assert [(listed["play"], listed["equity"]) for listed in found["plays"]] == [("1/off", 2)]
    assert found["plays"][0]["std_error"] == 0
    assert str(found["plays"][0]["rates"]["lose"]) == "0.0"


def test_a_finished_position_gives_its_outcome() -> None:
    for args in ((), ("--roll", "31")):
        found = document("rollout", "--position", WON_ID, "--trials", "10", *args)
        assert (found["over"], found["outcome"], found["equity"]) == (True, 2, 2)
        output = shown("rollout", "--position", WON_ID, *args)
        assert output.endswith("The game is over: X has won 2 points.\n")
    lost = tf.position_id(tf.flip(tf.from_position_id(WON_ID)))
    assert document("rollout", "--position", lost)["outcome"] == -2
    assert "O has won 2 points" in shown("rollout", "--position", lost)


def test_games_that_are_cut_have_no_equity() -> None:
    args = ("rollout", "--max-plies", "4", "--trials", "30")
    found = document(*args)
    assert (found["equity"], found["std_error"], found["unfinished"]) == (None, None, 30)
    assert "30 games cut at 4 plies" in shown(*args)
    plays = document(*args, "--roll", "11")["plays"]
    assert {(listed["equity"], listed["difference"]) for listed in plays} == {(None, None)}
    assert shown(*args, "--roll", "11").count(" none ") == 2 * len(plays) - 1


def test_one_game_has_no_standard_error() -> None:
    assert document("rollout", "--trials", "1")["std_error"] is None
    output = shown("rollout", "--trials", "1")
    assert re.search(r"^equity of X [+-][12]\.0000 points a game$", output, re.MULTILINE)
    assert "1 game, mean" in output


def test_what_a_player_sees_of_a_position() -> None:
    output = shown("rollout", "--seed", "5", "--trials", "2000")
    result = tf.rollout(tf.start(), trials=2000, seed=5)
    p = result.probabilities[0]
    assert untimed(output) == (
        f"{tf.view(tf.start())}\n\n"
        f"portes, position {START_ID}, seed 5\n\n"
        "           all  gammon (2)\n"
        f"X wins  {p[4:].sum():.2%}      {p[5]:.2%}\n"
        f"O wins  {p[:3].sum():.2%}      {p[1]:.2%}\n\n"
        f"equity of X {result.equity[0]:+.4f} ± {result.std_error[0]:.4f} points a game\n\n"
        f"2,000 games, mean {result.plies[0] / 2000:.1f} plies, _\n"
        "Both sides play at random: the figures compare positions, and are no advice.\n"
    )


def test_what_a_player_sees_of_a_roll() -> None:
    args = ("rollout", "--seed", "5", "--trials", "100", "--roll", "6-5", "--rules", "backgammon")
    output = shown(*args, "--no-board")
    lines = output.splitlines()
    assert lines[1] == "roll 6-5: 7 legal plays; 100 games each"
    assert lines[3].split() == ["win", "win", "lose", "lose"]
    assert lines[4].split() == ["std", "gammon", "backg.", "gammon", "backg."]
    assert lines[5].split() == (
        ["play", "equity", "error", "to", "best", "win", "(2)", "(3)", "lose", "(2)", "(3)"]
    )
    listed = document(*args)["plays"]
    for number, (line, play) in enumerate(zip(lines[6:13], listed, strict=True), start=1):
        rates = play["rates"]
        assert line.split() == [
            str(number),
            *play["play"].split(),
            f"{play['equity']:+.4f}",
            f"{play['std_error']:.4f}",
            *([f"{play['difference']:+.4f}"] if number > 1 else []),
            *(f"{rates[name]:.2%}" for name in rates if name != "draw"),
        ]
    assert lines[-2] == "Gammons include backgammons."


@pytest.mark.parametrize(
    ("name", "head"),
    [
        ("portes", "all  gammon (2)"),
        ("portes_cube", "all  gammon (2)  backgammon (3)"),
        ("tavla", "all  gammon (2)"),
        ("hypergammon", "all  gammon (2)  backgammon (3)"),
    ],
)
def test_the_heads_say_what_a_win_counts(name: str, head: str) -> None:
    output = shown("rollout", "--trials", "20", "--rules", name)
    assert re.search(rf"^ +{re.escape(head)}$", output, re.MULTILINE)


def test_draws_are_shown_where_there_are_any(monkeypatch: pytest.MonkeyPatch) -> None:
    def drawing(*args: Any, **kwargs: Any) -> tf.RolloutResult:
        result = tf.rollout(*args, **kwargs)
        result.counts[:] = [0, 0, 1, 1, 2, 0, 0]
        result.trials[:] = 4
        return result

    assert "draw" not in shown("rollout", "--trials", "10")
    monkeypatch.setattr(rolling, "roll_out", drawing)
    assert "\ndraw    25.00%\n" in shown("rollout")
    assert document("rollout")["rates"]["draw"] == 0.25
    output = shown("rollout", "--roll", "31", "--no-board", "--top", "1")
    assert output.splitlines()[5].endswith(" draw")
    assert output.splitlines()[6].endswith(" 25.00%")


@pytest.mark.parametrize("mode", [(), ("--roll", "42"), ("--json",)])
def test_a_seed_repeats_the_output_for_any_number_of_threads(mode: Sequence[str]) -> None:
    args = ("rollout", "--trials", "300", *mode)
    first = untimed(shown(*args, "--seed", "11", "--threads", "1"))
    assert first == untimed(shown(*args, "--seed", "11", "--threads", "3"))
    assert first != untimed(shown(*args, "--seed", "12"))


def test_a_fresh_seed_is_told_and_repeats_the_rollout() -> None:
    found = document("rollout", "--trials", "100")
    assert found["seed"] < 2**53
    again = document("rollout", "--trials", "100", "--seed", str(found["seed"]))
    assert again["counts"] == found["counts"]
    assert document("rollout", "--trials", "100")["seed"] != found["seed"]


# plays


def test_plays_are_those_of_the_api() -> None:
    legal = tf.legal_plays(tf.start(), (6, 4))
    lines = shown("plays", "--roll", "64").splitlines()
    assert lines[0] == f"portes, position {START_ID}, roll 6-4: {len(legal)} legal plays"
    assert lines[1:] == [f"{i:4d}  {play}" for i, play in enumerate(legal, start=1)]
    found = document("plays", "--roll", "64")
    listed = found.pop("plays")
    assert found == {
        "rules": "portes",
        "position": START_ID,
        "roll": [6, 4],
        "over": False,
        "dance": False,
    }
    assert listed == [
        {
            "play": str(play),
            "moves": [list(move) for move in play.moves],
            "afterstate": tf.position_id(play.board),
            "next": tf.position_id(tf.flip(play.board)),
        }
        for play in legal
    ]


def test_plays_follow_the_rules_named() -> None:
    hit_and_run = tf.position_id(position({6: 2, 13: 13}, {21: 1, 6: 14}))
    args = ("plays", "--position", hit_and_run, "--roll", "21")
    portes, tavla = document(*args), document(*args, "--rules", "TAVLA")
    assert tavla["rules"] == "tavla"
    assert "6/4*/3" in {listed["play"] for listed in portes["plays"]}
    assert "6/4*/3" not in {listed["play"] for listed in tavla["plays"]}


def test_a_dance_and_a_finished_game_have_no_plays() -> None:
    found = document("plays", "--position", DANCE, "--roll", "66")
    assert (found["plays"], found["dance"], found["over"]) == ([], True, False)
    output = shown("plays", "--position", DANCE, "--roll", "66")
    assert output.splitlines()[1:] == ["Cannot Move: X dances."]
    found = document("plays", "--position", WON_ID, "--roll", "66")
    assert (found["plays"], found["dance"], found["over"]) == ([], False, True)
    output = shown("plays", "--position", WON_ID, "--roll", "66")
    assert output.splitlines()[1:] == ["The game is over."]


# perft


@pytest.mark.parametrize("name", ["portes", "hypergammon", "backgammon_zh"])
def test_perft_and_its_split_count_as_the_api(name: str) -> None:
    args = ("perft", "--depth", "2", "--rules", name)
    nodes = tf.perft(tf.start(name), 2, name)
    found = document(*args)
    assert found["nodes"] == nodes
    assert (found["rules"], found["depth"], "split" in found) == (name, 2, False)
    split = document(*args, "--split")
    assert split["nodes"] == nodes == sum(split["split"].values())
    assert list(split["split"]) == [f"{a}-{b}" for a in range(1, 7) for b in range(1, a + 1)]
    output = shown(*args, "--split")
    assert f"\n6-5: {split['split']['6-5']:,}\n" in output
    assert untimed(output).endswith(f"\n{nodes:,} nodes, _\n")


def test_perft_split_of_one_ply_is_the_number_of_plays() -> None:
    split = document("perft", "--depth", "1", "--split")["split"]
    assert split["3-1"] == len(tf.legal_plays(tf.start(), (3, 1)))


@pytest.mark.parametrize(
    ("text", "depth"), [(DANCE, 1), (DANCE, 2), (WON_ID, 2), (NEAR_THE_END, 3)]
)
def test_perft_of_dances_and_finished_games(text: str, depth: int) -> None:
    found = document("perft", "--depth", str(depth), "--split", "--position", text)
    assert found["nodes"] == tf.perft(tf.from_position_id(text), depth)
    assert found["position"] == text


# rules


def test_rules_lists_every_preset_with_a_line() -> None:
    lines = shown("rules").splitlines()
    assert [line.split()[0] for line in lines] == list(tf.RULES)
    found = document("rules")
    assert [entry["name"] for entry in found] == list(tf.RULES)
    for line, entry in zip(lines, found, strict=True):
        assert entry["about"]
        assert line.split(maxsplit=1)[1] == entry["about"]


@pytest.mark.parametrize("name", tf.RULES)
def test_rules_shows_the_fields_of_a_preset(name: str) -> None:
    found = document("rules", name)
    rules = tf.RULES[name]
    fields = {**found["fields"], "start": tuple(map(tuple, found["fields"]["start"]))}
    assert tf.Rules(**fields) == rules
    differing = [field for field in fields if fields[field] != getattr(tf.PORTES, field)]
    assert found["differs"] == differing
    output = shown("rules", name)
    starred = [line.split()[1] for line in output.splitlines() if line.startswith("*")]
    assert starred == differing
    assert all(f" {field} " in output for field in fields)


def test_rules_shows_values_as_a_player_reads_them() -> None:
    lines = [line.split() for line in shown("rules", "tavla").splitlines()]
    assert ["*", "hit_and_run_home", "no", "yes"] in lines
    assert ["start", "24:2", "13:5", "8:3", "6:5"] in lines


# The program itself


def test_version_and_help() -> None:
    assert shown("--version") == f"tavli-fast {tf.__version__}\n"
    assert shown() == shown("--help") == shown("-h")
    for command in program.commands:
        assert f"  {command} " in shown()
        assert shown(command, "-h").startswith("Usage: ")


BAD_CALLS = [
    ("chess", "No such command 'chess'"),
    ("--colour", "No such option"),
    ("rollout --rules chess", "'chess' is not one of 'portes'"),
    ("rollout --position xyz", "3 characters: expected 14"),
    ("rollout --position 4HPwATDgc/ABM!", "the character '!'"),
    ("rollout --position XGID=-b", "1 fields: expected 9 or 10"),
    ("rollout --position -b----E-C---eE---c-e----B-:0:0:1:71:0:0:0:0:10", "dice '71'"),
    (f"rollout --position {START_ID} --rules hypergammon", "expected at most 3"),
    ("rollout --roll 71", "'71': expected two dice 1 to 6, such as 31, 3-1 or 3,1"),
    ("rollout --roll 3", "'3': expected two dice"),
    ("rollout --roll 3--1", "expected two dice"),
    ("rollout --roll 311", "expected two dice"),
    ("rollout --trials 0", "0 is not in the range"),
    ("rollout --trials many", "'many' is not a valid integer"),
    ("rollout --trials 1e3", "'1e3' is not a valid integer"),
    ("rollout --seed -1", "-1 is not in the range"),
    ("rollout --seed", "requires an argument"),
    ("rollout --threads 0", "0 is not in the range"),
    ("rollout --max-plies 0", "0 is not in the range"),
    ("rollout --roll 31 --top 0", "0 is not in the range"),
    ("rollout --top 3", "--top without a roll"),
    ("rollout 31", "unexpected extra argument"),
    ("plays", "no roll: expected --roll 31"),
    (f"plays --position {START_ID}", "no roll"),
    ("plays --roll 00", "expected two dice"),
    ("perft", "Missing option '--depth'"),
    ("perft --depth 0", "0 is not in the range"),
    ("perft --depth 21", "21 is not in the range"),
    ("perft --depth 2 --position 4HPwATDgc/ABM/", "the last character '/'"),
    ("rules chess", "'chess' is not one of 'portes'"),
]


@pytest.mark.parametrize(("call", "message"), BAD_CALLS, ids=[call for call, _ in BAD_CALLS])
def test_bad_input_is_one_line_and_exit_code_2(
    call: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(call.split()) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert err.startswith("tavli-fast")
    assert message in err


def test_an_error_names_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["perft", "--depth", "0"]) == 2
    assert capsys.readouterr().err.startswith("tavli-fast perft: Invalid value for '--depth': 0 is")


@pytest.mark.parametrize(
    ("failure", "code", "line"),
    [
        (KeyboardInterrupt(), 130, "interrupted"),
        (MemoryError(), 1, "tavli-fast: not enough memory"),
        (OSError(28, "No space left on device"), 1, "tavli-fast: No space left on device"),
    ],
)
def test_other_failures_are_one_line(
    failure: BaseException,
    code: int,
    line: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fail(*args: object, **kwargs: object) -> None:
        raise failure

    monkeypatch.setattr(rolling, "roll_out", fail)
    assert run(["rollout", "--json"]) == code
    assert capsys.readouterr() == ("", f"{line}\n")


@pytest.mark.parametrize("columns", [40, 60, 79, 80, 120])
@pytest.mark.parametrize("rules", ["portes", "backgammon"])
def test_a_table_fits_the_screen_and_cuts_no_figure(columns: int, rules: str) -> None:
    args = ["rollout", "--roll", "33", "--trials", "10", "--seed", "1", "--rules", rules]
    args += ["--no-board", "--top", "20"]
    wide, fitted = (table(shown(*args, columns=width)) for width in (200, columns))
    assert max(map(len, fitted)) <= columns
    words = {word for line in fitted for word in line.split()}
    every = {word for line in wide for word in line.split()}
    assert words <= every
    note = "(a wider terminal shows more columns)" in shown(*args, columns=columns)
    assert note == (words != every)
    assert note or columns > 60
    assert not note or columns < 120


def table(output: str) -> list[str]:
    """Return the lines of a table of plays."""
    lines = output.splitlines()[3:]
    return lines[: next(index for index, line in enumerate(lines) if line.startswith("("))]


# Real processes


COMMAND = (sys.executable, "-m", "tavli_fast")


def process(
    *args: str, command: Sequence[str] = COMMAND, **environment: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*command, *args],
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONIOENCODING": "utf-8", **environment},
        timeout=60,
        check=False,
    )


def test_in_a_pipe_there_is_neither_bar_nor_colour() -> None:
    done = process("rollout", "--seed", "5", "--trials", "20000", FORCE_COLOR="1")
    assert (done.returncode, done.stderr) == (0, "")
    assert "\x1b" not in done.stdout
    assert untimed(done.stdout) == untimed(shown("rollout", "--seed", "5", "--trials", "20000"))


def test_json_is_all_that_a_process_prints() -> None:
    done = process("rollout", "--roll", "31", "--trials", "50", "--seed", "1", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    again = document("rollout", "--roll", "31", "--trials", "50", "--seed", "1")
    assert json.loads(done.stdout)["plays"] == again["plays"]


def test_a_terminal_that_knows_only_ascii() -> None:
    done = process("rollout", "--trials", "50", PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.isascii()
    assert re.search(r"equity of X \S+ \+/- \S+ points", done.stdout)
    done = process("rollout", "--position", "é", PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)


def test_bad_input_to_a_process() -> None:
    done = process("rollout", "--trials", "0")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("tavli-fast rollout: ")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("args", [("plays", "--roll", "11"), ("--help",)])
def test_a_reader_may_leave_early(args: Sequence[str]) -> None:
    pipe = subprocess.Popen([*COMMAND, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    with pipe:
        assert pipe.stdout is not None
        assert pipe.stderr is not None
        pipe.stdout.close()
        assert pipe.stderr.read() == b""
    assert pipe.returncode == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_one_line() -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*COMMAND, "rules"], stdout=full, stderr=subprocess.PIPE, encoding="utf-8", check=False
        )
    assert (done.returncode, done.stderr) == (1, "tavli-fast: No space left on device\n")


@contextmanager
def interruptible() -> Iterator[None]:
    """Let a child hear SIGINT, even if the tests run in the background of a shell."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


ANNOUNCING = """
import sys
from tavli_fast.__main__ import main
from tavli_fast.cli import rolling

def announce(*args, roll_out=rolling.roll_out, **kwargs):
    print("begun", file=sys.stderr, flush=True)
    return roll_out(*args, **kwargs)

rolling.roll_out = announce
sys.exit(main())
"""
"""The program, which says when the games begin: a busy machine may take long to get there."""


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize("args", [("--roll", "31"), ("--json",)])
def test_ctrl_c_ends_a_rollout_at_once(args: Sequence[str]) -> None:
    command = [sys.executable, "-c", ANNOUNCING, "rollout", "--trials", "100000000", *args]
    with interruptible():
        rollout = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            start_new_session=True,
        )
    try:
        assert rollout.stderr is not None
        assert rollout.stderr.readline() == "begun\n"
        time.sleep(0.5)
        assert rollout.poll() is None
        began = time.monotonic()
        rollout.send_signal(signal.SIGINT)
        out, err = rollout.communicate(timeout=10)
        assert time.monotonic() - began < 5
        assert (rollout.returncode, out, err) == (130, "", "interrupted\n")
        with pytest.raises(ProcessLookupError):
            os.killpg(rollout.pid, 0)  # nobody is left in its session
    finally:
        rollout.kill()
        rollout.communicate()


@pytest.mark.skipif(os.name != "posix", reason="terminals of POSIX")
@pytest.mark.parametrize("quiet", [False, True])
def test_a_terminal_shows_a_bar_and_wipes_it(quiet: bool) -> None:
    import pty

    master, slave = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100", "PYTHONIOENCODING": "utf-8"}
    args = ["rollout", "--trials", "40000", "--no-board", *["--quiet"] * quiet]
    with subprocess.Popen([*COMMAND, *args], stdout=slave, stderr=slave, env=environment) as child:
        os.close(slave)
        seen = b""
        try:
            while block := os.read(master, 65536):
                seen += block
        except OSError:  # Linux says so when the child has closed its end
            pass
        os.close(master)
    assert child.returncode == 0
    text = seen.decode()
    assert ("of 40,000 games" in text) != quiet
    assert "40,000 games, mean" in text


@pytest.mark.parametrize("missing", ["click", "rich"])
def test_without_the_extra_a_line_says_what_to_install(missing: str) -> None:
    block = f"import sys; sys.modules[{missing!r}] = None; "
    code = block + "from tavli_fast.__main__ import main; sys.exit(main())"
    done = process(command=[sys.executable, "-c", code])
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "tavli-fast needs the extra: pip install 'tavli-fast[cli]'\n"


def test_another_missing_module_is_no_missing_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tavli_fast.cli", None)
    with pytest.raises(ModuleNotFoundError, match=r"tavli_fast\.cli"):
        main()


def test_the_console_script_is_the_module(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["tavli-fast", "rules", "--json"])
    assert main() == 0
