"""A board as a player sees it: pictures of letters and as SVG, and pip counts."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tavli_fast._common.arguments import (
    BAR,
    BoardLike,
    DiceLike,
    Int8Array,
    file_path,
    one_pair,
    shown,
    whole_number,
)
from tavli_fast._common.files import replacing
from tavli_fast.boards.id_text import rules_argument
from tavli_fast.boards.plays import apply
from tavli_fast.boards.tfid import is_tfid, preset_of
from tavli_fast.notation.picture import draw
from tavli_fast.notation.play import Play, parse_play
from tavli_fast.notation.position_id import any_id, position_of
from tavli_fast.notation.svg import THEMES, Drawing, drawn
from tavli_fast.rules.presets import RULES, Rules, RulesLike

__all__ = ["BoardView", "pip_counts", "view"]


def pip_counts(boards: BoardLike) -> npt.NDArray[np.int64]:
    """Return how many pips each side still has to move.

    Args:
        boards: integers ``[N, 2, 26]``, or one board ``[2, 26]``, which counts as N = 1. They are
            not checked against any rules.

    Returns:
        ``int64[N, 2]``: the pips of the player on roll and of the opponent. A checker on the bar
        counts 25, a pinned one the number of its point.

    Raises:
        ValueError: `boards` does not hold integers, or has another shape.

    Examples:
        >>> import tavli_fast as tf
        >>> tf.pip_counts(tf.start())
        array([[167, 167]])
    """
    array = np.asarray(boards)
    if array.dtype.kind not in "iu" or array.ndim not in (2, 3) or array.shape[-2:] != (2, 26):
        raise ValueError(
            f"boards has shape {array.shape} and dtype {array.dtype}:"
            " expected integers of shape [2, 26] or [N, 2, 26]"
        )
    pips: npt.NDArray[np.int64] = abs(array.reshape(-1, 2, 26).astype(np.int64)) @ np.arange(26)
    return pips


@dataclass(frozen=True, eq=False, repr=False)
class BoardView:
    """A board to look at: ``str`` draws it with letters, a notebook shows the picture of `svg`, and
    ``repr`` is a call of `view` that gives it again."""

    board: Int8Array
    """The position, ``int8[2, 26]``, read-only, the player on roll first."""
    rules: Rules
    """The rules of the board."""
    dice: tuple[int, int] | None = None
    """The roll; None before it."""
    moves: tuple[tuple[int, int], ...] = ()
    """The moves of a play, shown as arrows."""
    best: tuple[tuple[int, int], ...] = ()
    """The moves of a better play, shown as arrows of another colour."""
    cube: int | None = None
    """The value of the cube; None where there is none."""
    owner: str = "centre"
    """Who owns it: ``"centre"``, ``"player"`` (on roll) or ``"opponent"``."""
    names: tuple[str, str] = ("", "")
    """The names of the player on roll and of the opponent."""
    theme: str = "auto"
    """``"light"``, ``"dark"``, or ``"auto"`` for that of the page, as far as it goes."""
    home: str = "right"
    """The side on which the player on roll bears off: ``"right"`` or ``"left"``."""

    def __repr__(self) -> str:
        """Return the ID, and what it does not tell, as the call that leads here."""
        text = any_id(self.board, self.rules)
        told = is_tfid(text) and self.rules in RULES.values()
        more = "" if told else rules_argument(self.rules)
        given = [
            (name, value)
            for name, value, usual in (
                ("dice", self.dice, None),
                ("play", self.moves, ()),
                ("best", self.best, ()),
                ("cube", self.cube, None),
                ("owner", self.owner, "centre"),
                ("names", self.names, ("", "")),
                ("theme", self.theme, "auto"),
                ("home", self.home, "right"),
            )
            if value != usual
        ]
        return f"view({text!r}{more}{''.join(f', {name}={value!r}' for name, value in given)})"

    def __str__(self) -> str:
        """Draw the board: X is the player on roll and moves from 24 (top right) to 1, then off.

        A checker on the bar stands in the half of the board in which it enters; a stack of more
        than five shows its number. A pinned checker is a small letter at the edge, under those
        that pin it; a number is theirs alone. Beside the board are the checkers borne off and the
        pips. Where both sides run the same way round, O's numbers stand outside.
        """
        pips, *_ = pip_counts(self.board).tolist()
        return draw(self.board, pips, self.rules)

    def svg(self) -> str:
        """Return the picture as SVG, about 5 kB: an element that can stand in a page of HTML.

        The light checkers are those of the player on roll, who moves from 24 (top right) to 1. A
        pinned checker lies under those that pin it; a stack of more than five stands closer and
        shows its number. Arrows show the moves of a play.
        """
        (mine, theirs), *_ = pip_counts(self.board).tolist()
        cube = self.cube
        return drawn(
            Drawing(
                self.board[0].tolist(),
                self.board[1].tolist(),
                self.rules,
                (mine, theirs),
                self.dice,
                self.moves,
                self.best,
                64 if cube == 1 and self.owner == "centre" else cube,
                self.owner,
                self.names,
                self.theme,
                self.home,
                self._label(),
            )
        )

    def _repr_svg_(self) -> str:
        """Return the picture for a notebook."""
        return self.svg()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the picture to a file, which is written completely or left as it was.

        Args:
            path: the file; its ending, ``.svg`` or ``.png``, decides the format. PNG needs the
                package resvg-py (the extra ``pictures``).

        Raises:
            ImportError: PNG without resvg-py.
            OSError: the file cannot be written.
            ValueError: another file name ending.
        """
        name = file_path(path, "path")
        ending = Path(name).suffix.lower()
        if ending not in (".svg", ".png"):
            expected = "expected a name that ends in .svg or .png"
            raise ValueError(f"path={shown(path)}: {expected}")
        # On paper of its own, as there is no page around it.
        text = replace(self, theme="light" if self.theme == "auto" else self.theme).svg()
        data = text.encode() if ending == ".svg" else _png(text)
        with replacing(name) as file:
            file.write(data)

    def _label(self) -> str:
        """Return the position in words."""
        sides = []
        for who, plane in zip(("X", "O"), self.board.tolist(), strict=True):
            points = [f"{count} on {point}" for point, count in enumerate(plane[:BAR]) if count > 0]
            points = [
                text.replace("on 0", "off") if text.endswith("on 0") else text for text in points
            ]
            if plane[BAR]:
                points.append(f"{plane[BAR]} on the bar")
            pinned = [str(point) for point, count in enumerate(plane) if count < 0]
            if pinned:
                points.append(f"pinned on {', '.join(pinned)}")
            sides.append(f"{who}: {', '.join(points)}")
        roll = "" if self.dice is None else f" with {self.dice[0]}-{self.dice[1]}"
        return f"{preset_of(self.rules)} board, X on roll{roll}. {'. '.join(sides)}."


