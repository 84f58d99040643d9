"""Measure everything and write the results, with charts, into docs/performance.md.

    python benchmarks/report.py              # some ten minutes, better on a machine left alone
    python benchmarks/report.py --render     # only tables and charts, from benchmarks/results.json

It needs the package installed with the extras test and charts, and takes the peers that are there
(extra peers). Costs are the least of all runs, figures such as ratios their median, but for those
of several threads: the best, since a processor that others use can only spoil them.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any

from rows import Bar

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "results.json"
PAGE = ROOT / "docs" / "performance.md"
CHARTS = ROOT / "docs" / "img"
BEGIN = "<!-- figures: written by benchmarks/report.py -->"
END = "<!-- figures: end -->"

Row = dict[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--runs", type=int, default=3, help="how often to run all benchmarks")
    parser.add_argument("--render", action="store_true", help="measure nothing")
    options = parser.parse_args()
    if not options.render:
        RESULTS.write_text(json.dumps(measured(options.runs), indent=1) + "\n", encoding="utf-8")
    results = json.loads(RESULTS.read_text(encoding="utf-8"))
    page = PAGE.read_text(encoding="utf-8")
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    text = "\n\n".join(parts(results))
    PAGE.write_text(f"{before}{BEGIN}\n\n{text}\n\n{END}{after}", encoding="utf-8")
    draw(results["rows"])


# Measuring


def measured(runs: int) -> dict[str, Any]:
    """Run the benchmarks so often and put their figures together."""
    command = [sys.executable, "-P", "-m", "pytest", "-q", "benchmarks", "--run-slow"]
    begun, documents, loads = datetime.now(UTC), [], [os.getloadavg()[0]]
    with tempfile.TemporaryDirectory() as folder:
        for run in range(runs):
            path = Path(folder) / f"{run}.json"
            subprocess.run([*command, "--rows", str(path)], cwd=ROOT, check=True)
            documents.append(json.loads(path.read_text(encoding="utf-8")))
            loads.append(os.getloadavg()[0])
    return {
        "date": begun.strftime("%Y-%m-%d"),
        "commit": commit(),
        "runs": runs,
        "loads": loads,
        "machine": documents[0]["machine"],
        "build": documents[0]["build"],
        "rows": combined([document["rows"] for document in documents]),
    }


def commit() -> str:
    """Return the commit, and whether the core has been changed since."""

    def git(*words: str) -> str:
        call = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True)
        return call.stdout.strip()

    changed = " with changes in src" if git("status", "--porcelain", "--", "src") else ""
    return git("rev-parse", "--short", "HEAD") + changed


def combined(runs: Sequence[Sequence[Row]]) -> list[Row]:
    """Put the rows of the same name together."""
    by_name: dict[str, list[Row]] = {}
    for rows in runs:
        for row in rows:
            by_name.setdefault(f"{row['group']}: {row['what']} ({row['of']})", []).append(row)
    return [best(rows) for rows in by_name.values()]


def best(rows: Sequence[Row]) -> Row:
    """Return the row of several runs, as the module's first lines say."""
    row = dict(rows[0])
    if row["seconds"] is not None:
        row["seconds"] = min(each["seconds"] for each in rows)
        row["x"] = min(each["x"] for each in rows)
        if row["bar"]:
            norm = row["x"] / row["seconds"] * 1e9
            row["figure"] = norm if row["bar"]["of"] == "norm" else row["seconds"] / row["x"]
        return row
    figures = [each["figure"] for each in rows]
    if row["of"] in ("µs", "ms") or row["about"].get("scaling") == "work":
        row["figure"] = min(figures)
    elif row["about"].get("scaling") in ("threads", "sizes"):
        row["figure"] = max(figures)
    else:
        row["figure"] = median(figures)
    return row


# Tables


