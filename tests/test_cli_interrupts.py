"""Ctrl-C in the commands that play games: exit code 130, nobody left at work, nothing lost."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import BrokenExecutor
from pathlib import Path
from typing import Any

import pytest
from cli_calls import runner
from processes import ANNOUNCING, interruptible

import tavli_fast as tf
from tavli_fast.cli import program, run
from tavli_fast.cli.commands import match, rollout
from tavli_fast.training.trainer import Trainer

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
            output, complaint = work.communicate(timeout=60)
        finally:
            work.kill()
    assert (work.returncode, complaint) == (130, "interrupted\n")
    if output and not call.startswith("train"):  # it depends on the machine
        assert "nterrupted after " in " ".join(output.split())
    if call.startswith("train"):
        assert not tf.Net.load(tmp_path / "hypergammon.npz").info["finished"]


def test_a_process_that_dies_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def dying(*args: object, **more: object) -> None:
        raise BrokenExecutor("a child was terminated")

    monkeypatch.setattr(match, "arena", dying)
    result = runner().invoke(program, ["match", "random", "random", "--target", "3"])
    assert result.exit_code == 1
    assert "a process that played games has died" in result.stderr


def interrupt(monkeypatch: pytest.MonkeyPatch, module: object, name: str, after: int) -> None:
    """Press Ctrl-C when `module.name` has told of so many games."""
    call = getattr(module, name)

    def interrupted(*args: object, **more: object) -> object:
        def progress(done: int, total: int) -> None:
            if done >= after:
                raise KeyboardInterrupt

        return call(*args, **(more | {"progress": progress}))

    monkeypatch.setattr(module, name, interrupted)


PARTIAL = [
    ("rollout --no-board --policy random --trials 1e9 --threads 1", rollout, "roll_out", "trials"),
    ("rollout --no-board 31 --rules hypergammon --trials 1e6", rollout, "rank", "trials"),
    ("match net random --rules hypergammon --games 1e9", match, "arena", "games"),
    ("match random random --target 1 --games 1e6 --threads 1", match, "arena", "matches"),
]


@pytest.mark.parametrize(("call", "module", "name", "count"), PARTIAL)
def test_ctrl_c_shows_what_has_been_found(
    call: str,
    module: object,
    name: str,
    count: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Half an hour of games was lost by an interruption."""
    interrupt(monkeypatch, module, name, 6)
    assert run([*call.split(), "--seed", "1"]) == 130
    words, complaint = capsys.readouterr()
    assert complaint == "interrupted\n"
    assert "nterrupted after " in words
    assert run([*call.split(), "--seed", "1", "--json"]) == 130
    found, complaint = capsys.readouterr()
    assert complaint == "interrupted\n"
    document = json.loads(found)
    assert document["partial"] is True
    assert 0 < document[count] < 10**5


def test_an_interrupted_training_is_saved_and_marked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run_whole = Trainer.run

    def interrupted(trainer: Trainer, progress: object, **more: Any) -> None:
        def stop(now: object) -> None:
            raise KeyboardInterrupt

        run_whole(trainer, stop, **more)

    monkeypatch.setattr(Trainer, "run", interrupted)
    out = tmp_path / "net.npz"
    call = f"train --rules hypergammon --games 1e6 --hidden 32 --pairs 2 --seed 1 --out {out}"
    assert run([*call.split(), "--json"]) == 130
    found, complaint = capsys.readouterr()
    assert complaint == "interrupted\n"
    assert json.loads(found)["partial"] is True
    assert not tf.Net.load(out).info["finished"]
