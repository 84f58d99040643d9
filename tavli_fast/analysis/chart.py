"""The course of a match as a chart in SVG: the chances, and the luck so far."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Final

from tavli_fast.analysis.totals import Judged

__all__ = ["chart"]

_WIDTH: Final = 900
_HEIGHT: Final = 190
_LEFT: Final = 52
_TOP: Final = 26
_COLOURS: Final = ("var(--a,#1456b8)", "var(--b,#b3261e)")

Line = Sequence[tuple[int, float]]


def chart(found: Judged) -> str:
    """Return two charts: what the match is worth to player 0, and the luck of both so far."""
    turns = list(dict.fromkeys((each.game, each.turn) for each in found.decisions))
    place = {turn: at for at, turn in enumerate(turns)}
    worth: list[tuple[int, float]] = []
    lucks: tuple[list[tuple[int, float]], ...] = ([(0, 0.0)], [(0, 0.0)])
    with_chances = any(each.chance is not None for each in found.decisions)
    for each in found.decisions:
        at = place[each.game, each.turn]
        if with_chances and each.chance is not None:
            worth.append((at, 100 * (each.chance if each.player == 0 else 1 - each.chance)))
        elif not with_chances:
            stake = 1 if each.stage is None else each.stage.cube
            worth.append((at, stake * each.played.equity * (1 if each.player == 0 else -1)))
        if each.luck is not None:
            lucks[each.player].append((at, lucks[each.player][-1][1] + each.luck.value))
    first = found.players[0]
    title = f"Chance of {first} to win the match, %"
    if not with_chances:
        title = f"Equity of {first}, points"
    games = [place[turn] for turn in turns if turn[1] == min(t for g, t in turns if g == turn[0])]
    low, high = (0.0, 100.0) if with_chances else _range([worth], 1.0)
    upper = _panel(title, [(worth, _COLOURS[0], "")], games, len(turns), (low, high))
    lines = [(lucks[side], _COLOURS[side], found.players[side]) for side in (0, 1)]
    lower = _panel(
        "Luck so far, in units of the stake", lines, games, len(turns), _range(lucks, 0.5)
    )
    return upper + lower


def _range(lines: Sequence[Line], least: float) -> tuple[float, float]:
    """Return the lowest and highest value, and some room."""
    values = [-least, least, *(value for line in lines for _, value in line)]
    return min(values) * 1.08, max(values) * 1.08


def _panel(
    title: str,
    lines: Sequence[tuple[Line, str, str]],
    games: Sequence[int],
    turns: int,
    limits: tuple[float, float],
) -> str:
    """Return one chart; `games` are the turns at which games begin."""
    low, high = limits
    right, bottom = _WIDTH - 12, _HEIGHT - 22

    def x(at: float) -> float:
        return _LEFT + (right - _LEFT) * at / max(turns - 1, 1)

    def y(value: float) -> float:
        return bottom - (bottom - _TOP) * (value - low) / (high - low)

    parts = [f'<text x="{_LEFT}" y="16" font-weight="bold">{escape(title)}</text>']
    middle = 50.0 if (low, high) == (0.0, 100.0) else 0.0
    for value in (low, middle, high):
        number = f"{value:.0f}" if high - low > 20 else f"{value:+.1f}"
        dash = "" if value == middle else ' stroke-dasharray="2 5"'
        parts.append(
            f'<path d="M{_LEFT} {y(value):.1f}H{right}" stroke="currentColor" opacity=".4"{dash}/>'
            f'<text x="{_LEFT - 6}" y="{y(value) + 4:.1f}" text-anchor="end">{number}</text>'
        )
    for game, at in enumerate(games, 1):
        parts.append(
            f'<path d="M{x(at):.1f} {_TOP}V{bottom}" stroke="currentColor" opacity=".25"/>'
            f'<text x="{x(at) + 3:.1f}" y="{bottom + 16}">Game {game}</text>'
            if len(games) <= 16 or game % 5 == 1
            else ""
        )
    for place, (line, colour, name) in enumerate(lines):
        if line:
            path = "L".join(f"{x(at):.1f} {y(value):.1f}" for at, value in line)
            parts.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        if name:
            parts.append(
                f'<text x="{right}" y="{16 + 15 * place}" text-anchor="end" fill="{colour}">'
                f"{escape(name)}</text>"
            )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" '
        f'width="{_WIDTH}" height="{_HEIGHT}" role="img" aria-label="{escape(title)}" '
        f'font-family="sans-serif" font-size="12" fill="currentColor">{"".join(parts)}</svg>'
    )
