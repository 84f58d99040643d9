"""Games of at most three checkers a side solved exactly, and evaluating by what was found."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from typing import Final

import numpy as np
import numpy.typing as npt

from tavli_fast import _core
from tavli_fast._common.arguments import (
    FloatArray,
    Int8Array,
    board_batch,
    flag,
    number,
    require_room,
    shown,
    whole_number,
    workers,
)
from tavli_fast._core.positions import Positions
from tavli_fast.errors import ResultTooLargeError
from tavli_fast.exact import files
from tavli_fast.exact.sweeps import Place, Solver
from tavli_fast.rules.fields import Rules
from tavli_fast.rules.presets import resolve_rules
from tavli_fast.rules.text import rules_name

__all__ = ["SolvedGame", "solve"]

MOST_CHECKERS: Final = 3
"""The most checkers of a side: four would have 564 million positions."""

MOST_BYTES: Final = 3 * 2**29
"""The most memory that solving may take by default, in bytes: 1.5 GiB."""

_BYTES_A_POSITION: Final = 2 + 1 + 8 + 2 * 21 + 8 * 8 + 16
"""Places in rows, whether the game is over, values, plays, outcomes and how they were found."""

_BYTES_WITH_CUBE: Final = 2 + 1 + 8 + 8 * 8 + 3 * 8 + 2 * (2 * 21 + 4)
"""With values of two places more, and what sweeps over both at once need."""

_UNDECIDED: Final = 127
"""What the core has instead of points while a game goes on."""

_COLUMNS: Final = [0, 1, 2, 4, 5, 6]
"""The outcomes of evaluators among the chances that the core keeps: losing follows from them."""


class SolvedGame:
    """What every position of a game is worth, and with which outcomes, under best play by both.

    An evaluator like any other: called with positions as the player who has just moved leaves them,
    it returns the chances of the outcomes for that player. Make one with `solve`.

    Attributes:
        rules: the rules of the game.
        positions: how many positions there are, finished games included.
        bound: how far an equity without a cube can be from the true one, in points.
        cubes: the places of the cube that were solved.
    """

    def __init__(
        self,
        positions: Positions,
        equities: dict[str, tuple[FloatArray, FloatArray]],
        parts: FloatArray,
        bound: float,
    ) -> None:
        """Take the positions as they have been solved."""
        self.rules, self.positions, self.bound = positions.rules, positions.valid, bound
        self._numbered, self._equities, self._parts = positions, equities, parts
        self.cubes = tuple(equities)
        self.name = f"solved {rules_name(self.rules)}"

    def equity(
        self, boards: npt.ArrayLike, cube: str = "none", *, best_action: bool = False
    ) -> FloatArray:
        """Return what positions are worth to the player on roll, before the roll, ``float64[N]``.

        Args:
            boards: integers ``[N, 2, 26]``, or ``[2, 26]`` for one.
            cube: ``"none"`` for the points that are won on average without a cube; where `solve`
                was asked for it also where the cube lies in a game for money: ``"own"``,
                ``"centred"``, ``"other"``, or ``"jacoby"``, in the middle with Jacoby's rule.
            best_action: whether the player on roll doubles now if that is best. If not, he rolls
                at once, and may double from his next turn on.

        Raises:
            ValueError: not integers, or of another shape; a cube that was not solved.
            BoardError: a board that cannot be.
        """
        if cube not in self._equities:
            raise ValueError(f"cube={shown(cube)}: expected one of {', '.join(self._equities)}")
        rolled, acted = self._equities[cube]
        values = acted if flag(best_action, "best_action") else rolled
        return values[self._places(boards)]

    def outcomes(self, boards: npt.ArrayLike) -> FloatArray:
        """Return the chances of the outcomes for the player on roll, ``float64[N, 6]``.

        P(win), P(win by 2 or more), P(win by 3), P(lose by 2 or more), P(lose by 3), P(draw), by
        the plays that are best without a cube; of plays with the same equity, by one of them.

        Args:
            boards: integers ``[N, 2, 26]``, or ``[2, 26]`` for one: before the roll.

        Raises:
            ValueError: not integers, or of another shape.
            BoardError: a board that cannot be.
        """
        return self._parts[self._places(boards)][:, _COLUMNS]

    def plies(self, boards: npt.ArrayLike) -> FloatArray:
        """Return how many plies the game still takes on average, ``float64[N]``.

        Args:
            boards: integers ``[N, 2, 26]``, or ``[2, 26]`` for one: before the roll.

        Raises:
            ValueError: not integers, or of another shape.
            BoardError: a board that cannot be.
        """
        return self._parts[self._places(boards)][:, 7]

    def __call__(self, afterstates: Int8Array) -> FloatArray:
        """Return the outcomes for the player who has just moved, plane 0; ``float64[N, 6]``."""
        parts = self._parts[self._places(np.asarray(afterstates)[:, ::-1])]
        return parts[:, [3, 4, 5, 1, 2, 6]]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the solved game to a file, which is there as a whole or not at all.

        Hypergammon takes some 570 MB without a cube.

        Args:
            path: the file to write or replace.

        Raises:
            OSError: it cannot be written.
        """
        arrays = {"outcomes": self._parts}
        for cube, (rolled, acted) in self._equities.items():
            arrays[f"{cube}/rolled"] = rolled
            if acted is not rolled:
                arrays[f"{cube}/acted"] = acted
        files.write(path, self.rules, {"bound": self.bound}, arrays)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> SolvedGame:
        """Return the solved game of a file that `save` has written, mapped into memory.

        Args:
            path: the file.

        Raises:
            OSError: it cannot be read.
            ValueError: it is no solved game, or it is damaged.
        """
        rules, facts, arrays = files.read(path)
        positions = Positions(rules)
        parts = arrays.pop("outcomes", np.zeros((0, 0)))
        sizes = {array.shape for array in arrays.values()}
        if parts.shape != (positions.size, 8) or sizes != {(positions.size,)}:
            raise ValueError(
                f"{path} is a damaged solved game: expected {positions.size} positions"
            )
        equities = {}
        for name, rolled in arrays.items():
            cube, kind = name.split("/")
            if kind == "rolled":
                equities[cube] = rolled, arrays.get(f"{cube}/acted", rolled)
        return cls(positions, equities, parts, float(facts["bound"]))

    def _places(self, boards: npt.ArrayLike) -> npt.NDArray[np.int32]:
        checked = board_batch(boards, self.rules)
        places = np.empty(len(checked), np.int32)
        self._numbered.find(checked, places)
        return places

    def __repr__(self) -> str:
        """Return what was solved, and how well."""
        return (
            f"<solved game, {rules_name(self.rules)}: {self.positions:,} positions, equities "
            f"within {self.bound:.1g}>"
        )


