"""Bear-off tables: the rolls that one side needs, and the equity of one side against another."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

from tavli_fast._common.arguments import (
    FloatArray,
    flag,
    integers,
    new_array,
    require_room,
    shown,
    whole_number,
)
from tavli_fast._core import bearoff
from tavli_fast.errors import ResultTooLargeError
from tavli_fast.rules.fields import Rules
from tavli_fast.rules.presets import resolve_rules
from tavli_fast.rules.text import rules_name

__all__ = ["OneSidedBearoff", "TwoSidedBearoff", "has_table", "one_sided", "two_sided"]

CUBE_PLACES: Final = ("none", "own", "centred", "other")
"""Who may double next: nobody ever, the player on roll, both, or the other player."""

PIPS_A_ROLL: Final = 49 / 6
"""The pips of an average roll, by which a mean number of rolls becomes an effective pip count."""

MOST_BYTES: Final = 2**30
"""The largest table that is built without being asked for by its size."""

_NEEDED: Final = (("bearoff_oversize", True), ("bearoff_internal", True), ("cascade", False))
"""Rules without which a die may go unplayed during the bear-off."""

_LEAST_PIPS: Final = 3
"""The pips of the smallest roll, 2-1."""


class OneSidedBearoff:
    """How many rolls one side needs to bear off, when the other side is out of the way.

    The plays are those that make the mean number of rolls least, as in every program's tables; of
    plays with the same mean, the first in the order in which the core finds them. Make one with
    `one_sided`, which keeps it.

    Sides are integers ``[N, points]``, or ``[points]`` for one: the checkers on the points 1, 2, …

    Attributes:
        rules: rules with this bear-off and these points.
        points: how many points the table covers.
        checkers: the most checkers that a side may have: those of the rules.
        nbytes: the memory that the table takes, in bytes.
    """

    def __init__(self, rules: Rules, points: int) -> None:
        """Build the table; `one_sided` checks the arguments."""
        self.rules, self.points, self.checkers = rules, points, rules.checkers
        count = bearoff.count_sides(points, self.checkers)
        # The smallest roll brings every side at least three pips nearer, or the last checker off.
        columns = -(-points * self.checkers // _LEAST_PIPS) + 2
        self._mean = np.empty(count)
        best = np.empty((count, 21), np.int32)
        bearoff.one_sided(points, self.checkers, False, self._mean, best)
        self._chances = new_array((count, columns), np.float64, "the table")
        bearoff.distributions(best, self._chances)
        bearoff.one_sided(points, self.checkers, True, np.empty(count), best)
        # Sides with a checker off have their first one off: they need no row of their own.
        whole = np.flatnonzero(best[:, 0] != np.arange(count))
        first = new_array((count, columns), np.float64, "the table")
        bearoff.distributions(best, first)
        self._first_row = np.zeros(count, np.int32)
        self._first_row[whole] = np.arange(1, len(whole) + 1)
        self._first = np.zeros((len(whole) + 1, columns))
        self._first[0, 0] = 1
        self._first[1:] = first[whole]
        # Trailing columns in which no side has any chance.
        used = max(int(np.flatnonzero(a.any(axis=0))[-1]) for a in (self._chances, self._first))
        self._columns = max(32, used + 2)

    @property
    def nbytes(self) -> int:
        """The memory that the table takes, in bytes."""
        arrays = self._mean, self._chances, self._first, self._first_row
        return sum(array.nbytes for array in arrays)

    def distribution(self, sides: npt.ArrayLike) -> FloatArray:
        """Return the chances that the last checker goes off with exactly k rolls.

        Args:
            sides: integers ``[N, points]``, or ``[points]`` for one.

        Returns:
            ``float64[N, K]``; each row sums to 1; a side without checkers has it all at k = 0.

        Raises:
            ValueError: sides of another shape, or too many checkers; the message names the first.
        """
        return self._wide(self._chances[self._indices(sides)])

    def first_off(self, sides: npt.ArrayLike) -> FloatArray:
        """Return the chances that the first checker goes off with exactly k rolls.

        The plays here make the mean number of rolls to the first checker least, which saves a
        gammon. A side that has borne off a checker already has all its chances at k = 0.

        Args:
            sides: integers ``[N, points]``, or ``[points]`` for one.

        Returns:
            ``float64[N, K]``; each row sums to 1.

        Raises:
            ValueError: as in `distribution`.
        """
        return self._wide(self._first[self._first_row[self._indices(sides)]])

    def mean(self, sides: npt.ArrayLike) -> FloatArray:
        """Return the mean number of rolls to the last checker, ``float64[N]``.

        Args:
            sides: integers ``[N, points]``, or ``[points]`` for one.

        Raises:
            ValueError: as in `distribution`.
        """
        return self._mean[self._indices(sides)]

    def effective_pips(self, sides: npt.ArrayLike) -> FloatArray:
        """Return the effective pip count (EPC), ``float64[N]``: the mean times 49/6 pips a roll.

        Source: Walter Trice, "Backgammon Boot Camp" (2004).

        Args:
            sides: integers ``[N, points]``, or ``[points]`` for one.

        Raises:
            ValueError: as in `distribution`.
        """
        return self.mean(sides) * PIPS_A_ROLL

    def race(self, mover: npt.ArrayLike, other: npt.ArrayLike) -> FloatArray:
        """Return the chances of a race in which each side plays by its own table.

        The player on roll wins if he needs no more rolls than the other. The two numbers of rolls
        are independent, so this is exact for the plays of the tables; against best play it errs
        little, for a side that is behind may do better by other plays (`two_sided` knows). A gammon
        is won if the other has not borne off a checker by then, each side playing for its own end.
        A backgammon cannot be: neither side has a checker in the other's home or on the bar.

        Args:
            mover: the sides on roll, integers ``[N, points]`` or ``[points]``.
            other: the other sides, as many.

        Returns:
            ``float64[N, 6]``: P(win), P(win by 2 or more), P(win by 3), P(lose by 2 or more),
            P(lose by 3), P(draw), as evaluators return them.

        Raises:
            ValueError: as in `distribution`; not as many; or both have no checkers.
        """
        mine, theirs = self._pair(mover, other)
        mine_off, theirs_off = self._chances[mine], self._chances[theirs]
        # The chance that it takes a side k rolls or more, k = 0, 1, …
        later = _at_least(theirs_off)
        win = (mine_off * later).sum(1)
        win_two = (mine_off * _at_least(self._first[self._first_row[theirs]])).sum(1)
        # The other is off with his k-th roll: by then I have rolled k times too.
        lose_two = (theirs_off[:, :-1] * _at_least(self._first[self._first_row[mine]])[:, 1:]).sum(
            1
        )
        found = np.zeros((len(mine), 6))
        for column, chance, points in (
            (0, win, self.rules.single_points),
            (1, win_two, self.rules.gammon_points),
            (3, lose_two, self.rules.gammon_points),
        ):
            found[:, column] = chance if column == 0 or points >= 2 else 0
        if self.rules.gammon_points >= 3:
            found[:, 2], found[:, 4] = win_two, lose_two
        return found

    def _wide(self, rows: FloatArray) -> FloatArray:
        """Return rows with as many columns as all tables of this size have."""
        found = np.zeros((len(rows), self._columns))
        width = min(self._columns, rows.shape[1])
        found[:, :width] = rows[:, :width]
        return found

    def _pair(
        self, mover: npt.ArrayLike, other: npt.ArrayLike
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        mine, theirs = self._indices(mover, "mover"), self._indices(other, "other")
        return _paired(mine, theirs)

    def _indices(self, sides: npt.ArrayLike, name: str = "sides") -> npt.NDArray[np.int32]:
        return _indices(sides, self.points, self.checkers, name)

    def __repr__(self) -> str:
        """Return what the table covers."""
        return (
            f"<one-sided bear-off: up to {self.checkers} checkers on "
            f"{self.points} points, {len(self._mean):,} sides>"
        )


class TwoSidedBearoff:
    """What a bear-off of one side against another is worth to the player on roll, exactly.

    Equities are in points of the present stake, for money: a single win counts the rules' single
    points, and gammons count where a side still has all its checkers. With a cube both players
    double and take as well as can be, without a limit; no beavers, no Jacoby rule. Make one with
    `two_sided`, which keeps it.

    Attributes:
        rules: the rules of the game.
        points: how many points the table covers.
        checkers: the most checkers of a side.
        nbytes: the memory that the table takes, in bytes.
    """

    def __init__(self, rules: Rules, points: int, checkers: int) -> None:
        """Build the table; `two_sided` checks the arguments."""
        self.rules, self.points, self.checkers = rules, points, checkers
        count = bearoff.count_sides(points, checkers)
        after, offsets = bearoff.successors(points, checkers)
        standing = bearoff.all_sides(points, checkers).sum(1)
        wins = np.where(standing == rules.checkers, rules.gammon_points, rules.single_points)
        self._worth = new_array((count, count, 6), np.float64, "the table")
        self._worth[:, 0] = self._worth[0] = 0
        bearoff.two_sided(
            after, offsets, wins.astype(np.float64), float(rules.single_points), self._worth
        )

    @property
    def nbytes(self) -> int:
        """The memory that the table takes, in bytes."""
        return self._worth.nbytes

    def equity(
        self,
        mover: npt.ArrayLike,
        other: npt.ArrayLike,
        cube: str = "none",
        *,
        best_action: bool = False,
    ) -> FloatArray:
        """Return what positions are worth to the player on roll.

        Args:
            mover: the sides on roll, integers ``[N, points]`` or ``[points]``: the checkers on the
                points 1, 2, …
            other: the other sides, as many.
            cube: where the cube lies: ``"none"`` for a game without one, ``"own"``, ``"centred"``
                or ``"other"``.
            best_action: whether the player on roll doubles now if that is best. If not, he rolls
                at once, and may double from his next turn on.

        Returns:
            ``float64[N]``; 0 where a side has no checkers: that game is over, and nothing is at
            stake any more.

        Raises:
            ValueError: sides of another shape or with too many checkers, or another cube.
        """
        places = CUBE_PLACES
        if cube not in places:
            raise ValueError(f"cube={shown(cube)}: expected one of {', '.join(places)}")
        place = places.index(cube)
        if flag(best_action, "best_action") and place in (1, 2):
            place += 3
        mine, theirs = _paired(
            _indices(mover, self.points, self.checkers, "mover"),
            _indices(other, self.points, self.checkers, "other"),
        )
        found: FloatArray = self._worth[mine, theirs, place]
        return found

    def worth_without_cube(self) -> FloatArray:
        """Return the equities without a cube of all sides against all, ``float64[S, S]``, in the
        order in which the core numbers them, the side on roll first."""
        worth: FloatArray = self._worth[:, :, 0]
        return worth

    def __repr__(self) -> str:
        """Return what the table covers."""
        return (
            f"<two-sided bear-off: up to {self.checkers} checkers on "
            f"{self.points} points, {len(self._worth) - 1:,} sides against as many>"
        )


def one_sided(
    rules: Rules | str | None = None, points: int = 6, *, most_bytes: int = MOST_BYTES
) -> OneSidedBearoff:
    """Return the table of the rolls that one side needs, built at the first call and then kept.

    Args:
        rules: a `Rules` or the name of a preset; None for backgammon. Hitting, pinning and blocking
            games alike: the sides must be out of each other's way.
        points: how many points the checkers may stand on, 1 to 12. 6 points with 15 checkers
            (54,264 sides) take about 0.2 s and 19 MB, 8 points (490,314) some 2 s and 228 MB, 10
            points (3,268,760) 17 s and 1.9 GB, and 4.3 GB while it is built.
        most_bytes: the most memory that the table may take.

    Raises:
        ValueError: another number of points; or rules in which a die may go unplayed during the
            bear-off or doubles go on (`bearoff_oversize`, `bearoff_internal`, `cascade`).
        ResultTooLargeError: the table takes more than `most_bytes`; the message says how much.
    """
    rules = _bearing_off("backgammon" if rules is None else rules)
    points = whole_number(points, "points", 1, 12)
    most_bytes = whole_number(most_bytes, "most_bytes", 0)
    count = bearoff.count_sides(points, rules.checkers)
    columns = -(-points * rules.checkers // _LEAST_PIPS) + 2
    _refuse_large(count * (8 * columns + 8 + 84), count, most_bytes)
    require_room((count, columns), 24, "the table")
    return _one_sided(_movement(rules), points)


def two_sided(
    rules: Rules | str | None = None,
    points: int = 6,
    checkers: int = 6,
    *,
    most_bytes: int = MOST_BYTES,
) -> TwoSidedBearoff:
    """Return the table of one side against another, built at the first call and then kept.

    Args:
        rules: a `Rules` or the name of a preset; None for backgammon.
        points: how many points the checkers may stand on, 1 to 12.
        checkers: the most checkers of a side, 1 to those of the rules. 6 points and 6 checkers
            (924 sides, 851,929 pairs) take about 1 s and 41 MB.
        most_bytes: the most memory that the table may take.

    Raises:
        ValueError: as in `one_sided`, or another number of checkers.
        ResultTooLargeError: the table takes more than `most_bytes`; the message says how much.
    """
    rules = _bearing_off("backgammon" if rules is None else rules)
    points = whole_number(points, "points", 1, 12)
    checkers = whole_number(checkers, "checkers", 1, 15)
    checkers = min(checkers, rules.checkers)
    most_bytes = whole_number(most_bytes, "most_bytes", 0)
    count = bearoff.count_sides(points, checkers)
    _refuse_large(48 * count * count, count * count, most_bytes)
    require_room((count, count), 48, "the table")
    return _two_sided(_movement(rules), points, checkers)


_one_sided = lru_cache(maxsize=4)(OneSidedBearoff)
_two_sided = lru_cache(maxsize=4)(TwoSidedBearoff)


def has_table(rules: Rules) -> bool:
    """Return whether bear-off tables are for these rules: no die may go unplayed meanwhile."""
    return all(getattr(rules, name) is needed for name, needed in _NEEDED)


def _bearing_off(rules: Rules | str) -> Rules:
    """Return rules in which every die can be played as long as a checker is left.

    Raises:
        ValueError: others.
    """
    rules = resolve_rules(rules)
    for name, needed in _NEEDED:
        if getattr(rules, name) is not needed:
            raise ValueError(
                f"rules={rules_name(rules)}: bear-off tables are for rules with {name}={needed}"
            )
    return rules


def _movement(rules: Rules) -> Rules:
    """Return rules that have the same tables: those of a game without anything but a race."""
    return Rules(
        checkers=rules.checkers,
        start=((24, rules.checkers),),
        single_points=rules.single_points,
        gammon_points=rules.gammon_points,
        backgammon_points=rules.backgammon_points,
    )


def _refuse_large(size: int, count: int, most_bytes: int) -> None:
    """Refuse a table that is larger than the caller asks for.

    Raises:
        ResultTooLargeError: it is.
    """
    if size > most_bytes:
        raise ResultTooLargeError(
            f"the table has {count:,} entries and takes {size:,} bytes: pass most_bytes={size} or "
            "more to build it all the same"
        )


def _indices(sides: npt.ArrayLike, points: int, checkers: int, name: str) -> npt.NDArray[np.int32]:
    """Return the checked numbers of sides, ``int32[N]``.

    Raises:
        ValueError: of another shape, or too many checkers; the message names the first.
    """
    expected = f"integers [N, {points}] or [{points}], the checkers on the points 1 to {points}"
    array = integers(sides, name, expected)
    if array.ndim not in (1, 2) or array.shape[-1] != points:
        raise ValueError(f"{name} has shape {array.shape}: expected {expected}")
    array = array.reshape(-1, points)
    bad = (array < 0).any(1) | (array > checkers).any(1)
    bad |= np.where(bad, 0, np.clip(array, 0, checkers + 1).sum(1)) > checkers
    if bad.any():
        where = int(np.argmax(bad))
        raise ValueError(
            f"{name}[{where}] is {shown(array[where].tolist())}: expected at most {checkers} "
            "checkers, none of them negative"
        )
    found = np.empty(len(array), np.int32)
    bearoff.side_indices(np.ascontiguousarray(array, np.int8), checkers, found)
    return found


def _paired(
    mine: npt.NDArray[np.int32], theirs: npt.NDArray[np.int32]
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Return as many sides on roll as others, one standing for all of the other kind.

    Raises:
        ValueError: their numbers differ, and neither is one.
    """
    if len(mine) != len(theirs) and 1 not in (len(mine), len(theirs)):
        raise ValueError(f"other has {len(theirs)} sides: expected {len(mine)}, as mover has")
    mine, theirs = np.broadcast_arrays(mine, theirs)
    return mine, theirs


def _at_least(chances: FloatArray) -> FloatArray:
    """Return the chances of k or more, ``float64[N, K]``, from those of exactly k."""
    return np.cumsum(chances[:, ::-1], 1)[:, ::-1]
