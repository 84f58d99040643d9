"""What all benchmarks share: positions, timing against the calibration loop, the closing tables."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tavli_fast as tf
from tavli_fast.cli.commands.bench import calibrate, machine

sys.path.insert(0, str(Path(__file__).parent))

from rows import Bar, Row, Times

N = 10_000
"""Boards in a batch: a branch predictor learns a thousand by heart."""

BUDGET = 0.2
"""The seconds for which a benchmark repeats its rounds."""

ROWS: list[Row] = []


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--rows", metavar="FILE", help="write all figures to a JSON file")
    with suppress(ValueError):  # the tests' conftest has been read too
        parser.addoption("--run-slow", action="store_true", help="run what takes minutes too")


@pytest.hookimpl(tryfirst=True)  # before pytest-benchmark reads its options
def pytest_configure(config: pytest.Config) -> None:
    """Time processor time, unless another clock is asked for, and leave the table to this file.

    On a machine with other work to do, elapsed time measures that work. ``--benchmark-verbose``
    shows the plugin's own table.
    """
    options = config.option
    options.benchmark_quiet = True
    if str(options.benchmark_timer) == "time.perf_counter":
        options.benchmark_timer = "time.process_time"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: "bench_peers" in item.nodeid)  # last: they may leave threads behind
    if not config.getoption("--run-slow"):
        for item in items:
            if "slow" in item.keywords:
                item.add_marker(pytest.mark.skip(reason="takes minutes: use --run-slow"))


@pytest.fixture(scope="session")
def boards() -> np.ndarray:
    """Positions of uniformly random backgammon games."""
    return tf.random_boards(N, "backgammon", seed=2026)


@pytest.fixture(scope="session")
def dice() -> np.ndarray:
    """A random roll for each board."""
    return np.random.default_rng(2026).integers(1, 7, (N, 2)).astype(np.int8)


@pytest.fixture
def gnubg() -> Any:
    """The package gnubg-nn, if it is there."""
    return pytest.importorskip("gnubg_nn", reason="gnubg-nn is not installed")


@pytest.fixture
def note(request: pytest.FixtureRequest) -> Callable[..., None]:
    """Add a row to the closing tables, under the first line of the test's file.

    Its kind is the name of that file (`bench_calls.py` gives "calls"), unless another is given.
    """
    group = (request.module.__doc__ or "").partition("\n")[0].rstrip(".")
    usual = request.path.stem.removeprefix("bench_")

    def add(what: str, kind: str = usual, **rest: Any) -> None:
        ROWS.append(Row(kind, group, what, **rest))

    return add


@pytest.fixture
def timed(
    benchmark: Any, request: pytest.FixtureRequest, note: Callable[..., None]
) -> Callable[..., Times | None]:
    """Time a call and note what one of its units costs, in ns and in X."""
    marker = request.node.get_closest_marker("benchmark")
    clock = marker.kwargs["timer"] if marker else time.process_time

    def run(
        what: str,
        units: int,
        call: Callable[[], object],
        *,
        unit: str = "position",
        bar: Bar | None = None,
        beside: tuple[Callable[[], object], ...] = (),
        budget: float = BUDGET,
        about: dict[str, Any] | None = None,
    ) -> Times | None:
        """Time `call`, and between its rounds those `beside` it; None if only answers are asked."""
        if not benchmark.enabled:
            benchmark.pedantic(call)
            return None
        x = float("inf")
        best = [x] * len(beside)

        def between() -> None:
            nonlocal x
            x = min(x, calibrate(clock))
            for i, other in enumerate(beside):
                began = clock()
                other()
                best[i] = min(best[i], clock() - began)

        began = time.perf_counter()
        call()
        between()
        once = time.perf_counter() - began
        rounds = max(4 if once < 1 else 2, min(500, int(budget / once)))
        benchmark.pedantic(call, setup=between, rounds=rounds)
        each = benchmark.stats.stats.min / units
        benchmark.extra_info.update(ns=each * 1e9, X=each / x)
        figure = None
        if bar is not None:
            figure = x / each * 1e9 if bar.of == "norm" else each / x
        note(
            what,
            unit=unit,
            seconds=each,
            x=x,
            clock="cpu" if clock is time.process_time else "elapsed",
            figure=figure,
            of=bar.of if bar else "",
            bar=bar,
            about=about or {},
        )
        return Times(each, x, tuple(best))

    return run


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Print what each unit costs, then how far the bars are reached; write the JSON file."""
    if not ROWS:
        return
    write = terminalreporter.write_line
    least = min((row.x for row in ROWS if row.x is not None), default=None)
    terminalreporter.section("what a unit costs: the least of many rounds")
    for line in _legend(least):
        write(line)
    group = ""
    for row in ROWS:
        if row.group != group:
            group = row.group
            write(f"\n{group}")
        write(f"  {row.line()}")
    barred = [(row, row.bar, row.figure) for row in ROWS if row.bar and row.figure is not None]
    if barred:
        terminalreporter.section(
            "targets: the floor has to be reached, the goal is where it should go"
        )
    for row, bar, figure in barred:
        write(f"  {row.what:55s}{figure:13,.2f} {row.of}: {bar.verdict(figure)}")
    if path := config.getoption("--rows"):
        rows = [asdict(row) for row in ROWS]
        document = {"machine": machine(), "build": tf.build_info(), "rows": rows}
        Path(path).write_text(json.dumps(document, indent=1), encoding="utf-8")


def _legend(x: float | None) -> Iterator[str]:
    """Say what the figures are."""
    build, here = tf.build_info(), machine()
    yield (
        f"{here['processor']}, {here['processors']} processors, Python {here['python']}, NumPy "
        f"{here['numpy']}; core built for {build['isa']} by compiler {build['compiler']}"
    )
    if x is not None:
        yield (
            "X: the time of one iteration of a fixed loop (a chained 64-bit xorshift), timed "
            f"between the rounds; here {x * 1e9:.3f} ns at best. Machines are compared in X."
        )
    yield "norm: a rate as it would be on a machine where X is 1 ns (the rate times X in ns)."
    yield "Times are processor time, all threads together; those marked (elapsed) are not."
