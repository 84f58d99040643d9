"""Match equity: the chance to win a match from each score, computed or a user's own.

The computed table stands on no other: it follows from the rules of a match, the rate of gammons and
the model of the cube that `cube_decision` uses, score by score from the end (docs/cube.md).
"""

from __future__ import annotations

import os
import re
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tavli_fast._common.arguments import (
    FloatArray,
    file_path,
    integers,
    number,
    shown,
    whole_number,
)
from tavli_fast._common.files import replacing
from tavli_fast.cube import met_files
from tavli_fast.cube.model import Ladder, Shares, worth
from tavli_fast.errors import NotationError

__all__ = ["MatchEquityTable"]

LONGEST: Final = 100
"""The longest match that a table may hold."""

_FOREIGN: Final = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
"""What neither XML nor UTF-8 can hold."""

_FORMATS: Final = (".csv", ".xml")


class MatchEquityTable:
    """The chance of winning a match, for each number of points that both sides still need.

    ``MatchEquityTable.compute()`` is the project's own table; `load` reads a file. A table need not
    be symmetric: it may hold the chances of the better of two players.

    Args:
        pre: ``float64[n, n]``: ``pre[a - 1, b - 1]`` is the chance of the player who needs a points
            if the opponent needs b, before the first game at that score. Where either is 1, that
            game is the Crawford game.
        post: ``float64[n]`` or ``[2, n]``: after the Crawford game, the chance of a side that needs
            k points against one that needs 1. Of two rows the first is the player's, the second the
            opponent's.
        name: the name of the table, on one line.
        description: where the table comes from.

    Raises:
        ValueError: an argument has another shape, or a chance is not in 0 to 1.

    Examples:
        >>> import tavli_fast as tf
        >>> table = tf.MatchEquityTable.compute(7)
        >>> float(table.chance(5, 5)), bool(table.chance(3, 5) > 0.6)
        (0.5, True)
    """

    __slots__ = ("description", "name", "post", "pre")

    pre: FloatArray
    """``float64[n, n]``, read-only: see the class."""
    post: FloatArray
    """``float64[2, n]``, read-only: the player's chances after the Crawford game, then the
    opponent's, each as the side that trails."""
    name: str
    """What the table is called."""
    description: str
    """Where it comes from."""

    def __init__(
        self, pre: npt.ArrayLike, post: npt.ArrayLike, name: str = "", description: str = ""
    ) -> None:
        """Check the tables and copy them."""
        self.pre = _chances(pre, "pre")
        length = len(self.pre) if self.pre.ndim else 0
        if self.pre.shape != (length, length) or not 1 <= length <= LONGEST:
            expected = f"[n, n], n 1 to {LONGEST}"
            raise ValueError(f"pre has shape {self.pre.shape}: expected {expected}")
        after = np.atleast_2d(_chances(post, "post"))
        if after.shape not in ((1, length), (2, length)):
            expected = f"[{length}] or [2, {length}]"
            raise ValueError(f"post has shape {np.shape(post)}: expected {expected}")
        self.post = np.array(np.broadcast_to(after, (2, length)))
        for table in (self.pre, self.post):
            table.setflags(write=False)
        self.name, self.description = _line(name, "name"), _line(description, "description")

    @property
    def length(self) -> int:
        """The longest match that the table holds."""
        return len(self.pre)

    @classmethod
    def compute(
        cls,
        length: int = 25,
        *,
        gammon_rate: float = 0.27,
        backgammon_rate: float = 0.01,
        efficiency: float = 0.75,
        swing: float = 0.024,
    ) -> MatchEquityTable:
        """Compute a table for two equal players, from the end of the match backwards.

        A game begins with a winning chance of one half. Gammons are the same share of the games
        that either side wins, whatever the cube has done.

        - Crawford game: no cube, so the mean over its results.
        - After it, the trailing side doubles at its first chance; the leader may pass if the
          leader's chance has become worse than a pass by then. The chance is then 0.5 - `swing` or
          0.5 + `swing`, each half of the time.
        - Before it, a centred cube of that `efficiency` (see `cube_decision`), with all cube values
          that matter and all following scores already computed.

        Args:
            length: the longest match, 1 to 100.
            gammon_rate: the share of games won that count 2 or more; strong programs have 0.27
                against themselves.
            backgammon_rate: the share of games won that count 3.
            efficiency: the cube efficiency over a whole game, 0 to 1.
            swing: how far the winning chance moves before the first double, 0 to 0.5.

        Returns:
            The table.

        Raises:
            ValueError: an argument is out of range.
        """
        length = whole_number(length, "length", 1, LONGEST)
        gammons = number(gammon_rate, "gammon_rate", 0, 1)
        backgammons = number(backgammon_rate, "backgammon_rate", 0, gammons)
        x = number(efficiency, "efficiency", 0, 1)
        moved = number(swing, "swing", 0, 0.5)
        pre, post = _compute(length, gammons, backgammons, x, moved)
        name = f"tavli_fast, gammon rate {gammons:g}"
        how = f"gammon_rate {gammons:g}, backgammon_rate {backgammons:g}"
        return cls(pre, post, name, f"{how}, efficiency {x:g}, swing {moved:g}")

    def chance(
        self, mine: npt.ArrayLike, theirs: npt.ArrayLike, *, post_crawford: bool = False
    ) -> FloatArray:
        """Return the player's chance of winning the match before the first game at a score.

        Args:
            mine: the points that the player still needs, an integer or an array of them; 0 or less
                means that the player has won the match.
            theirs: the points that the opponent needs, likewise; the two are broadcast.
            post_crawford: whether the Crawford game is over. It matters only where a side needs 1.

        Returns:
            ``float64`` of the common shape.

        Raises:
            ValueError: the points are not integers or more than the table holds, or both sides have
                won.
        """
        needs = np.broadcast_arrays(
            integers(mine, "mine", "integers"), integers(theirs, "theirs", "integers")
        )
        a, b = (need.astype(np.int64) for need in needs)
        if (np.minimum(a, b) <= 0).any() and (np.maximum(a, b) <= 0).any():
            raise ValueError("mine and theirs are both 0 or less: expected one winner of a match")
        longest = max(a.max(initial=0), b.max(initial=0))
        if longest > self.length:
            raise ValueError(f"{longest} points to go: this table holds 1 to {self.length}")
        left, right = np.maximum(a, 1) - 1, np.maximum(b, 1) - 1
        result = self.pre[left, right]
        if post_crawford:
            result = np.where(a == 1, 1 - self.post[1][right], result)
            result = np.where(b == 1, self.post[0][left], result)
        return np.where(a <= 0, 1.0, np.where(b <= 0, 0.0, result))

    def after(
        self, mine: int, theirs: int, points: npt.ArrayLike, *, post_crawford: bool = False
    ) -> FloatArray:
        """Return the player's chance of winning the match after a game at a score.

        Args:
            mine: the points that the player needs before the game.
            theirs: the points that the opponent needs.
            points: the result of the game, positive for the player and negative for the opponent (0
                is a draw): an integer or an array of them.
            post_crawford: whether the Crawford game was over before this game.

        Returns:
            ``float64`` of the shape of `points`. Games that follow the Crawford game, one at which
            either
            side needs 1, are after it.

        Raises:
            ValueError: the table does not hold the score, or `points` are not integers.
        """
        mine = whole_number(mine, "mine", 1, self.length)
        theirs = whole_number(theirs, "theirs", 1, self.length)
        gain = integers(points, "points", "integers").astype(np.int64)
        left, right = mine - np.maximum(gain, 0), theirs - np.maximum(-gain, 0)
        return self.chance(left, right, post_crawford=post_crawford or min(mine, theirs) == 1)

    def turned(self) -> MatchEquityTable:
        """Return the table with the sides exchanged; a symmetric one stays the same."""
        return MatchEquityTable(1 - self.pre.T, self.post[::-1], self.name, self.description)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> MatchEquityTable:
        """Read a table from a file.

        Args:
            path: the file; ``.csv`` in the layout of `to_csv`, or ``.xml`` in GNU Backgammon's.

        Raises:
            OSError: the file cannot be read.
            NotationError: its text is not such a table.
            ValueError: another file name ending, or a chance that is not in 0 to 1.
        """
        kind = _kind(path)
        text = Path(file_path(path, "path")).read_text(encoding="utf-8-sig", errors="replace")
        return cls.from_xml(text) if kind == ".xml" else cls.from_csv(text)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the table to a file, which is written completely or left as it was.

        Args:
            path: the file; its ending, ``.csv`` or ``.xml``, decides the layout.

        Raises:
            OSError: the file cannot be written.
            ValueError: another file name ending.
        """
        text = self.to_xml() if _kind(path) == ".xml" else self.to_csv()
        with replacing(file_path(path, "path")) as file:
            file.write(text.encode())

    def to_csv(self) -> str:
        """Return the table as CSV: name, description, the rows ``1`` to ``n``, then ``post``."""
        return met_files.written_csv(self.pre, self.post, self.name, self.description)

    @classmethod
    def from_csv(cls, text: str) -> MatchEquityTable:
        """Return the table of a text that `to_csv` wrote.

        Args:
            text: the text.

        Raises:
            NotationError: it is not such a text; the message names the line.
            ValueError: a chance is not in 0 to 1.
        """
        return cls(*met_files.read_csv(_text(text)))

    def to_xml(self) -> str:
        """Return the table in GNU Backgammon's XML layout (``met``, explicit)."""
        return met_files.written_xml(self.pre, self.post, self.name, self.description)

    @classmethod
    def from_xml(cls, text: str) -> MatchEquityTable:
        """Return the table of a text in GNU Backgammon's XML layout.

        Tables that contain the parameters of a formula instead of chances are refused. If the row
        after the Crawford game is shorter than the others, as in one of GNU Backgammon's own files,
        so is the table.

        Args:
            text: the text.

        Raises:
            NotationError: it is not such a text; the message says what is missing.
            ValueError: a chance is not in 0 to 1.
        """
        return cls(*met_files.read_xml(_text(text)))

    def __eq__(self, other: object) -> bool:
        """Return whether the other holds the same chances, by whatever name."""
        if not isinstance(other, MatchEquityTable):
            return NotImplemented
        return np.array_equal(self.pre, other.pre) and np.array_equal(self.post, other.post)

    def __hash__(self) -> int:
        """Return a hash of the chances."""
        return hash((self.pre.tobytes(), self.post.tobytes()))

    def __repr__(self) -> str:
        """Return the name and the length."""
        return f"<MatchEquityTable {self.name!r} to {self.length}>"