def solve(
    rules: Rules | str,
    *,
    cube: bool = False,
    tolerance: float = 1e-11,
    threads: int | None = None,
    most_bytes: int = MOST_BYTES,
    progress: Callable[[str, float], object] | None = None,
) -> SolvedGame:
    """Return the exact value of every position of a game of at most three checkers a side.

    Policy iteration: the best play of each roll is found for all positions, then what positions are
    worth by these plays, and again until no value changes by more than `tolerance`. Of an error of
    the last sweep at most as much is left for each ply that the game still takes on average; the
    result has that bound. The same bits for any number of threads.

    Args:
        rules: a `Rules` or the name of a preset, such as ``"hypergammon"``, or a changed copy of
            another game: ``dataclasses.replace(tf.FEVGA, checkers=2, start=((24, 2),))``.
        cube: whether to solve the game for money too: a cube without a limit, no beavers.
        tolerance: the largest change that is left, in points, 1e-14 or more.
        threads: how many threads, as many as there are processors if None.
        most_bytes: the most memory that solving may take. Hypergammon (7,959,903 positions) takes
            1.3 GB. With a cube its arrays take 1.7 GB, for which `most_bytes` must be raised.
        progress: called after each sweep with what it has found and the largest change.

    Raises:
        ValueError: another argument.
        ResultTooLargeError: too many checkers, or more memory than `most_bytes`; the message tells
            of the positions and their bytes.
    """
    rules = resolve_rules(rules)
    cube = flag(cube, "cube")
    tolerance = number(tolerance, "tolerance", 1e-14, 1)
    threads = workers(threads)
    most_bytes = whole_number(most_bytes, "most_bytes", 0)
    spots = 26 if rules.contact == "hit" else 25
    sides = math.comb(spots + rules.checkers - 1, rules.checkers)
    size = sides * sides * (_BYTES_WITH_CUBE if cube else _BYTES_A_POSITION)
    if rules.checkers > MOST_CHECKERS:
        raise ResultTooLargeError(
            f"rules={rules_name(rules)}: {rules.checkers} checkers a side have up to "
            f"{sides * sides:,} positions, which take {size:,} bytes: expected rules with at most "
            f"{MOST_CHECKERS}"
        )
    if size > most_bytes:
        raise ResultTooLargeError(
            f"rules={rules_name(rules)}: up to {sides * sides:,} positions take {size:,} bytes: "
            f"pass most_bytes={size} or more to solve them all the same"
        )
    require_room((size,), 1, "the positions")
    positions = Positions(rules)
    with Solver(positions, threads, float(rules.single_points), tolerance, progress) as solver:
        values = _core.solve.Values(positions, _finished(positions), False)
        change = solver.solve([Place("cubeless", values, values)])
        values.keep_plays()
        if not cube:
            solver.sweeps.forget_plays()
        parts = solver.find_outcomes(values)
        values.keep_values()
        equities = {"none": (values.rolled, values.acted)}
        if cube:
            own = _core.solve.Values(positions, _finished(positions), True)
            other = _core.solve.Values(positions, _finished(positions), False)
            # The cube of the player on roll is his opponent's in the next turn. The values of
            # `other` come first, for a double leads to them.
            solver.solve(
                [Place("opponent's cube", other, own), Place("own cube", own, other, other)]
            )
            own.keep_values()
            other.keep_values()
            equities["own"], equities["other"] = (own.rolled, own.acted), (other.rolled,) * 2
            for name, most in (("centred", 127), ("jacoby", rules.single_points)):
                values = _core.solve.Values(positions, _finished(positions, most), True)
                solver.solve([Place(f"{name} cube", values, values, other)])
                values.keep_values()
                equities[name] = values.rolled, values.acted
    return SolvedGame(positions, equities, parts, change * float(parts[:, 7].max()))


def _finished(positions: Positions, most: int = 127) -> FloatArray:
    """Return the points of the player on roll in games that are over, at most so many, else 0."""
    results = positions.results
    return np.where(results == _UNDECIDED, 0, np.clip(results, -most, most)).astype(np.float64)
