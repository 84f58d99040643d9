"""The SVG picture of a board, one for each kind of game; `BoardView` calls it.

Everything is a presentation attribute: a ``<style>`` would reach the other cells of a notebook, and
so would an id.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple
from xml.sax.saxutils import escape, quoteattr

from tavli_fast._common.arguments import BAR, OFF
from tavli_fast.rules.fields import Rules, other_side

__all__ = ["THEMES", "Drawing", "drawn"]

Move = tuple[int, int]

_WIDE: Final = 34
"""The width of a point."""
_RADIUS: Final = 15
_SIDE: Final = 44
"""The width of the columns at both sides: one for the cube, one for the checkers borne off."""
_BAR: Final = 38
_HALF: Final = 158
"""The height of the half of the board, to its middle."""
_EDGE: Final = 26
"""What stands above and below the board: names and pips."""
_NUMBERS: Final = 13
"""The height of the numbers of the points."""
_LEFT: Final = _SIDE
_RIGHT: Final = _LEFT + 12 * _WIDE + _BAR
_WIDTH: Final = _RIGHT + _SIDE
_TOP: Final = _EDGE + _NUMBERS
_BOTTOM: Final = _TOP + 2 * _HALF
_HEIGHT: Final = _BOTTOM + _NUMBERS + _EDGE
_MIDDLE: Final = (_TOP + _BOTTOM) / 2
_STACK: Final = 5
"""The checkers of a stack that have their full height; higher ones stand closer."""


class _Colours(NamedTuple):
    frame: str
    field: str
    odd: str
    even: str
    x: str
    o: str
    x_line: str
    o_line: str
    text: str
    paper: str | None
    arrow: str
    best: str


_LIGHT: Final = _Colours(
    "#6f5139", "#efe3cb", "#c79a67", "#dcc093", "#fffdf6", "#8e2433", "#4a4038", "#3d0d15",
    "#222", "#fff", "#1456b8", "#0a7d33",
)  # fmt: skip
_DARK: Final = _Colours(
    "#1d2126", "#39414b", "#566270", "#475260", "#f0ece2", "#b8434f", "#15181c", "#2a0c10",
    "#e6e6e6", "#15181c", "#62b0ff", "#5fd38a",
)  # fmt: skip
THEMES: Final = {
    "auto": _LIGHT._replace(text="currentColor", paper=None),
    "light": _LIGHT,
    "dark": _DARK,
}
"""The colours: ``"auto"`` leaves the paper and the colour of the text to the page."""


@dataclass(frozen=True)
class Drawing:
    """What is drawn, checked by the caller."""

    mine: Sequence[int]
    theirs: Sequence[int]
    rules: Rules
    pips: tuple[int, int]
    dice: tuple[int, int] | None
    moves: tuple[Move, ...]
    best: tuple[Move, ...]
    """The moves of another play, in another colour."""
    cube: int | None
    """What the cube shows; None for no cube."""
    owner: str
    names: tuple[str, str]
    theme: str
    home: str
    label: str
    """The text for those who do not see the picture."""


def drawn(drawing: Drawing) -> str:
    """Return the picture as the text of an SVG element."""
    return _Board(drawing).picture()


class _Board:
    """The picture of one board."""

    def __init__(self, drawing: Drawing) -> None:
        """Keep what is drawn."""
        self.it = drawing
        self.colours: _Colours = THEMES[drawing.theme]
        self.parts: list[str] = []

    def picture(self) -> str:
        """Draw everything, from the back to the front."""
        it, colours = self.it, self.colours
        if colours.paper:
            self._box(0, 0, _WIDTH, _HEIGHT, colours.paper)
        width = _RIGHT - _LEFT + _SIDE + 4
        left = self._x(_LEFT - 4, width)
        self._box(left, _TOP - 4, width, 2 * _HALF + 8, colours.frame, 5)
        for left in (_LEFT, _LEFT + 6 * _WIDE + _BAR):
            self._box(self._x(left, 6 * _WIDE), _TOP, 6 * _WIDE, 2 * _HALF, colours.field)
        self._triangles()
        self._numbers()
        for point in range(1, BAR):
            self._stack(point)
        self._bars()
        self._trays()
        if it.dice is not None:
            self._dice(it.dice)
        if it.cube is not None:
            self._cube(it.cube)
        self._lines()
        self._arrows()
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" '
            f'width="{_WIDTH}" height="{_HEIGHT}" role="img" aria-label={quoteattr(it.label)} '
            'font-family="sans-serif" text-anchor="middle" style="max-width:100%;height:auto">'
            f"<title>{escape(it.label)}</title>{''.join(self.parts)}</svg>"
        )

    # Places.

    def _x(self, left: float, width: float = 0) -> float:
        """Return a place from the left, the board turned if home is there."""
        return left if self.it.home == "right" else _WIDTH - left - width

    def _column(self, point: int) -> float:
        """Return the middle of one of X's points."""
        place = 24 - point if point <= 12 else point - 1
        column = place % 12
        left = _LEFT + column * _WIDE + (_BAR if column >= 6 else 0)
        return self._x(left, _WIDE) + _WIDE / 2

    def _height(self, point: int, index: int, count: int) -> float:
        """Return the middle of one of so many checkers on one of X's points."""
        step = 2 * _RADIUS if count <= _STACK else 2 * _RADIUS * (_STACK - 1) / (count - 1)
        far = _RADIUS + 1 + index * step
        return _TOP + far if point > 12 else _BOTTOM - far

    def _bar(self, side: str, index: int, count: int) -> tuple[float, float]:
        """Return the middle of a checker on the bar, which stands in the half that it enters."""
        step = min(2 * _RADIUS, (_HALF - 2 * _RADIUS - 12) / max(count - 1, 1))
        far = _RADIUS + 12 + index * step
        x = self._x(_LEFT + 6 * _WIDE, _BAR) + _BAR / 2
        return x, _MIDDLE - far if side == "X" else _MIDDLE + far

    def _tray(self, side: str) -> tuple[float, float]:
        """Return the middle of where a side's checkers are borne off."""
        x = self._x(_RIGHT, _SIDE) + _SIDE / 2
        if side == "O" and self.it.rules.parallel:
            x = self._x(0, _SIDE) + _SIDE / 2
        return x, _BOTTOM - 40 if side == "X" else _TOP + 40

    # Parts.

    def _box(
        self, x: float, y: float, width: float, height: float, fill: str, corner: int = 0
    ) -> None:
        """Draw a rectangle."""
        round_ = f' rx="{corner}"' if corner else ""
        self.parts.append(
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}"{round_} '
            f'fill="{fill}"/>'
        )

    def _text(self, x: float, y: float, text: str, size: int, fill: str, more: str = "") -> None:
        """Write a line of text, its middle there."""
        self.parts.append(
            f'<text x="{x:g}" y="{y:g}" font-size="{size}" fill="{fill}"{more}>{escape(text)}'
            "</text>"
        )

    def _triangles(self) -> None:
        """Draw the points, those of each colour as one path."""
        for colour, odd in ((self.colours.odd, 1), (self.colours.even, 0)):
            path = []
            for point in range(1, BAR):
                if point % 2 == odd:
                    left = self._column(point) - _WIDE / 2 + 1
                    base, tip = (_TOP, 138) if point > 12 else (_BOTTOM, -138)
                    half = _WIDE / 2 - 1
                    path.append(f"M{left:g} {base}h{2 * half:g}l{-half:g} {tip}z")
            self.parts.append(f'<path d="{"".join(path)}" fill="{colour}"/>')

    def _numbers(self) -> None:
        """Write X's number of each point at its edge, and O's where it is not the mirror of it."""
        fill = self.colours.text
        self.parts.append(f'<g font-size="10" fill="{fill}">')
        for point in range(1, BAR):
            y = _TOP - 6 if point > 12 else _BOTTOM + 13
            self.parts.append(f'<text x="{self._column(point):g}" y="{y}">{point}</text>')
        self.parts.append("</g>")

    def _checker(self, x: float, y: float, side: str, radius: float = _RADIUS) -> None:
        """Draw a checker."""
        fill = self.colours.x if side == "X" else self.colours.o
        line = self.colours.x_line if side == "X" else self.colours.o_line
        self.parts.append(
            f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" fill="{fill}" stroke="{line}"/>'
        )

    def _count(self, x: float, y: float, side: str, count: int) -> None:
        """Write on a checker how many there are."""
        fill = self.colours.o_line if side == "X" else self.colours.x
        self._text(x, y + 5, str(count), 14, fill, ' font-weight="bold"')

    def _stack(self, point: int) -> None:
        """Draw what stands on one of X's points, a pinned checker first."""
        ours = self.it.mine[point]
        others = self.it.theirs[other_side(point, self.it.rules)]
        if ours > 0:
            side, count, pinned = "X", ours, others < 0
        else:
            side, count, pinned = "O", others, ours < 0
        if count <= 0:
            return
        x, total = self._column(point), count + pinned
        y = 0.0
        for index in range(total):
            y = self._height(point, index, total)
            under = pinned and index == 0
            self._checker(x, y, ("O" if side == "X" else "X") if under else side)
        if count > _STACK:
            self._count(x, y, side, count)

    def _bars(self) -> None:
        """Draw the checkers on the bar."""
        for side, plane in (("X", self.it.mine), ("O", self.it.theirs)):
            place = 0.0, 0.0
            for index in range(plane[BAR]):
                place = self._bar(side, index, plane[BAR])
                self._checker(*place, side)
            if plane[BAR] > 3:
                self._count(*place, side, plane[BAR])

    def _trays(self) -> None:
        """Show how many checkers are off."""
        for side, plane in (("X", self.it.mine), ("O", self.it.theirs)):
            if plane[OFF] > 0:
                place = self._tray(side)
                self._checker(*place, side)
                self._count(*place, side, plane[OFF])

    def _dice(self, dice: tuple[int, int]) -> None:
        """Draw the dice in the half that is right of the bar."""
        left = self._x(_LEFT + 6 * _WIDE + _BAR, 6 * _WIDE) + 3 * _WIDE
        for value, x in zip(dice, (left - 36, left + 6), strict=True):
            self.parts.append(
                f'<rect x="{x:g}" y="{_MIDDLE - 15:g}" width="30" height="30" rx="6" '
                f'fill="{self.colours.x}" stroke="{self.colours.x_line}"/>'
            )
            spots = [(x + 15 + 8 * across, _MIDDLE + 8 * down) for across, down in _SPOTS[value]]
            path = "".join(f"M{a - 3:g} {b:g}a3 3 0 1 0 6 0a3 3 0 1 0 -6 0" for a, b in spots)
            self.parts.append(f'<path d="{path}" fill="{self.colours.x_line}"/>')

    def _cube(self, value: int) -> None:
        """Draw the cube beside the board: in the middle, or with its owner."""
        x = self._x(0, _SIDE) + _SIDE / 2 - 3
        y = {"player": _BOTTOM - 20, "opponent": _TOP + 20}.get(self.it.owner, _MIDDLE)
        if self.it.rules.parallel and self.it.owner == "opponent":
            y += 44  # below the checkers that are off
        self.parts.append(
            f'<rect x="{x - 16:g}" y="{y - 16:g}" width="32" height="32" rx="5" '
            f'fill="{self.colours.x}" stroke="{self.colours.x_line}"/>'
        )
        size = 16 if value < 1000 else 11
        self._text(x, y + size / 3, str(value), size, self.colours.x_line)

    def _lines(self) -> None:
        """Write names and pips above and below the board."""
        fill = self.colours.text
        for name, pips, side, y, more in (
            (self.it.names[1], self.it.pips[1], "O", 17, ""),
            (self.it.names[0], self.it.pips[0], "X", _HEIGHT - 8, " · on roll"),
        ):
            self._checker(_LEFT + 6, y - 5, side, 6)
            text = f"{name}: {pips} pips{more}" if name else f"{pips} pips{more}"
            self._text(_LEFT + 18, y, text, 14, fill, ' text-anchor="start"')

    def _arrows(self) -> None:
        """Draw an arrow for each move, from where the checker stands to where it lands."""
        for moves, colour in (
            (self.it.moves, self.colours.arrow),
            (self.it.best, self.colours.best),
        ):
            mine = list(self.it.mine)
            for source, target in moves:
                x1, y1 = self._spot(source, mine[source] - 1, mine)
                mine[source] -= 1
                mine[target] += 1
                x2, y2 = self._spot(target, mine[target] - 1, mine)
                self._arrow(x1, y1, x2, y2, colour)

    def _spot(self, point: int, index: int, mine: Sequence[int]) -> tuple[float, float]:
        """Return where one of X's checkers is."""
        if point == BAR:
            return self._bar("X", max(index, 0), max(mine[BAR], 1))
        if point == OFF:
            return self._tray("X")
        here = max(mine[point], 1)
        pinned = (
            self.it.theirs[other_side(point, self.it.rules)] != 0 and self.it.rules.contact == "pin"
        )
        return self._column(point), self._height(point, max(index, 0) + pinned, here + pinned)

    def _arrow(self, x1: float, y1: float, x2: float, y2: float, colour: str) -> None:
        """Draw a straight arrow."""
        length = max(((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5, 1)
        u, v = (x2 - x1) / length, (y2 - y1) / length
        bx, by = x2 - 12 * u, y2 - 12 * v
        self.parts.append(
            f'<path d="M{x1:.1f} {y1:.1f}L{bx:.1f} {by:.1f}" stroke="{colour}" stroke-width="4" '
            'stroke-linecap="round" opacity=".85"/>'
            f'<path d="M{x2:.1f} {y2:.1f}L{bx - 7 * v:.1f} {by + 7 * u:.1f}L{bx + 7 * v:.1f} '
            f'{by - 7 * u:.1f}z" fill="{colour}"/>'
        )


_SPOTS: Final = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (-1, 1), (1, -1), (1, 1)),
    5: ((-1, -1), (-1, 1), (0, 0), (1, -1), (1, 1)),
    6: ((-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)),
}
"""Where the spots of a die are."""
