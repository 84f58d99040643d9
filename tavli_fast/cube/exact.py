"""The cube solved exactly, for endings short enough to search every roll, play and double.

There is no model: the equities of a position for every owner and level of the cube follow from
those of the positions one roll later, where each side makes the best play and cube action for that
cube. So a play may depend on the owner of the cube, as it does in real bear-offs. For money, with
neither a limit nor beavers, bear-offs of up to six checkers a side are read from a table.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from tavli_fast._common.arguments import OFF, BoardLike, FloatArray, Int8Array, whole_number
from tavli_fast.boards.plays import afterstates
from tavli_fast.boards.positions import flip, outcomes
from tavli_fast.cube.advice import setting_beside
from tavli_fast.cube.decisions import CubeDecision, beavered_ladder, decided, decision_of
from tavli_fast.cube.model import Ladder, Worth
from tavli_fast.cube.setting import CubeSetting, ladder_of
from tavli_fast.evaluation.outcomes import CHANCES, ROLLS
from tavli_fast.exact.bearoff import TwoSidedBearoff, has_table, two_sided
from tavli_fast.exact.race import bearoff_sides
from tavli_fast.notation.position_id import position_of
from tavli_fast.rules.presets import Rules, RulesLike

__all__ = ["exact_cube"]

_CENTRE, _MINE, _THEIRS, _NEVER = range(4)
_PLACES: Final = ("centred", "own", "other", "none")
"""The same, as the bear-off table calls them."""
_EXCHANGED: Final = [_CENTRE, _THEIRS, _MINE, _NEVER]
"""The owner of the cube after the turn has passed."""


def exact_cube(
    board: BoardLike | str,
    setting: CubeSetting | None = None,
    rules: RulesLike | None = None,
    *,
    limit: int = 20_000,
) -> CubeDecision:
    """Return the exact cube decision and equities of a short ending, without a model.

    Args:
        board: the position before the roll, integers ``[2, 26]``, the player on roll first; or an
            `XGID`, or the text of an ID.
        setting: the cube, the score and the rules of the match, as in `cube_decision`.
        rules: a `Rules` or the name of a preset; None for those that the position states, else
            Portes.
        limit: the largest number of different positions to search.

    Returns:
        The `CubeDecision`.

    Raises:
        BoardError: the board is not a possible position.
        ValueError: the game is over, or too long (more positions than `limit`, or one that can
            occur again); or another argument is invalid.

    Examples:
        >>> import tavli_fast as tf
        >>> ending = tf.from_position_id("AQAAiAAAAAAAAA", "backgammon")
        >>> tf.exact_cube(ending, rules="backgammon").action
        'double, take'
    """
    found = position_of(board, rules)
    position, rules = found.board, found.rules
    setting = setting_beside(setting, found)
    limit = whole_number(limit, "limit", 1)
    if outcomes(position, rules)[0][0]:
        raise ValueError("the game is over: expected a position before a roll")
    ladder = ladder_of(setting)
    try:
        table = _Solver(ladder, rules, setting, limit).rolled(position, 0)
    except RecursionError:
        raise ValueError(
            "the game is too long to be looked at as a whole: expected a shorter ending"
        ) from None
    height = 1 if len(table) > 1 else 0
    taken = beavered = None
    if ladder.open():
        taken = table[height, _THEIRS] * (2 if ladder.endless else 1)
        if beavered_ladder(ladder, setting) is not None:
            beavered = 2 * taken if ladder.endless else table[2, _THEIRS]
    one = np.atleast_1d
    here = Worth(*(one(table[0, place]) for place in (_CENTRE, _MINE, _THEIRS)))
    return decision_of(
        decided(
            setting,
            ladder,
            one(table[0, _NEVER]),
            here,
            None if taken is None else one(taken),
            None if beavered is None else one(beavered),
        )
    )


class _Solver:
    """The worth of positions, found once each.

    A table of worths is ``float64[J, 4]``: at each height of the cube, with the cube in the middle
    (at the present height only), the player's, the opponent's, and with no cube at all.
    """

    def __init__(self, ladder: Ladder, rules: Rules, setting: CubeSetting, limit: int) -> None:
        """Begin with nothing known."""
        self.rules, self.setting, self.limit = rules, setting, limit
        self.ladders = ladder, ladder.turned()
        self.table: TwoSidedBearoff | None = None
        plain = ladder.endless and not setting.beavers and not setting.jacoby
        if plain and has_table(rules) and rules.single_points == 1:
            self.table = two_sided(rules)
        self.known: dict[tuple[bytes, int], FloatArray | None] = {}
        """The worths when a turn begins, None while they are being found."""

    def rolled(self, board: Int8Array, side: int) -> FloatArray:
        """Return the worths of a position to the player on roll, who rolls now.

        `side` is 0 for the player whom the setting is about, 1 for the other.
        """
        key = board.tobytes(), side
        if self.table is not None:
            near, sides = bearoff_sides(board[None], self.table.points)
            if near[0] and (board[:, OFF] > 0).all() and sides.sum(2).max() <= self.table.checkers:
                worths = [
                    self.table.equity(sides[0, 0], sides[0, 1], place)[0] for place in _PLACES
                ]
                return np.array([worths])
        if len(self.known) >= self.limit:
            raise ValueError(f"more than limit={self.limit:,} positions: expected a shorter game")
        self.known[key] = None
        boards, offsets = afterstates(np.repeat(board[None], 21, 0), ROLLS, self.rules)
        over, points = outcomes(boards, self.rules) if len(boards) else (np.zeros(0), np.zeros(0))
        total = 0.0
        for weight, first, last in zip(CHANCES, offsets[:-1], offsets[1:], strict=True):
            if first == last:  # a dance: the board as it stands
                best = -self.turn(flip(board), 1 - side)[:, _EXCHANGED]
            else:
                choices = [
                    self._ended(int(points[at]), side)
                    if over[at]
                    else -self.turn(flip(boards[at]), 1 - side)[:, _EXCHANGED]
                    for at in range(first, last)
                ]
                best = np.max(choices, axis=0)
            total = total + weight * best
        return np.asarray(total)

    def turn(self, board: Int8Array, side: int) -> FloatArray:
        """Return the worths of a position to the player on roll, who may double first."""
        key = board.tobytes(), side
        if key in self.known:
            found = self.known[key]
            if found is None:
                raise ValueError("the position can come again: expected a game that runs out")
            return found
        ladder, rolled = self.ladders[side], self.rolled(board, side)
        worths = rolled.copy()
        for height in range(len(worths)):
            if not ladder.mine[height]:
                continue
            passed = ladder.single(height, 1)
            doubled = min(passed, self._taken(rolled, ladder, height))
            for place in (_CENTRE, _MINE):
                worths[height, place] = max(rolled[height, place], doubled)
        self.known[key] = worths
        return worths

    def _taken(self, rolled: FloatArray, ladder: Ladder, height: int) -> float:
        """Return the worth of a double from a height that is taken, and beavered if that pays."""
        if ladder.endless:
            above = 2 * rolled[0, _THEIRS]
            again, lost, may_beaver = 2 * above, 2 * ladder.single(0, -1), True
        else:
            above = rolled[height + 1, _THEIRS]
            may_beaver = ladder.theirs[height + 1]
            again = rolled[height + 2, _THEIRS] if may_beaver else above
            lost = ladder.single(height + 1, -1)
        if not self.setting.beavers or not may_beaver:
            return float(above)
        if self.setting.beaver_refusable:
            again = max(again, lost)
        return float(min(above, again))

    def _ended(self, points: int, side: int) -> FloatArray:
        """Return the worths of a game that is over, to the player who has just moved."""
        ladder = self.ladders[side]
        worths = np.repeat(ladder.values[:, 3 + points, None], 4, 1)
        worths[0, _CENTRE] = ladder.centre[3 + points]
        return worths
