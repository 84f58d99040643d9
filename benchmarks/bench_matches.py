"""Match files: reading them, and judging every decision."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import tavli_fast as tf

sys.path.append(str(Path(__file__).parent.parent / "tests" / "support"))

from match_files import match_files

TEXTS = {name: data.decode() for name, data in match_files("mat").items()}


def test_reading_match_texts(timed) -> None:
    """Five matches, 1,161 turns in all."""

    def read() -> int:
        return sum(
            len(record.turns)
            for text in TEXTS.values()
            for record in tf.read_mat(text).session.history
        )

    assert read() == 1_161
    timed("read_mat, a match of some 230 turns", len(TEXTS), read, unit="match")


@pytest.mark.parametrize("plies", [0, 1, 2])
def test_analysing_a_match(timed, plies: int) -> None:
    match = tf.read_mat(TEXTS["bglab_01.mat"])
    found = tf.analyse(match, plies=plies, threads=1)
    assert sum(each.unforced for each in found.totals) == 112
    timed(
        f"analyse, a match of 141 turns, {plies} plies",
        1,
        lambda: tf.analyse(match, plies=plies, threads=1),
        unit="match",
    )
