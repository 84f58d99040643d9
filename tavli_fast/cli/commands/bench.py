"""The command ``bench``: how fast the core is on this machine, in about a minute."""

from __future__ import annotations

import platform
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from importlib.metadata import version
from os import cpu_count
from pathlib import Path
from time import perf_counter, process_time
from typing import Any, Final, NamedTuple

import click
import numpy as np

from tavli_fast import _core
from tavli_fast._common.arguments import workers
from tavli_fast._core import build_info
from tavli_fast.boards.plays import afterstates, count_plays, perft
from tavli_fast.boards.plays import plays as list_plays
from tavli_fast.boards.positions import random_boards, start
from tavli_fast.cli.options.games import threads_option
from tavli_fast.cli.options.output import json_option
from tavli_fast.cli.options.types import Whole
from tavli_fast.cli.show.table import Column, counted, print_json, print_table
from tavli_fast.rollouts.rollout import rollout

__all__ = ["bench", "calibrate", "machine"]

Clock = Callable[[], float]

_BOARDS: Final = 10_000
"""Boards in a batch: a branch predictor learns a thousand by heart."""
_CALLS: Final = 1_000
"""Calls with one board each that are timed together."""
_GAMES: Final = 2_000
"""Games that are timed together; in the task for several threads, so many for each of them and
four times over, for it takes a while until all are at work."""
_PLIES_3: Final = 116_154_993
"""perft 3 of backgammon, which Portes shares: what three independent generators have found."""
_ITERATIONS: Final = 100_000


class Task(NamedTuple):
    """Something to time."""

    name: str
    unit: str
    """What the cost is told of: a position, a call, a game."""
    units: int
    call: Callable[[], object]
    clock: Clock = process_time
    threads: int = 1


class Cost(NamedTuple):
    """What a unit of a task costs, at best."""

    task: Task
    seconds: float
    x: float
    """The seconds of one iteration of the calibration loop, at best, between the rounds."""

    @property
    def times_x(self) -> float:
        """The cost in X."""
        return self.seconds / self.x

    @property
    def norm(self) -> float:
        """The units a second of a machine on which X is 1 ns."""
        return self.x / self.seconds * 1e9

    def document(self) -> dict[str, Any]:
        """Return the cost for JSON."""
        return {
            "name": self.task.name,
            "unit": self.task.unit,
            "threads": self.task.threads,
            "clock": "cpu" if self.task.clock is process_time else "elapsed",
            "ns": self.seconds * 1e9,
            "x_ns": self.x * 1e9,
            "x": self.times_x,
            "per_second": 1 / self.seconds,
            "norm": self.norm,
        }


@click.command(short_help="Measure how fast this machine is.")
@click.option("--seconds", type=Whole(1, 3600), default=60, help="How long to measure, about.")
@threads_option
@json_option
def bench(seconds: int, threads: int | None, as_json: bool) -> None:
    """Measure counting and listing plays, calls with one board, and random games.

    The answers are checked first. Each cost is the least of many rounds, in nanoseconds and in X:
    the time of one iteration of a fixed loop that is timed between the rounds. Nanoseconds compare
    programs on one machine, X compares machines.
    """
    threads = workers(threads)
    boards = random_boards(_BOARDS, "portes", seed=2026)
    dice = np.random.default_rng(2026).integers(1, 7, (_BOARDS, 2)).astype(np.int8)
    _require_right_answers(boards, dice)
    tasks = _tasks(boards, dice, threads)
    with _progress(tasks) as shown:
        costs = [_measure(task, seconds / len(tasks)) for task in shown]
    if as_json:
        results = [cost.document() for cost in costs]
        print_json({"machine": machine(), "build": build_info(), "results": results})
        return
    _print(costs)


def calibrate(clock: Clock) -> float:
    """Return the seconds of one iteration of the calibration loop, measured once."""
    began = clock()
    _core.cpu.calibration_loop(_ITERATIONS)
    return (clock() - began) / _ITERATIONS


def machine() -> dict[str, str]:
    """Return what the figures depend on, but for the core's build."""
    return {
        "processor": _processor(),
        "processors": str(cpu_count()),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "numpy": np.__version__,
        "tavli_fast": version("tavli-fast"),
    }


