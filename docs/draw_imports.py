"""Draw which package of tavli_fast imports which, read from the source: docs/img/packages.svg.

    python docs/draw_imports.py            # write the drawing
    python docs/draw_imports.py --check    # only say whether it is up to date

An arrow is left out where a longer way of arrows leads from the one package to the other. `errors`,
which everything may import, and the names that `tavli_fast/__init__.py` passes on are left out too.
"""

from __future__ import annotations

import argparse
import ast
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = "tavli_fast"
DRAWING = ROOT / "docs" / "img" / "packages.svg"
LEFT_OUT = {"errors", "py", "__init__", "__main__"}

ABOUT = {
    "_common": "argument checks, threads",
    "_core": "the compiled core",
    "boards": "boards, plays of a roll",
    "cli": "the command line",
    "connect": "other programs, servers",
    "cube": "decisions, match equity",
    "envs": "environments to learn in",
    "evaluation": "evaluate, best_plays",
    "nets": "features, nets, files",
    "notation": "text formats, pictures",
    "play": "games, matches, arena",
    "reference": "the rules in Python",
    "rollouts": "rollout, rank_plays",
    "rules": "rule sets as data",
    "training": "training by self-play",
}
"""What the drawing says of each package."""

BOX, GAP, LAYER, MARGIN = (160, 44), 26, 92, 20
"""Pixels: the size of a box, the space between boxes, the height of a layer, the edge."""

Graph = dict[str, set[str]]


def main() -> None:
    """Write the drawing, or compare it with the one that is there."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing")
    check = parser.parse_args().check
    drawing = svg(imports())
    if check and drawing != DRAWING.read_text(encoding="utf-8"):
        raise SystemExit(f"{DRAWING.relative_to(ROOT)} is old: run python docs/draw_imports.py")
    if not check:
        DRAWING.write_text(drawing, encoding="utf-8")


def imports() -> Graph:
    """Return for each package those that it imports from."""
    graph: Graph = {}
    for path in sorted((ROOT / PACKAGE).rglob("*.py")):
        package = path.relative_to(ROOT / PACKAGE).parts[0].removesuffix(".py")
        if package not in LEFT_OUT:
            graph.setdefault(package, set()).update(set(imported(path)) - LEFT_OUT - {package})
    return {name: others & graph.keys() for name, others in graph.items()}


def imported(path: Path) -> Iterator[str]:
    """Yield the packages that a module imports from, also inside functions and for types."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module == PACKAGE:
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith(f"{PACKAGE}."):
            yield (node.module or "").split(".")[1]
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.startswith(f"{PACKAGE}."):
                    yield alias.name.split(".")[1]


def layers(graph: Graph) -> dict[str, int]:
    """Return the layer of each package: 0 if it imports none, else one above the highest."""

    @cache
    def layer(name: str) -> int:
        return max((layer(other) + 1 for other in graph[name]), default=0)

    return {name: layer(name) for name in graph}


def direct(graph: Graph) -> list[tuple[str, str]]:
    """Return the arrows that no longer way of arrows replaces."""

    def reached(name: str) -> set[str]:
        return graph[name].union(*(reached(other) for other in graph[name]))

    return [
        (name, other)
        for name, others in sorted(graph.items())
        for other in sorted(others)
        if not any(other in reached(between) for between in others - {other})
    ]


def placed(graph: Graph) -> tuple[list[list[str]], list[list[str]]]:
    """Return the rows of the drawing, lowest layer first, and the arrows as the places they pass.

    An arrow over several layers has a place of its own, ``"from>to"``, on each layer between.
    """
    layer = layers(graph)
    rows: list[list[str]] = [[] for _ in range(max(layer.values()) + 1)]
    for name in sorted(layer):
        rows[layer[name]].append(name)
    ways = []
    for name, other in direct(graph):
        between = [f"{name}>{other}:{at}" for at in range(layer[name] - 1, layer[other], -1)]
        for place in between:
            rows[int(place.rpartition(":")[2])].append(place)
        ways.append([name, *between, other])
    improved = True
    while improved:  # swap neighbours in a row as long as that makes the arrows shorter
        improved = False
        for row in rows:
            for left in range(len(row) - 1):
                before = length(rows, ways)
                row[left], row[left + 1] = row[left + 1], row[left]
                if length(rows, ways) < before - 1e-9:
                    improved = True
                else:
                    row[left], row[left + 1] = row[left + 1], row[left]
    return rows, ways


def across(rows: list[list[str]]) -> dict[str, float]:
    """Return the centre of each place of a drawing with centred rows, in pixels from its middle."""
    found: dict[str, float] = {}
    for row in rows:
        widths = [2 * GAP if ">" in name else BOX[0] + GAP for name in row]
        left = -sum(widths) / 2
        for name, wide in zip(row, widths, strict=True):
            found[name] = left + wide / 2
            left += wide
    return found


def length(rows: list[list[str]], ways: list[list[str]]) -> float:
    """Return how far all arrows go sideways, in pixels."""
    x = across(rows)
    return sum(abs(x[one] - x[next_]) for way in ways for one, next_ in pairwise(way))


def svg(graph: Graph) -> str:
    """Return the drawing."""
    rows, ways = placed(graph)
    x = across(rows)
    width = 2 * (max(map(abs, x.values())) + BOX[0] / 2)
    x = {name: MARGIN + width / 2 + found for name, found in x.items()}
    y: dict[str, float] = {
        name: MARGIN + (len(rows) - 1 - layer) * LAYER
        for layer, row in enumerate(rows)
        for name in row
    }
    height = 2 * MARGIN + (len(rows) - 1) * LAYER + BOX[1]
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width + 2 * MARGIN:.0f} {height}"'
        f' width="{width + 2 * MARGIN:.0f}" height="{height}"'
        ' font-family="DejaVu Sans, Arial, sans-serif" font-size="14" text-anchor="middle">',
        '<defs><marker id="head" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7"'
        ' markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" fill="#667"/></marker></defs>',
        '<rect width="100%" height="100%" fill="#fff"/>',
    ]
    for way in ways:
        points = [(x[way[0]], y[way[0]] + BOX[1])]
        for place in way[1:-1]:
            points += [(x[place], y[place]), (x[place], y[place] + BOX[1])]
        points += [(x[way[-1]], y[way[-1]])]
        path = "M" + " L".join(f"{across:.0f} {down:.0f}" for across, down in points)
        lines.append(
            f'<path d="{path}" fill="none" stroke="#667" stroke-width="1.3"'
            ' marker-end="url(#head)"/>'
        )
    for name in sorted(graph):
        left, top = x[name] - BOX[0] / 2, y[name]
        lines += [
            f'<rect x="{left:.0f}" y="{top}" width="{BOX[0]}" height="{BOX[1]}" rx="6"'
            ' fill="#eef3fa" stroke="#345"/>',
            f'<text x="{x[name]:.0f}" y="{top + 19}" font-weight="bold">{name}</text>',
            f'<text x="{x[name]:.0f}" y="{top + 36}" font-size="11" fill="#456">'
            f"{ABOUT.get(name, '')}</text>",
        ]
    return "\n".join([*lines, "</svg>"]) + "\n"


if __name__ == "__main__":
    main()
