"""What a benchmark finds: costs and figures, the bars they have to reach, and checks of answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

import tavli_fast as tf


@dataclass(frozen=True)
class Bar:
    """What a figure has to reach: the floor at least, the goal one day."""

    floor: float
    goal: float | None = None
    of: str = "X"
    """What it is measured in: X, "norm" (units a second where X is 1 ns), or words of its own."""
    at_least: bool = False
    """Whether more is better."""

    def missed_by(self, figure: float, level: float) -> float:
        """Return how many times too much (or too little) a figure is; 1 or less if it will do."""
        return level / figure if self.at_least else figure / level

    def verdict(self, figure: float) -> str:
        """Say which of the two a figure has reached, and what it is short of."""
        parts = []
        for name, level in (("floor", self.floor), ("goal", self.goal)):
            if level is not None:
                times = self.missed_by(figure, level)
                reached = "met" if times <= 1 else f"NOT met, {times:.2f} times off"
                parts.append(f"{name} {level:,g} {reached}")
        return "; ".join(parts)


@dataclass
class Row:
    """A line of the closing table: what a unit costs, or another figure."""

    kind: str
    """What `report.py` sorts by: the name of the benchmark's file, or one of its own."""
    group: str
    """The heading above it: the first line of the benchmark's file."""
    what: str
    unit: str = ""
    seconds: float | None = None
    """Of one unit, at best."""
    x: float | None = None
    """The seconds of one iteration of the calibration loop, at best, between the rounds."""
    clock: str = "cpu"
    """"cpu": this process's processor time, all its threads together; or "elapsed"."""
    figure: float | None = None
    """What the bar looks at, or a figure that is no cost."""
    of: str = ""
    """What `figure` is measured in."""
    bar: Bar | None = None
    about: dict[str, Any] = field(default_factory=dict)
    """What tables and charts need to know."""

    def line(self) -> str:
        """Return the row as the table shows it."""
        if self.seconds is None or self.x is None:
            return f"{self.what:55s}{self.figure:13,.2f} {self.of}"
        text = f"{self.what:55s}{self.seconds * 1e9:13,.1f} ns {self.seconds / self.x:11,.1f} X"
        text += f" a {self.unit}"
        if self.unit == "game":
            text += f": {1 / self.seconds:,.0f} a second, norm {self.x / self.seconds * 1e9:,.0f}"
        return text + " (elapsed)" * (self.clock == "elapsed")


@dataclass(frozen=True)
class Times:
    """What was measured in one test, each at best."""

    seconds: float
    """Of one unit of the call."""
    x: float
    beside: tuple[float, ...]
    """Of the whole of each call that was timed beside it."""


def check_counts(counts: Any, boards: Any, dice: Any, rules: Any, checked: int) -> None:
    """Assert numbers of plays: the same from the other path, and the reference's for the first."""
    np.testing.assert_array_equal(counts, np.diff(tf.afterstates(boards, dice, rules).offsets))
    slow = tf.reference.count_plays(boards[:checked], dice[:checked], rules)
    np.testing.assert_array_equal(counts[:checked], slow)


def check_afterstates(
    after: Any, offsets: Any, boards: Any, dice: Any, rules: Any, checked: int
) -> None:
    """Assert a batch's afterstates: their numbers, and the reference's boards for the first."""
    np.testing.assert_array_equal(np.diff(offsets), tf.count_plays(boards, dice, rules))
    slow = tf.reference.afterstates(boards[:checked], dice[:checked], rules)
    np.testing.assert_array_equal(offsets[: checked + 1], slow.offsets)
    for begin, end in zip(slow.offsets[:-1], slow.offsets[1:], strict=True):
        assert set(map(bytes, after[begin:end])) == set(map(bytes, slow.boards[begin:end]))


def to_gnubg(board: Any) -> list[list[int]]:
    """Return a board as gnubg has it: the side that is not on roll first, the bar last."""
    return [board[1, 1:].tolist(), board[0, 1:].tolist()]