def _processor() -> str:
    """Return the processor's name, as far as the system tells."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:  # not Linux
        lines = []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor() or "unknown")


def _require_right_answers(boards: Any, dice: Any) -> None:
    """Check that what is to be timed is right.

    Raises:
        click.ClickException: it is not.
    """
    counts = count_plays(boards, dice)
    same = np.array_equal(counts, np.diff(afterstates(boards, dice).offsets))
    if not same or perft(start(), 3) != _PLIES_3:
        raise click.ClickException(f"the core counts wrong ({build_info()}): no figures")


def _tasks(boards: Any, dice: Any, threads: int) -> list[Task]:
    pairs = [(board, tuple(roll)) for board, roll in zip(boards, dice.tolist(), strict=True)]
    pairs = pairs[:_CALLS]

    def one_by_one() -> None:
        for board, roll in pairs:
            afterstates(board, roll)

    def games(rules: str, threads: int = 1) -> Task:
        number = _GAMES if threads == 1 else 4 * _GAMES * threads
        play = partial(
            rollout, start(rules), "random", rules, number, seed=1, threads=threads, progress=None
        )
        name = f"random games, {rules}, {counted(threads, 'thread')}"
        clock = process_time if threads == 1 else perf_counter
        return Task(name, "game", number, play, clock, threads)

    batch = f"{_BOARDS:,} boards"
    return [
        Task(f"count_plays, {batch}", "board", _BOARDS, partial(count_plays, boards, dice)),
        Task(f"afterstates, {batch}", "board", _BOARDS, partial(afterstates, boards, dice)),
        Task(f"plays, {batch}", "board", _BOARDS, partial(list_plays, boards, dice)),
        Task("afterstates, one board", "call", _CALLS, one_by_one),
        games("portes"),
        games("plakoto"),
        games("fevga"),
        *([games("portes", threads)] if threads > 1 else []),
    ]


def _measure(task: Task, budget: float) -> Cost:
    """Time a task again and again for so many seconds, twice at least; return the best."""
    best = x = float("inf")
    deadline = perf_counter() + budget
    rounds = 0
    while rounds < 2 or perf_counter() < deadline:
        x = min(x, calibrate(task.clock))
        began = task.clock()
        task.call()
        best = min(best, task.clock() - began)
        rounds += 1
    return Cost(task, best / task.units, x)


@contextmanager
def _progress(tasks: Sequence[Task]) -> Iterator[Iterable[Task]]:
    """Give the tasks one after another, with a bar on stderr if somebody sees it."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield tasks
        return
    with click.progressbar(tasks, label="measuring", file=sys.stderr) as bar:
        yield bar


def _print(costs: Sequence[Cost]) -> None:
    """Print the costs, and what they depend on."""
    here, build = machine(), build_info()
    click.echo(
        f"tavli-fast {here['tavli_fast']}, built for {build['isa']} (here: {build['available']}), "
        f"compiler {build['compiler']}"
    )
    click.echo(
        f"{here['processor']}, {counted(cpu_count() or 1, 'processor')}, {here['system']}, "
        f"Python {here['python']}, NumPy {here['numpy']}\n"
    )
    games = [cost if cost.task.unit == "game" else None for cost in costs]
    print_table(
        [
            Column("", [cost.task.name for cost in costs], left=True),
            Column("ns", [f"{cost.seconds * 1e9:,.0f}" for cost in costs]),
            Column("X", [f"{cost.times_x:,.1f}" for cost in costs]),
            Column("per", [cost.task.unit for cost in costs], left=True),
            Column("a second", [f"{1 / cost.seconds:,.0f}" for cost in costs], extra=True),
            Column("norm", [f"{cost.norm:,.0f}" if cost else "" for cost in games], extra=True),
        ]
    )
    click.echo(f"\nX: one iteration of a fixed loop, {min(cost.x for cost in costs) * 1e9:.3f} ns.")
    click.echo("norm: games a second of a machine on which X is 1 ns.")
    several = costs[-1]
    if several.task.threads > 1:
        alone = next(cost for cost in costs if cost.task.unit == "game")
        click.echo(
            f"{counted(several.task.threads, 'thread')}: {alone.seconds / several.seconds:.2f} "
            "times as fast as one. That row is elapsed time, so other work on this machine slows "
            "it; the others are processor time."
        )
    click.echo("Boards are those of random games, with random rolls; every call checks its boards.")
