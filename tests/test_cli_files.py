"""Files of the command line: what cannot be read or written is one line, before any work."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from cli_calls import runner, shown

import tavli_fast as tf
from tavli_fast.cli import program
from tavli_fast.training.trainer import Trainer

TRAIN = "train --rules hypergammon --games 8 --hidden 32 --pairs 2 --seed 1"


def failure(call: str, code: int = 2) -> str:
    """The one line of a call that fails."""
    result = runner().invoke(program, call.split())
    assert result.exit_code == code, result.output
    return " ".join(result.stderr.split())


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def idle(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is trained or played."""

    def never(*args: object, **more: object) -> None:
        raise AssertionError("the work has begun")

    monkeypatch.setattr(Trainer, "run", never)
    monkeypatch.setattr("tavli_fast.cli.commands.rollout.roll_out", never)


@pytest.mark.usefixtures("idle")
@pytest.mark.parametrize("option", ["--out", "--checkpoint", "--curve", "--plot"])
def test_training_refuses_first_what_it_cannot_write(option: str) -> None:
    if option == "--plot":
        pytest.importorskip("matplotlib")
    Path("folder.png").mkdir()
    assert f"'{option}'" in failure(f"{TRAIN} {option} no/such/n.png")
    assert "is a directory" in failure(f"{TRAIN} {option} folder.png").lower()
    assert {path.name for path in Path().iterdir()} == {"folder.png"}


@pytest.mark.usefixtures("idle")
def test_the_usual_name_may_be_taken_too() -> None:
    Path("hypergammon.npz").mkdir()
    assert "'--out': 'hypergammon.npz': Is a directory" in failure(TRAIN)


@pytest.mark.usefixtures("idle")
def test_two_options_do_not_share_a_file() -> None:
    message = "--out and --checkpoint with ./n.npz: expected two files"
    assert message in failure(f"{TRAIN} --out n.npz --checkpoint ./n.npz")
    assert "--out and --curve" in failure(f"{TRAIN} --curve hypergammon.npz")


@pytest.mark.usefixtures("idle")
def test_other_commands_refuse_first_too() -> None:
    assert "'--save'" in failure("play --save no/such/match.mat")
    pytest.importorskip("matplotlib")
    Path("chart.png").mkdir()
    message = "'--plot': 'chart.png': Is a directory"
    assert message in failure("rollout --trials 2 --plot chart.png")


def test_looking_leaves_what_is_there_and_nothing_new() -> None:
    Path("old.mat").write_text("old")
    shown("play", "--no-board", "--policy", "random", "--save", "new.mat", stdin="q\n")
    assert Path("new.mat").read_text() != ""
    assert "no-such" in failure("play --save old.mat --policy no-such")
    assert Path("old.mat").read_text() == "old"
    assert "no-such" in failure("play --save other.mat --policy no-such")
    assert {path.name for path in Path().iterdir()} == {"old.mat", "new.mat"}


def test_a_pipe_is_no_checkpoint_and_stays_one() -> None:
    os.mkfifo("pipe")
    assert "checkpoint='pipe': expected a file" in failure(f"{TRAIN} --checkpoint pipe")
    assert Path("pipe").is_fifo()


def test_a_net_by_any_name() -> None:
    tf.Net.random("hypergammon", 8, seed=1).save("mine")
    assert "mean" in shown("rollout", "--rules", "hypergammon", "--trials", "4", "--policy", "mine")


@pytest.mark.parametrize(
    "call", ["rollout --policy {}", "match {} net", "train --resume {}", "play --policy {}"]
)
def test_damaged_files(call: str) -> None:
    tf.Net.random("portes", 8, seed=1).save("net.npz")
    data = Path("net.npz").read_bytes()
    for name, part in (("cut.npz", data[:-40]), ("tail.npz", data[700:]), ("empty.npz", b"")):
        Path(name).write_bytes(part)
        assert f"{name} is no" in failure(call.format(name))


@pytest.mark.parametrize("minutes", ["0", "nan", "inf", "-1", "x", "1e7"])
def test_no_time_to_train(minutes: str) -> None:
    assert "expected a number above 0" in failure(f"train --minutes {minutes}")