def parts(results: dict[str, Any]) -> Iterator[str]:
    """Give the sections of the page."""
    rows = results["rows"]
    yield from where(results)
    yield "### Targets"
    yield (
        "The floor has to be reached, the goal is where the figure should go. X is the time of one "
        "iteration of the calibration loop; norm is a rate times X in nanoseconds, the rate on a "
        "machine where X is 1 ns."
    )
    yield bars(rows)
    yield "### Other engines"
    yield peers(rows)
    yield "![Random games per second and time for the plays of a roll](img/peers.svg)"
    yield "### Batches and calls"
    yield costs(rows, lambda row: row["kind"] in ("generation", "calls"))
    yield "### Phases and families"
    yield (
        "Nanoseconds per position with a random roll, and in brackets the mean number of plays. "
        "“Stopped” means a checker on the bar (backgammon), a pinned one (Plakoto), or a runner "
        "that has not passed the gate (Fevga)."
    )
    yield phases(rows)
    yield "![Nanoseconds per position by phase](img/phases.svg)"
    yield "### Random games by rule set"
    yield games(rows)
    yield "### Nets, rollouts and training"
    yield costs(rows, lambda row: row["kind"] in ("evaluators", "rollouts", "training"))
    yield "### Builds"
    yield builds(rows)
    yield "### Scaling"
    yield "![Time per position against the size of the batch](img/positions.svg)"
    yield scaling(rows, "positions", "positions in a call", "ns per position")
    yield "![Speed against threads](img/threads.svg)"
    yield scaling(rows, "threads", "threads", "times as fast as one")
    yield " ".join(
        f"{row['what'].capitalize()}: {row['figure']:.2f} {row['of']} as fast."
        for row in rows
        if row["about"].get("scaling") == "sizes"
    )
    yield (
        "The processor time that several threads take together, relative to one thread. It does "
        "not depend on how many processors are free; if it is 1.1, two free processors can be at "
        "most 2 / 1.1 times as fast as one."
    )
    yield scaling(rows, "work", "threads", "times the work")
    yield "![Time per game against trials](img/trials.svg)"
    yield scaling(rows, "trials", "trials", "ns per game")


def where(results: dict[str, Any]) -> Iterator[str]:
    """Say where, when and how the figures were taken."""
    here, build, rows = results["machine"], results["build"], results["rows"]
    x = [row["x"] * 1e9 for row in rows if row["x"]]
    loads = ", ".join(f"{load:.1f}" for load in results["loads"])
    yield table(
        ["", ""],
        [
            ["machine", f"{here['processor']}, {here['processors']} processors, {here['system']}"],
            ["Python, NumPy", f"{here['python']}, {here['numpy']}"],
            ["core", f"built for {build['isa']} (available: {build['available']})"],
            ["compiler", build["compiler"]],
            ["version, commit", f"{here['tavli_fast']}, {results['commit']}"],
            ["date, runs", f"{results['date']}, {results['runs']} runs of all benchmarks"],
            ["X", f"{median(x):.2f} ns in most benchmarks, {min(x):.2f} to {max(x):.2f} in all"],
            ["load average", f"{loads} (before the first and after each run, 1 of it our own)"],
        ],
    )
    processors = int(here["processors"])
    if max(results["loads"]) > 1.5:
        yield (
            f"**Measured under load.** The {processors} processors were shared with other work all "
            "the time. Times are processor time, which excludes waiting, and the minimum of many "
            "rounds; but other programs also use caches and execution units, so an idle machine "
            "does better. Figures that need several free processors at once (the thread ratios, "
            "elapsed time) are distorted most: read them as lower limits."
        )


def bars(rows: Sequence[Row]) -> str:
    """Return the table of the bars."""
    lines = []
    for row in rows:
        if row["bar"] and row["figure"] is not None:
            bar = Bar(**row["bar"])
            cells = [row["what"].strip(), f"{number(row['figure'])} {row['of']}"]
            for level in (bar.floor, bar.goal):
                if level is None:
                    cells.append("")
                    continue
                times = bar.missed_by(row["figure"], level)
                cells.append(f"{number(level)}: {'met' if times <= 1 else f'{times:.2f} x off'}")
            lines.append(cells)
    return table(["what", "measured", "floor", "goal"], lines, right=(1, 2, 3))


def peers(rows: Sequence[Row]) -> str:
    """Return the table of the other engines."""
    lines = []
    ratios = [row for row in rows if row["about"].get("peer") and row["seconds"] is None]
    for row in rows:
        about = row["about"]
        if not about.get("peer") or row["seconds"] is None:
            continue
        same = [each for each in ratios if keyed(each) == keyed(row)]
        lines.append(
            [
                row["what"].strip(),
                cost(row),
                norm_or_x(row),
                f"{number(same[0]['figure'])} x" if same else "",
            ]
        )
    if not lines:
        return "No other engine was installed."
    odd = [
        f"{row['what'].strip()}: {row['figure']:.0f} {row['of']}."
        for row in rows
        if row["kind"] == "other plays"
    ]
    alone = [
        f"{row['what'].strip()}: {row['figure']:.2f} {row['of']}."
        for row in rows
        if row["kind"] == "one board"
    ]
    heads = ["engine", "a position or a game", "", "ours in the same run"]
    text = table(heads, lines, right=(1, 2, 3))
    notes = [
        "“Ours” is a batch of `afterstates` of the same positions and rolls, every position "
        "written, or our random games in one thread. " + " ".join(alone)
    ]
    if odd:
        notes.append("Differences in the rules: " + " ".join(odd))
    return "\n\n".join([text, *notes])


def keyed(row: Row) -> tuple[str, str, str]:
    about = row["about"]
    return about["peer"], about["task"], about.get("how", "")


