"""Ctrl-C in the commands that play games: one line, exit code 130, and nobody left at work."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import BrokenExecutor
from pathlib import Path

import pytest
from cli_calls import runner
from processes import ANNOUNCING, interruptible

import tavli_fast as tf
from tavli_fast.cli import program
from tavli_fast.cli.commands import match

TABLES = "match net random --rules backgammon --target 5 --games 1e6 --threads 2"
CALLS = [
    (TABLES, 0.0),  # while its processes begin
    (TABLES, 0.1),
    (TABLES, 1.0),
    ("match net random --games 1e9", 0.3),
    ("rollout --rules backgammon --cube --trials 1e9", 0.3),
    ("train --rules hypergammon --minutes 60 --hidden 32 --pairs 2", 0.3),
]


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize(("call", "pause"), CALLS)
def test_ctrl_c_is_one_line(call: str, pause: float, tmp_path: Path) -> None:
    command = [sys.executable, "-c", ANNOUNCING, *call.split()]
    with (
        interruptible(),
        subprocess.Popen(
            command,
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        ) as work,
    ):
        assert work.stderr is not None
        try:
            assert work.stderr.readline() == "begun\n"
            time.sleep(pause)
            os.killpg(work.pid, signal.SIGINT)  # as a terminal does: to all processes of the group
            _, complaint = work.communicate(timeout=60)
        finally:
            work.kill()
    assert (work.returncode, complaint) == (130, "interrupted\n")
    if call.startswith("train"):
        assert not tf.Net.load(tmp_path / "hypergammon.npz").info["finished"]


def test_a_process_that_dies_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def dying(*args: object) -> None:
        raise BrokenExecutor("a child was terminated")

    monkeypatch.setattr(match, "play_tables", dying)
    result = runner().invoke(program, ["match", "random", "random", "--target", "3"])
    assert result.exit_code == 1
    assert "a process that played games has died" in result.stderr
