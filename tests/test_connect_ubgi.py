"""The UBGI engine, and the check of any UBGI engine with planted faults."""

from __future__ import annotations

import io
import subprocess
import sys
import time
from pathlib import Path

import pytest
from broken_ubgi import FAULTS, ThreadTransport
from cli_calls import runner, shown
from processes import COMMAND

import tavli_fast as tf
from tavli_fast.cli import program
from tavli_fast.connect.ubgi import LONGEST_LINE, UbgiEngine, lines_of
from tavli_fast.connect.ubgi_check import CHECKS, check_engine
from tavli_fast.connect.ubgi_keys import KEYS

STUB = str(Path(__file__).parent / "support" / "broken_ubgi.py")
"""The broken engine as a program."""
START = "4HPwATDgc/ABMA"


def answers(*commands: str) -> list[str]:
    """Return all that a fresh engine answers."""
    found: list[str] = []
    engine = UbgiEngine("net", found.append)
    for command in commands:
        engine.command(command)
    engine.finish()
    return found


def test_the_plays_are_those_of_the_net() -> None:
    for number, board in enumerate(tf.random_boards(30, "backgammon", seed=3)):
        dice = number % 6 + 1, number // 6 + 1
        found = answers(
            f"position gnubgid {tf.position_id(board)}", "dice {} {}".format(*dice), "go"
        )
        plays = tf.legal_plays(board, dice, "backgammon")
        if not len(plays):
            assert found == ["bestmove pass"]
            continue
        assert found[0].removeprefix("bestmove ") in plays


@pytest.mark.parametrize(
    ("variant", "position", "dice"),
    [
        ("portes", f"gnubgid {START}", (3, 1)),
        ("plakoto", "tfid TFID1:k:1o22O1:0:0", (6, 5)),
        ("fevga", "tfid TFID1:f:12o11O1:0:0", (6, 4)),
        ("hypergammon", "gnubgid AACgAgAAKgAAAA", (2, 1)),
    ],
)
def test_every_game_of_the_family(variant: str, position: str, dice: tuple[int, int]) -> None:
    found = answers(
        f"set game.variant {variant}", f"position {position}", "dice {} {}".format(*dice), "go"
    )
    assert len(found) == 1
    board, _ = tf.parse_position(position.split()[1], variant)
    assert found[0].removeprefix("bestmove ") in tf.legal_plays(board, dice, variant)


def test_the_cube_and_the_score_count() -> None:
    # X owns a cube at 2 and leads 4-2 to 7; the decision is that of cube_decision.
    xgid = "XGID=-b----E-C---dE---c-e---aB-:1:1:1:00:4:2:0:7:10"
    expected = tf.cube_decision(xgid, rules="backgammon")
    found = answers(f"position xgid {xgid}", "go cube")
    assert found == ["bestcube " + ("double" if expected.double else "nodouble")]
    waiting = xgid.replace(":1:1:1:00", ":0:0:1:D")
    action = tf.cube_decision(waiting, rules="backgammon").action
    assert answers(f"position xgid {waiting}", "go cube") == [f"bestcube {action}"]
    crawford = ["set game.length 3", "set game.score 2", "set game.crawford true"]
    assert answers(*crawford, f"position gnubgid {START}", "go cube") == ["bestcube nodouble"]
    bad = answers("set game.crawford true", f"position gnubgid {START}")
    assert bad[0].startswith("error bad_value crawford=True")


def test_keys_are_listed_read_and_set() -> None:
    listed = answers("keys")
    assert [line.split()[1] for line in listed] == list(KEYS)
    for key, each in KEYS.items():
        assert answers(f"get {key}") == [f"value {key} {str(each.default).lower()}"]
    assert answers("set engine.ply 2", "get engine.ply") == ["value engine.ply 2"]
    assert answers("set engine.ply 9") == ["error bad_value engine.ply must_be 1..4"]
    assert answers("set game.cube 3") == ["error bad_value game.cube must_be a power of two"]
    assert answers("set game.variant chess")[0].startswith("error bad_value game.variant must_be")
    assert answers("set no.key 1") == ["error unsupported key no.key"]


def test_a_rollout_streams_and_stops() -> None:
    found: list[str] = []
    engine = UbgiEngine("net", found.append)
    for command in ("set rollout.trials 1000000", f"position gnubgid {START}", "go rollout"):
        engine.command(command)
    engine.command("dice 3 1")
    assert found.pop(0).startswith("error bad_state a rollout runs")
    ends = time.monotonic() + 60
    while not found and time.monotonic() < ends:
        time.sleep(0.01)
    engine.command("stop")
    engine.finish()
    assert found[0].startswith("info rollout trials 128 equity ")
    assert found[-1].startswith("bestrollout rollout trials ")
    first = tf.rollout(
        tf.start(),
        "net",
        "backgammon",
        128,
        0,
        truncate=11,
        variance_reduction=True,
        cube=True,
    )
    assert f"equity {first.equity[0]:.4f}" in found[0]
    assert answers("stop") == ["error bad_state nothing runs"]


def test_a_long_line_is_cut_and_the_next_one_read() -> None:
    stream = io.BytesIO(b"x" * (3 * LONGEST_LINE) + b"\nisready\n\xff\n")
    first, second, third = lines_of(stream)
    assert len(first) > LONGEST_LINE
    assert (second, third) == ("isready", "\ufffd")
    assert answers(first)[0].startswith("error bad_command more than")


def test_the_program_passes_the_check() -> None:
    found = runner().invoke(program, ["ubgi-check", "--patience", "60", *COMMAND, "ubgi"])
    assert found.exit_code == 0, found.output
    assert f"{len(CHECKS)} of {len(CHECKS)} checks passed" in found.output


def test_the_end_of_the_input_ends_the_program() -> None:
    found = subprocess.run(
        [*COMMAND, "ubgi"], input=b"isready\n", capture_output=True, timeout=60, check=True
    )
    assert found.stdout == b"readyok\n"


WAITS = ("no ubgiok", "does not end", "writes late")
"""Faults that show by waiting in vain."""


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_found(fault: str) -> None:
    patience = 0.5 if fault in WAITS else 60
    found = check_engine(lambda: ThreadTransport(fault), patience=patience)
    failed = [each for each in found if not each.passed]
    assert failed
    assert all(each.detail for each in failed)


def test_the_stub_without_a_fault_passes() -> None:
    found = check_engine(lambda: ThreadTransport("none"), patience=60)
    assert [each for each in found if not each.passed] == []


@pytest.mark.slow
def test_a_fault_in_a_process_is_found() -> None:
    found = check_engine([sys.executable, STUB, "ends with an error"], patience=60)
    assert [(each.check, each.detail) for each in found if not each.passed] == [
        ("quit", "quit: exit status 3, expected 0")
    ]


def test_a_program_that_is_not_there() -> None:
    found = runner().invoke(program, ["ubgi-check", "no-such-engine"])
    assert found.exit_code == 2
    assert "no-such-engine: No such file" in found.output


def test_help_names_the_command() -> None:
    assert "COMMAND" in shown("ubgi-check", "--help")