def costs(rows: Sequence[Row], wanted: Callable[[Row], bool]) -> str:
    """Return the table of the rows that are wanted."""
    lines = []
    for row in filter(wanted, rows):
        if row["seconds"] is None:
            lines.append([row["what"].strip(), f"{number(row['figure'])} {row['of']}", "", ""])
        else:
            lines.append([row["what"].strip(), cost(row), norm_or_x(row), f"per {row['unit']}"])
    return table(["what", "", "", ""], lines, right=(1, 2))


def phases(rows: Sequence[Row]) -> str:
    """Return the table of the phases."""
    cells: dict[tuple[str, str, str], Row] = {}
    for row in rows:
        about = row["about"]
        if "phase" in about:
            cells[about["rules"], about["call"], phase_name(about["phase"])] = row
    names = ["opening", "middle", "stopped", "bear-in", "bear-off"]
    lines = []
    for rules, call in dict.fromkeys((rules, call) for rules, call, _ in cells):
        line = [f"{rules}, `{call}`"]
        for name in names:
            row = cells[rules, call, name]
            plays = row["about"].get("plays")
            line.append(number(row["seconds"] * 1e9) + (f" ({plays:.1f})" if plays else ""))
        lines.append(line)
    return table(["", *names], lines, right=range(1, 6))


def phase_name(phase: str) -> str:
    return "stopped" if phase in ("bar", "pinned", "gate") else phase


def games(rows: Sequence[Row]) -> str:
    """Return the table of random games by rule set."""
    rows = [row for row in rows if row["kind"] == "playouts" and "rules" in row["about"]]
    plies = {row["about"]["rules"]: row for row in rows if row["unit"] == "ply"}
    lines = []
    for row in rows:
        rules = row["about"]["rules"]
        if row["unit"] == "game" and rules in plies:
            ply = plies[rules]
            lines.append(
                [
                    rules,
                    f"{1 / row['seconds']:,.0f}",
                    f"{row['x'] / row['seconds'] * 1e9:,.0f}",
                    cost(ply),
                    f"{number(ply['seconds'] / ply['x'])} X",
                ]
            )
    return table(["rules", "games per second", "norm", "per ply", ""], lines, right=(1, 2, 3, 4))


def builds(rows: Sequence[Row]) -> str:
    """Return the table of the builds."""
    found: dict[str, dict[str, Row]] = {}
    for row in rows:
        if "isa" in row["about"]:
            found.setdefault(row["about"]["call"], {})[row["about"]["isa"]] = row
    names = list(next(iter(found.values()), {}))
    lines = []
    for call, by in found.items():
        cells = [f"{cost(row)}, {norm_or_x(row)}" for row in map(by.__getitem__, names)]
        lines.append([call, *cells])
    return table(["", *names], lines, right=range(1, 1 + len(names)))


def scaling(rows: Sequence[Row], kind: str, of: str, unit: str) -> str:
    """Return the table of one kind of scaling."""
    lines: dict[int, dict[str, str]] = {}
    for call, n, value in points(rows, kind):
        exact = kind in ("threads", "work")
        lines.setdefault(n, {})[call] = f"{value:.2f}" if exact else number(value)
    calls = list(dict.fromkeys(call for call, _, _ in points(rows, kind)))
    head = [of, *(f"{call}, {unit}" for call in calls)]
    cells = [
        [f"{n:,}", *(line.get(call, "") for call in calls)] for n, line in sorted(lines.items())
    ]
    return table(head, cells, right=range(len(head)))


def points(rows: Sequence[Row], kind: str) -> Iterator[tuple[str, int, float]]:
    """Give (call, n, figure) of one kind of scaling."""
    for row in rows:
        about = row["about"]
        if about.get("scaling") == kind:
            value = row["figure"] if row["seconds"] is None else row["seconds"] * 1e9
            yield about["call"], about["n"], value


def cost(row: Row) -> str:
    """Return what a unit of a row costs, and the rate of games."""
    ns = row["seconds"] * 1e9
    if row["unit"] == "game":
        return f"{1 / row['seconds']:,.0f} games/s"
    return f"{number(ns)} ns" if ns < 10_000 else f"{number(ns / 1000)} µs"


def norm_or_x(row: Row) -> str:
    """Return a cost as machines are compared: games as norm, all else in X."""
    if row["unit"] == "game":
        return f"norm {row['x'] / row['seconds'] * 1e9:,.0f}"
    return f"{number(row['seconds'] / row['x'])} X"