def view(
    board: BoardLike,
    rules: RulesLike | None = None,
    *,
    dice: DiceLike | None = None,
    play: Any = (),
    best: Any = (),
    cube: int | None = None,
    owner: str | None = None,
    names: tuple[str, str] = ("", ""),
    theme: str = "auto",
    home: str = "right",
) -> BoardView:
    """Return a board to look at: ``print(tf.view(board))`` draws it, and a notebook shows it.

    Args:
        board: one position, integers ``[2, 26]``, the player on roll first; or an `XGID`, or the
            text of an ID.
        rules: the rules of the board; None for those of the XGID or TFID, else Portes.
        dice: the roll to show; None for that of the XGID or TFID.
        play: a play to show with arrows: a `Play`, (from, to) pairs, or, with a roll, its text.
        best: a second play, with arrows of another colour.
        cube: the value of the cube; None for that of the XGID, or no cube.
        owner: who owns it: ``"centre"``, ``"player"`` or ``"opponent"``; None for that of the XGID,
            else the centre.
        names: of the player on roll and of the opponent.
        theme: ``"light"``, ``"dark"``, or ``"auto"``: light, with the text in the page's colour.
        home: the side on which the player on roll bears off: ``"right"`` or ``"left"``.

    Returns:
        The `BoardView`; the README shows one.

    Raises:
        BoardError: the board is not a possible position.
        IllegalMoveError: the text of a play is not legal.
        NotationError: the text is not the ID of a position, or of a play.
        ValueError: another argument is invalid.

    Examples:
        >>> import tavli_fast as tf
        >>> found = tf.view(tf.start("backgammon"), "backgammon", dice=(3, 1), play="8/5 6/5")
        >>> found.svg()[:4]
        '<svg'
    """
    found = position_of(board, rules)
    position, checked = found.board.copy(), found.rules
    position.setflags(write=False)
    roll = found.dice if dice is None else one_pair(dice)
    xgid = found.xgid
    if cube is None and xgid is not None:
        cube = xgid.cube
    if owner is None:
        told = 0 if xgid is None else xgid.cube_owner
        owner = {1: "player", -1: "opponent"}.get(told, "centre")
    if cube is not None:
        cube = whole_number(cube, "cube", 1, 2**30)
    for name, value, among in (
        ("owner", owner, ("centre", "player", "opponent")),
        ("theme", theme, tuple(THEMES)),
        ("home", home, ("right", "left")),
    ):
        if not isinstance(value, str) or value not in among:
            raise ValueError(f"{name}={shown(value)}: expected one of {', '.join(among)}")
    if not isinstance(names, Sequence) or isinstance(names, str) or len(names) != 2:
        raise ValueError(f"names={shown(names)}: expected two names")
    moves = _moves_of(play, "play", position, roll, checked)
    others = _moves_of(best, "best", position, roll, checked)
    first, second = map(str, names)
    return BoardView(
        position, checked, roll, moves, others, cube, owner, (first, second), theme, home
    )


def _moves_of(
    play: Any, name: str, board: Int8Array, dice: tuple[int, int] | None, rules: Rules
) -> tuple[tuple[int, int], ...]:
    """Return the moves of a play.

    Raises:
        ValueError: it is none.
    """
    if isinstance(play, str):
        if dice is None:
            raise ValueError(f"{name}={shown(play)} without a roll: expected dice= with it")
        play = parse_play(play, board, dice, rules)
    moves = play.moves if isinstance(play, Play) else play
    try:
        pairs = [(int(source), int(target)) for source, target in moves]
    except (TypeError, ValueError):
        raise ValueError(
            f"{name}={shown(play)}: expected a Play, (from, to) pairs, or the text of a play"
        ) from None
    made = tuple(pair for pair in pairs if pair != (-1, -1))
    if made:
        apply(board, np.array(made, np.int64), rules=rules)
    return made


def _png(text: str) -> bytes:
    """Return a picture as PNG, twice as large.

    Raises:
        ImportError: what draws it is not installed.
    """
    try:
        import resvg_py
    except ImportError as error:
        raise ImportError(
            "a .png needs the package resvg-py: pip install 'tavli-fast[pictures]'; .svg does not"
        ) from error
    return bytes(resvg_py.svg_to_bytes(svg_string=text, zoom=2))
