"""The command ``bench``: what it reports, and that it reports nothing of a core that is wrong."""

from __future__ import annotations

import platform

import numpy as np
import pytest
from cli_calls import document, runner, shown

import tavli_fast as tf
from tavli_fast.cli import program
from tavli_fast.cli.commands import bench as package_bench

NAMES = [
    "count_plays, 10,000 boards",
    "afterstates, 10,000 boards",
    "plays, 10,000 boards",
    "afterstates, one board",
    "random games, portes, 1 thread",
    "random games, plakoto, 1 thread",
    "random games, fevga, 1 thread",
]


def test_json() -> None:
    found = document("bench", "--seconds", "1", "--threads", "3")
    assert list(found) == ["machine", "build", "results"]
    assert found["build"] == tf.build_info()
    assert found["machine"]["python"] == platform.python_version()
    assert found["machine"]["numpy"] == np.__version__
    assert found["machine"]["tavli_fast"] == tf.__version__
    assert all(isinstance(value, str) and value for value in found["machine"].values())
    results = found["results"]
    assert [each["name"] for each in results] == [*NAMES, "random games, portes, 3 threads"]
    assert [each["unit"] for each in results] == 3 * ["board"] + ["call"] + 4 * ["game"]
    assert [each["threads"] for each in results] == 7 * [1] + [3]
    assert [each["clock"] for each in results] == 7 * ["cpu"] + ["elapsed"]
    for each in results:
        assert 0 < each["x_ns"] < 1000
        assert each["x"] == pytest.approx(each["ns"] / each["x_ns"])
        assert each["per_second"] == pytest.approx(1e9 / each["ns"])
        assert each["norm"] == pytest.approx(1e9 / each["x"])


def test_words() -> None:
    lines = shown("bench", "--seconds", "1", "--threads", "1").splitlines()
    assert lines[0].startswith(f"tavli-fast {tf.__version__}, built for {tf.build_info()['isa']} ")
    assert f"Python {platform.python_version()}, NumPy {np.__version__}" in lines[1]
    assert lines[3].split() == ["ns", "X", "per", "a", "second", "norm"]
    assert [line.partition("  ")[0] for line in lines[4:11]] == NAMES
    assert any(line.startswith("X: one iteration of a fixed loop, ") for line in lines)
    assert any(line.startswith("norm: ") for line in lines)
    # One thread has nothing to be compared with.
    assert not any("times as fast as one" in line for line in lines)


def test_narrow_screen() -> None:
    lines = shown("bench", "--seconds", "1", "--threads", "2", columns=48).splitlines()
    table = lines[3 : lines.index("(a wider terminal shows more columns)")]
    assert max(map(len, table)) <= 48
    assert table[0].split() == ["ns", "X", "per", "a", "second"]  # without the last
    assert any("2 threads" in line and "times as fast as one" in line for line in lines)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("--seconds 0", "'0': expected a whole number, 1 to 3,600"),
        ("--seconds long", "'long': expected a whole number"),
        ("--threads 0", "'0': expected a whole number, 1 to 1,024"),
        ("60", "unexpected extra argument"),
    ],
)
def test_bad_calls(arguments: str, expected: str) -> None:
    result = runner().invoke(program, ["bench", *arguments.split()])
    assert result.exit_code == 2
    assert expected in result.stderr


@pytest.mark.parametrize("name", ["count_plays", "perft"])
def test_no_figures_of_a_core_that_counts_wrong(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    right = getattr(tf, name)
    monkeypatch.setattr(package_bench, name, lambda *arguments: right(*arguments) + 1)
    result = runner().invoke(program, ["bench", "--seconds", "1"])
    assert result.exit_code == 1
    assert result.stdout == ""
    assert "counts wrong" in result.stderr
