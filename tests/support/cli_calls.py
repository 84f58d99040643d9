"""Calls of the command line in this process, and positions to call it with."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
from click.testing import CliRunner

import tavli_fast as tf
from tavli_fast.cli import program

ROLLOUT = ("rollout", "--policy", "random")
"""Quick, and of every game."""
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


def runner() -> CliRunner:
    """Return what calls the program and keeps stdout and stderr apart."""
    try:
        return CliRunner(mix_stderr=False)  # type: ignore[call-arg]  # click 8.1
    except TypeError:
        return CliRunner()


def shown(*args: str, columns: int = 200, stdin: str = "", stderr: str = "") -> str:
    """Return what a call prints; it must succeed, and say no more than `stderr` there."""
    result = runner().invoke(program, args, env={"COLUMNS": str(columns)}, input=stdin)
    assert result.exit_code == 0, result.output
    assert result.exception is None
    assert result.stderr == stderr
    return result.stdout


def document(*args: str, stderr: str = "") -> Any:
    """Return the JSON that a call prints; it must be strict and all on one line."""

    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is no JSON")

    output = shown(*args, "--json", stderr=stderr)
    assert output.count("\n") == 1
    return json.loads(output, parse_constant=refuse)


def untimed(output: str) -> str:
    """Return an output without what differs from run to run."""
    output = re.sub(r"[\d.]+ s, [\d,]+ (games|nodes)/s", "_", output)
    return re.sub(r'"(seconds|nodes_per_second)": [\d.e+-]+', "_", output)
