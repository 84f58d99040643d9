"""Journals of rollouts: a run that was stopped goes on, and ends with the same bits."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tavli_fast as tf

BOARDS = tf.random_boards(3, rules="backgammon", seed=11)
NET = tf.Net.random("backgammon", hidden=32, seed=1)
CASES: dict[str, dict[str, Any]] = {
    "random": {"policy": "random", "trials": 1000},
    "net": {"policy": NET, "trials": 300},
    "luck": {"policy": NET, "trials": 40, "truncate": 4, "variance_reduction": True},
    "cube": {"policy": NET, "trials": 130, "cube": True, "rules": "backgammon"},
}


class Stop(Exception):  # noqa: N818
    """Raised by `progress` to interrupt a rollout."""


def rolled(case, journal=None, stop_at=None, **options):
    """Roll out, stopping after some share of the games."""

    def progress(done, total):
        if stop_at is not None and done >= stop_at * total:
            raise Stop

    settings = {"rules": "backgammon", "seed": 5, "threads": 1, **CASES[case], **options}
    return tf.rollout(BOARDS, journal=journal, progress=progress, **settings)


@pytest.mark.parametrize("case", CASES)
def test_a_stopped_rollout_goes_on_and_ends_with_the_same_bits(case, tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    for share in (0.2, 0.6):
        with pytest.raises(Stop):
            rolled(case, journal, share)
    done = []
    size = journal.stat().st_size
    found = tf.rollout(
        BOARDS,
        journal=journal,
        threads=2,
        progress=lambda now, _: done.append(now),
        **{"rules": "backgammon", **CASES[case]},
    )
    assert found == rolled(case)
    assert journal.stat().st_size > size
    assert found.seeds == (5,)
    size = journal.stat().st_size
    assert rolled(case, journal) == found  # nothing is left to play
    assert journal.stat().st_size == size


def test_more_trials_than_before_are_played_on_top(tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    rolled("net", journal, trials=128)
    assert rolled("net", journal, trials=512) == rolled("net", trials=512)


def test_with_stop_error_too(tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    options = {"trials": 5120, "stop_error": 0.06, "truncate": 2}
    with pytest.raises(Stop):
        rolled("net", journal, 0.1, **options)
    assert rolled("net", journal, **options) == rolled("net", **options)


@pytest.mark.parametrize("lost", [1, 30, 200])
def test_a_damaged_end_is_played_again(lost, tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    expected = rolled("net", journal)
    whole = journal.read_bytes()
    journal.write_bytes(whole[:-lost])
    assert rolled("net", journal) == expected
    assert journal.read_bytes() == whole
    changed = bytearray(whole)
    changed[-lost - 300] ^= 1
    journal.write_bytes(changed)
    assert rolled("net", journal) == expected
    assert journal.read_bytes() == whole


def test_nor_is_a_first_line_cut_short_in_the_way(tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    expected = rolled("net", journal)
    whole = journal.read_bytes()
    journal.write_bytes(whole[:60])
    assert rolled("net", journal) == expected
    assert journal.read_bytes() == whole


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"seed": 6}, "seed=6"),
        ({"rules": "portes", "policy": tf.Net.random("portes", hidden=32)}, "rules"),
        ({"policy": tf.Net.random("backgammon", hidden=32, seed=2)}, "policy"),
        ({"max_plies": 50}, "settings"),
        ({"policy": lambda boards: np.zeros(len(boards))}, "callable"),
    ],
)
def test_another_rollout_is_refused(changes, said, tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    rolled("net", journal)
    before = journal.read_bytes()
    with pytest.raises(ValueError, match=said):
        rolled("net", journal, **changes)
    assert journal.read_bytes() == before


def test_a_foreign_file_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    for content in (b"hello\n", b"\x00" * 300_000, b'["tavli_fast rollout journal 1", 3]\n'):
        journal = tmp_path / "journal"
        journal.write_bytes(content)
        with pytest.raises(ValueError, match="no journal"):
            rolled("net", journal)
        assert journal.read_bytes() == content
    with pytest.raises(OSError, match="nowhere"):
        rolled("net", tmp_path / "nowhere" / "journal")
    with pytest.raises(ValueError, match="journal=''"):
        rolled("net", "")


SCRIPT = """
import sys, tavli_fast as tf
boards = tf.random_boards(3, rules="backgammon", seed=11)
net = tf.Net.random("backgammon", hidden=32, seed=1)
tf.rollout(boards, net, "backgammon", trials=20_000, seed=5, threads=1, journal=sys.argv[1])
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
def test_a_killed_process_loses_nothing(tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    process = subprocess.Popen([sys.executable, "-c", SCRIPT, os.fspath(journal)])
    try:
        until = time.monotonic() + 60
        while not journal.exists() or journal.stat().st_size < 50_000:
            assert time.monotonic() < until
            assert process.poll() is None
            time.sleep(0.01)
        with pytest.raises(ValueError, match="another process"):
            rolled("net", journal, trials=1280)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    played = []
    found = tf.rollout(
        BOARDS, NET, "backgammon", trials=1280, threads=2, journal=journal,
        interim=lambda result: played.append(result.trials.sum()),
    )  # fmt: skip
    assert found == rolled("net", trials=1280, interim=lambda _: None)
