"""The program: how it fails, what it does in real processes, terminals and pipes."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import click
import pytest
from cli_calls import START_ID, document, shown, untimed
from processes import ANNOUNCING, COMMAND, in_a_terminal, interruptible

import tavli_fast as tf
from tavli_fast.__main__ import main
from tavli_fast.cli import program, run
from tavli_fast.cli.commands import rollout

# --- the program itself ---------------------------------------------------------------------------


def test_version_and_help() -> None:
    assert shown("--version") == f"tavli-fast {tf.__version__}\n"
    assert shown() == shown("--help") == shown("-h")
    for command in program.list_commands(click.Context(program)):
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
    ("rollout --trials 0", "'--trials': '0': expected a whole number, 1 to 1,000,000,000,000,000"),
    ("rollout --trials many", "'many': expected a whole number"),
    ("rollout --trials 1e16", "'1e16': expected a whole number"),
    ("rollout --trials 1.5e0", "'1.5e0': expected a whole number"),
    ("rollout --trials 1e", "'1e': expected a whole number"),
    ("rollout --trials 10,00", "'10,00': expected a whole number"),
    ("rollout --trials _1", "'_1': expected a whole number"),
    ("rollout --trials 1e-3", "'1e-3': expected a whole number"),
    ("rollout --trials ٣", "'٣': expected a whole number"),
    ("rollout --seed -1", "'-1': expected a whole number, 0 or more"),
    ("rollout --seed", "requires an argument"),
    ("rollout --threads 0", "'0': expected a whole number, 1 to 1,024"),
    ("rollout --max-plies 0", "'0': expected a whole number, 1 to"),
    ("rollout --roll 31 --top 0", "'0': expected a whole number, 1 or more"),
    ("rollout --top 3", "--top without a roll"),
    ("rollout --candidates 3", "--candidates without a roll: expected one such as 31"),
    ("rollout --stop-jsd 3", "--stop-jsd without a roll: expected one such as 31"),
    ("rollout 31 --opening", "--opening with a roll: expected without a roll"),
    ("rollout --policy gnubg", "'gnubg': expected 'net', 'random', or an .npz file of weights"),
    ("rollout --policy no-such.npz", "'--policy': no-such.npz: No such file or directory"),
    ("rollout --opponent gnubg", "'--opponent': 'gnubg': expected"),
    ("rollout --policy random --truncate 0", "'0': expected a whole number, 1 to 2,147,483,648"),
    ("rollout --policy random --truncate 7", "--truncate with random play"),
    ("rollout --policy random --variance-reduction", "--variance-reduction with random play"),
    ("rollout --policy random --evaluator random", "--evaluator has nothing to evaluate"),
    ("rollout 31 --policy random --candidates 3", "--candidates with random play"),
    ("rollout --stop-error 0", "'0': expected a number above 0"),
    ("rollout --stop-error low", "'low': expected a number above 0"),
    ("rollout --stop-error nan", "'nan': expected a number above 0"),
    ("rollout --first-trial 100", "'--first-trial': 100: expected a multiple of 128"),
    ("rollout 31 42", "two rolls, 31 and 42: expected one"),
    ("rollout 31 --roll 42", "two rolls, 42 and 31: expected one"),
    ("rollout 71", "'71': expected two dice 1 to 6"),
    ("rollout 3", "'3': expected two dice 1 to 6"),
    (f"rollout {START_ID} {START_ID}", f"two positions, {START_ID} and {START_ID}"),
    (f"rollout {START_ID} --position {START_ID}", "two positions"),
    ("rollout what", "Position ID 'what': 4 characters: expected 14"),
    ("rollout --set", "requires an argument"),
    ("rollout --set checkers", "'checkers': expected FIELD=VALUE"),
    ("rollout --set chekers=3", "no field 'chekers': expected checkers"),
    ("rollout --set =3", "no field ''"),
    ("rollout --set checkers=many", "checkers=many: expected a whole number"),
    ("rollout --set checkers=3", "'--set': start="),
    ("rollout --set max_dice=maybe", "max_dice=maybe: expected yes or no"),
    ("rollout --set runner_gate=far", "runner_gate=far: expected a whole number or none"),
    ("rollout --set head_first_turn=a", "expected whole numbers with commas"),
    ("rollout --set start=24", "start=24: expected points and their checkers"),
    ("rollout --set contact=kiss", "contact='kiss': expected 'hit', 'pin' or 'none'"),
    ("rollout --set trio=chess", "trio=('chess',): expected names among"),
    ("rollout --rules plakoto --position 4HPwATDgc/ABMA", "expected a TFID, such as TFID1:k:"),
    ("rollout --rules fevga --position TFID1:k:1o22O1:0:0", "a position of plakoto, which"),
    ("rollout --position TFID1:k:1o22O1:0:1", "16 checkers: expected 15"),
    ("rollout --position TFID1:x:1o22O1:0:0", "game 'x': expected one of p (portes)"),
    ("plays", "no roll: expected one such as 31"),
    (f"plays --position {START_ID}", "no roll"),
    ("plays --roll 00", "expected two dice"),
    ("perft", "no depth: expected a number of plies, such as 3, or --depth 3"),
    ("perft 0", "'0': expected a whole number, 1 to 20"),
    ("perft 2 3", "two depths, 2 and 3: expected one"),
    ("perft 2 --depth 3", "two depths, 3 and 2: expected one"),
    ("perft 2 3-1", "'3-1' is a roll"),
    ("perft --depth 0", "'0': expected a whole number, 1 to 20"),
    ("perft --depth 21", "'21': expected a whole number, 1 to 20"),
    ("perft --depth 2 --position 4HPwATDgc/ABM/", "the last character '/'"),
    ("rules chess", "'[NAME]': 'chess' is not one of 'portes'"),
    ("rules --set max_dice=no", "--set without a game"),
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
    assert capsys.readouterr().err.startswith("tavli-fast perft: Invalid value for '--depth': '0'")


@pytest.mark.parametrize(
    ("failure", "code", "line"),
    [
        (KeyboardInterrupt(), 130, "interrupted"),
        (MemoryError(), 1, "tavli-fast: not enough memory"),
        (tf.ResultTooLargeError("too many plays"), 1, "tavli-fast: too many plays"),
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

    monkeypatch.setattr(rollout, "roll_out", fail)
    assert run(["rollout", "--json"]) == code
    assert capsys.readouterr() == ("", f"{line}\n")


@pytest.mark.parametrize("columns", [40, 60, 79, 80, 120])
@pytest.mark.parametrize("rules", ["portes", "backgammon"])
def test_a_table_fits_the_screen_and_cuts_no_figure(columns: int, rules: str) -> None:
    args = ["rollout", "--roll", "33", "--trials", "10", "--seed", "1", "--rules", rules]
    args += ["--no-board", "--top", "20", "--plain"]
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


# --- real processes -------------------------------------------------------------------------------


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
    done = process("rollout", "--seed", "5", "--trials", "2000", FORCE_COLOR="1")
    assert (done.returncode, done.stderr) == (0, "")
    assert "\x1b" not in done.stdout
    again = shown("rollout", "--seed", "5", "--trials", "2000")
    # Words are wrapped at other places, as figures of time have other lengths.
    assert untimed(done.stdout).split() == untimed(again).split()


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
        assert (rollout.returncode, err) == (130, "interrupted\n")
        assert not out or "--json" in args or "; interrupted after " in " ".join(out.split())
        with pytest.raises(ProcessLookupError):
            os.killpg(rollout.pid, 0)  # nobody is left in its session
    finally:
        rollout.kill()
        rollout.communicate()


@pytest.mark.skipif(os.name != "posix", reason="terminals of POSIX")
@pytest.mark.parametrize("quiet", [False, True])
def test_a_terminal_shows_a_bar_and_wipes_it(quiet: bool) -> None:
    args = ["rollout", "--policy", "random", "--trials", "40000", "--no-board"]
    args += ["--quiet"] * quiet
    code, text = in_a_terminal(*args, TERM="xterm")
    assert code == 0
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
    monkeypatch.setitem(sys.modules, "tavli_fast.cli.app", None)
    with pytest.raises(ModuleNotFoundError, match=r"tavli_fast\.cli\.app"):
        main()


def test_the_console_script_is_the_module(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["tavli-fast", "rules", "--json"])
    assert main() == 0
