"""A chart of a rollout: equity against trials, with its error band (the extra ``charts``)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import click

from tavli_fast.cli.options.types import require_writable
from tavli_fast.cli.show.estimates import STD_ERRORS_95
from tavli_fast.rollouts.ranked import RankedPlays
from tavli_fast.rollouts.result import RolloutResult

__all__ = ["Chart", "require_plot"]

_MOST_PANELS: Final = 8
"""Plays in a chart: the best ones."""
_COLUMNS: Final = 2


class _Point(NamedTuple):
    """Where a line of the chart goes through."""

    trials: int
    equity: float
    error: float


class Chart:
    """Gathers what a rollout finds on its way, and draws it in the end: one panel for a position,
    or one for each play of a roll, all with the same axes.

    Raises:
        click.UsageError: matplotlib is missing, or cannot write such a file.
    """

    def __init__(self, file: str) -> None:
        """Check that the file can be drawn, before any game is played."""
        require_plot(file)
        self.file = Path(file)
        self._lines: dict[str, list[_Point]] = {}
        self._order: Sequence[str] = ()

    def take(self, result: RolloutResult | RankedPlays) -> None:
        """Note a result on the way, or the last one."""
        if isinstance(result, RankedPlays):
            found = {
                str(each.play): _Point(result.trials, each.equity, each.std_error)
                for each in result
            }
        else:
            trials = int(result.trials[0])
            found = {"": _Point(trials, float(result.equity[0]), float(result.std_error[0]))}
        for name, point in found.items():
            line = self._lines.setdefault(name, [])
            if not line or line[-1].trials < point.trials:
                line.append(point)
        self._order = list(found)

    def draw(self, title: str) -> None:
        """Write the file."""
        from matplotlib.figure import Figure

        names = self._order[:_MOST_PANELS]
        columns = min(_COLUMNS, len(names))
        rows = -(-len(names) // columns)
        figure = Figure(figsize=(max(8, 5 * columns), 5 if rows == 1 else 3 * rows + 1))
        figure.set_layout_engine("constrained")
        panels: Any = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
        for place, panel in enumerate(panels.flat):
            if place >= len(names):
                panel.remove()
                continue
            self._draw_line(panel, names[place])
            if names[place]:
                panel.set_title(f"{place + 1}. {names[place]}")
            panel.grid(alpha=0.3)
        figure.suptitle(title)
        dashed = " (dashed: the best play's equity)" if len(names) > 1 else ""
        figure.supxlabel(f"trials{dashed}")
        figure.supylabel("equity of X, with the 95 % interval")
        figure.savefig(self.file)

    def _draw_line(self, panel: Any, name: str) -> None:
        """Draw the equity of one play, and the best play's at the end for comparison."""
        trials, equity, error = zip(*self._lines[name], strict=True)
        (line,) = panel.plot(trials, equity, marker="." if len(trials) < 20 else "")
        low = [mean - STD_ERRORS_95 * off for mean, off in zip(equity, error, strict=True)]
        high = [mean + STD_ERRORS_95 * off for mean, off in zip(equity, error, strict=True)]
        if len(trials) == 1:
            panel.vlines(trials, low, high, color=line.get_color())
        panel.fill_between(trials, low, high, color=line.get_color(), alpha=0.2, linewidth=0)
        best = self._order[0]
        if name != best:
            panel.axhline(self._lines[best][-1].equity, color="gray", linestyle="--", linewidth=1)


def require_plot(file: str) -> None:
    """Check that a chart can be drawn in a file of that name.

    Raises:
        click.UsageError: matplotlib is missing, or cannot write such a file.
    """
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
    except ImportError:
        raise click.UsageError("--plot needs the extra: pip install 'tavli-fast[charts]'") from None
    endings = FigureCanvasAgg.get_supported_filetypes()
    if Path(file).suffix[1:].lower() not in endings:
        expected = f"expected a name that ends in one of {', '.join(sorted(endings))}"
        raise click.BadParameter(f"{file}: {expected}", param_hint="'--plot'")
    if not Path(file).absolute().parent.is_dir():
        message = f"{file}: expected a folder that exists"
        raise click.BadParameter(message, param_hint="'--plot'")
    require_writable(file, "'--plot'")
