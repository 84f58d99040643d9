"""What all benchmarks share: positions, the calibration loop X, and the closing table."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tavli_fast as tf
from tavli_fast._core import games as _games

N = 10_000
"""Boards in a batch: a branch predictor learns a thousand by heart."""

ROWS: list[tuple[str, float, float]] = []


def measure_x() -> float:
    """Return the seconds of one iteration of the calibration loop, the best of five."""
    iterations = 2_000_000
    best = float("inf")
    for _ in range(5):
        begun = time.perf_counter()
        _games.calibration_loop(iterations)
        best = min(best, time.perf_counter() - begun)
    return best / iterations


@pytest.fixture(scope="session")
def boards() -> np.ndarray:
    """Positions of uniformly random backgammon games."""
    return tf.random_boards(N, "backgammon", seed=2026)


@pytest.fixture(scope="session")
def dice() -> np.ndarray:
    """A random roll for each board."""
    return np.random.default_rng(2026).integers(1, 7, (N, 2)).astype(np.int8)


@pytest.fixture
def timed(benchmark: Any, request: pytest.FixtureRequest) -> Callable[..., Any]:
    """Time a call and note what one of `units` costs, in ns and in X of the same minute."""

    def run(units: int, call: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        result = benchmark(call, *args, **kwargs)
        if benchmark.stats is not None:  # None when benchmarks only check their answers
            x = measure_x()
            each = benchmark.stats.stats.min / units
            benchmark.extra_info.update(ns=each * 1e9, X=each / x)
            ROWS.append((request.node.name, each, x))
        return result

    return run


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print each benchmark's cost a unit (a position, a game, a call)."""
    if not ROWS:
        return
    write = terminalreporter.write_line
    terminalreporter.section("a unit's cost: best time, in ns and in X (one calibration iteration)")
    for name, each, x in ROWS:
        line = f"{name:48s} {each * 1e9:12.1f} ns {each / x:11.1f} X   (X {x * 1e9:.3f} ns)"
        if "games" in name:
            line += f"   {1 / each:9.0f} games/s, norm {x * 1e9 / each:9.0f}"
        write(line)
    costs = {name: each for name, each, _ in ROWS}
    core, slow = costs.get("test_plays"), costs.get("test_reference_plays")
    if core and slow:
        write(f"plays: the reference takes {slow / core:.0f} times as long as the core")