def default_table(longest: int) -> MatchEquityTable:
    """Return the computed table for matches to `longest` points or more."""
    return _computed(next(size for size in (25, 50, LONGEST) if size >= longest))


@cache
def _computed(length: int) -> MatchEquityTable:
    """Return the computed table for matches to `length`, made once."""
    return MatchEquityTable.compute(length)


def _compute(
    length: int, gammons: float, backgammons: float, x: float, moved: float
) -> tuple[FloatArray, FloatArray]:
    """Return the chances before and after the Crawford game, at [a - 1, b - 1] and [k - 1]."""
    kinds = np.array([1 - gammons, gammons - backgammons, backgammons])
    post = np.full(length, 0.5)
    for need in range(2, length + 1):
        passed = post[need - 2]
        won = sum(kind * _after_win(post, need - 2 * size) for size, kind in enumerate(kinds, 1))
        post[need - 1] = sum(min(passed, (0.5 + by) * won) / 2 for by in (-moved, moved))

    pre = np.full((length, length), 0.5)
    for need in range(2, length + 1):
        won = sum(kind * _after_win(post, need - size) for size, kind in enumerate(kinds, 1))
        pre[need - 1, 0], pre[0, need - 1] = won / 2, 1 - won / 2
    table = MatchEquityTable(pre, post)
    half = Shares(np.array([0.5]), kinds[None], kinds[None, ::-1], np.array([0.0]))
    table.pre.setflags(write=True)  # nobody else has seen this table
    for both in range(5, 2 * length + 1):  # the scores with fewer points to go come first
        for mine in range(max(2, both - length), (both + 1) // 2):
            theirs = both - mine
            ladder = match_ladder(table, mine, theirs)
            chance = (1 + float(worth(ladder, half, x).centred[0])) / 2
            table.pre[mine - 1, theirs - 1], table.pre[theirs - 1, mine - 1] = chance, 1 - chance
    return table.pre, post


def _after_win(post: FloatArray, need: int) -> float:
    """Return the chance of a side that trails after the Crawford game, 1 if it has won."""
    return 1.0 if need <= 0 else float(post[need - 1])


def match_ladder(
    table: MatchEquityTable,
    mine: int,
    theirs: int,
    *,
    cube: int = 1,
    cap: int | None = None,
    crawford: bool = False,
    post_crawford: bool = False,
    jacoby: bool = False,
) -> Ladder:
    """Return what a game of a match is worth to the player, as 2 x chance - 1, from -1 to +1.

    Nobody doubles in the Crawford game, above the cap, or with a stake that already suffices.
    """
    cubes = [cube]
    while cubes[-1] < max(mine, theirs) and not crawford and (cap is None or cubes[-1] < cap):
        cubes.append(2 * cubes[-1])
    points = np.multiply.outer(cubes, np.arange(-3, 4))
    values = 2 * table.after(mine, theirs, points, post_crawford=post_crawford) - 1
    higher = [*(True for _ in cubes[1:]), False]
    return Ladder(
        values,
        _single_only(values[0]) if jacoby else values[0],
        tuple(more and stake < mine for stake, more in zip(cubes, higher, strict=True)),
        tuple(more and stake < theirs for stake, more in zip(cubes, higher, strict=True)),
    )


def _single_only(values: FloatArray) -> FloatArray:
    """Return the worth of -3 to +3 points where every game counts single."""
    return values[[2, 2, 2, 3, 4, 4, 4]]


def _kind(path: str | os.PathLike[str]) -> str:
    """Return the ending of a file's name, if it is one of a table."""
    ending = Path(file_path(path, "path")).suffix.lower()
    if ending not in _FORMATS:
        raise ValueError(f"path={shown(path)}: expected a name that ends in .csv or .xml")
    return ending


def _text(text: Any) -> str:
    """Return the text of a table.

    Raises:
        NotationError: it is no str.
    """
    if not isinstance(text, str):
        raise NotationError(f"match equity table {shown(text)}: expected a str")
    return text


def _line(text: Any, name: str) -> str:
    """Return a name or a description on one line, as files keep it.

    Raises:
        ValueError: it has a character that no file can hold.
    """
    line = " ".join(str(text).split())
    if foreign := _FOREIGN.search(line):
        raise ValueError(f"{name} has the character {foreign[0]!r}: expected text")
    return line


def _chances(values: Any, name: str) -> npt.NDArray[np.float64]:
    """Return a fresh array of chances."""
    try:
        array = np.array(values, np.float64)
    except (OverflowError, TypeError, ValueError) as error:
        raise ValueError(f"{name} is no array of numbers ({error})") from error
    bad = ~((array >= 0) & (array <= 1))
    if bad.any():
        raise ValueError(f"{name} holds {array[bad][0]}: expected chances, 0 to 1")
    return array