def number(value: float) -> str:
    """Return a number with three or four digits that count."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def table(heads: Sequence[str], lines: Sequence[Sequence[str]], right: Sequence[int] = ()) -> str:
    """Return a Markdown table."""
    rule = ["---:" if i in right else "---" for i in range(len(heads))]
    return "\n".join(f"| {' | '.join(line)} |" for line in (heads, rule, *lines))


# Charts


def draw(rows: Sequence[Row]) -> None:
    """Draw the charts, small and the same for the same figures."""
    import matplotlib as mpl

    mpl.use("svg")
    import matplotlib.pyplot as plt

    plt.rcParams.update(
        {
            "svg.fonttype": "none",
            "svg.hashsalt": "tavli_fast",
            "font.size": 9,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.axisbelow": True,
        }
    )
    CHARTS.mkdir(parents=True, exist_ok=True)

    def save(figure: Any, name: str) -> None:
        figure.tight_layout()
        figure.savefig(CHARTS / f"{name}.svg", metadata={"Date": None, "Creator": None})
        plt.close(figure)

    save(peer_chart(plt, rows), "peers")
    save(phase_chart(plt, rows), "phases")
    save(line_chart(plt, rows, "positions", "positions in a call", "ns per position"), "positions")
    save(line_chart(plt, rows, "threads", "threads", "times as fast as one"), "threads")
    save(line_chart(plt, rows, "trials", "trials", "ns per game"), "trials")


OURS, THEIRS = "#1f77b4", "#b0b0b0"


def peer_chart(plt: Any, rows: Sequence[Row]) -> Any:
    """Return the chart of the other engines: shorter bars on the left and longer on the right."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 2.8))
    for axes, task, title in (
        (left, "plays", "all plays of a roll: ns per position (less is better)"),
        (right, "games", "random games per second (more is better)"),
    ):
        ours = [r["about"]["ours_ns"] for r in rows
                if r["about"].get("task") == task and "ours_ns" in r["about"]]  # fmt: skip
        bars = [("tavli_fast", median(ours or [1.0]))]
        for row in rows:
            about = row["about"]
            if about.get("task") == task and row["seconds"] is not None:
                name = about["peer"].partition(" ")[0]
                how = about.get("how", "")
                bars.append((f"{name}, {how}" if how else name, row["seconds"] * 1e9))
        values = [ns if task == "plays" else 1e9 / ns for _, ns in bars]
        colours = [OURS] + [THEIRS] * (len(bars) - 1)
        axes.barh([name for name, _ in bars], values, color=colours)
        axes.set_xscale("log")
        axes.set_xlim(min(values) / 3, max(values) * 8)
        for i, value in enumerate(values):
            axes.text(value * 1.1, i, f"{value:,.0f}", va="center")
        axes.invert_yaxis()
        axes.set_title(title, fontsize=9)
    return figure


def phase_chart(plt: Any, rows: Sequence[Row]) -> Any:
    """Return the chart of the phases: counting and listing, a group of bars for each phase."""
    figure, panels = plt.subplots(1, 2, figsize=(9, 2.8))
    names = ["opening", "middle", "stopped", "bear-in", "bear-off"]
    for axes, call in zip(panels, ("count_plays", "afterstates"), strict=True):
        found: dict[str, dict[str, float]] = {}
        for row in rows:
            about = row["about"]
            if about.get("phase") and about["call"] == call:
                phase = phase_name(about["phase"])
                found.setdefault(about["rules"], {})[phase] = row["seconds"] * 1e9
        for i, (rules, values) in enumerate(found.items()):
            places = [place + 0.27 * (i - 1) for place in range(len(names))]
            axes.bar(places, [values[name] for name in names], 0.25, label=rules)
        axes.set_xticks(range(len(names)), names)
        axes.set_title(f"{call}: ns per position", fontsize=9)
        axes.grid(axis="y", alpha=0.3)
    panels[0].legend(frameon=False)
    return figure


def line_chart(plt: Any, rows: Sequence[Row], kind: str, of: str, unit: str) -> Any:
    """Return the chart of one kind of scaling."""
    figure, axes = plt.subplots(figsize=(5.5, 2.8))
    lines: dict[str, list[tuple[int, float]]] = {}
    for call, n, value in points(rows, kind):
        lines.setdefault(call, [(1, 1.0)] if kind == "threads" else []).append((n, value))
    for call, pairs in lines.items():
        axes.plot(*zip(*sorted(pairs), strict=True), marker="o", label=call)
    if kind == "threads":
        axes.plot([1, 2, 4], [1, 2, 2], color=THEIRS, linestyle="--", label="2 free processors")
        axes.set_xticks([1, 2, 4])
        axes.set_ylim(0)
    else:
        axes.set_xscale("log")
        if kind == "positions":
            axes.set_yscale("log")
        else:
            axes.set_ylim(0)
    axes.set_xlabel(of)
    axes.set_ylabel(unit)
    axes.grid(alpha=0.3)
    axes.legend(frameon=False)
    return figure


if __name__ == "__main__":
    main()
