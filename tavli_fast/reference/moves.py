"""One move: what a single checker may do with a single die, and what it leaves behind."""

from __future__ import annotations

from typing import Final, NamedTuple

from tavli_fast.reference import primes
from tavli_fast.reference.position import BAR, OFF, PINNED, START, Position, other_number
from tavli_fast.reference.scoring import is_over_at_once
from tavli_fast.rules.presets import Rules

Roll = tuple[int, int]

HOME: Final = range(1, 7)


class Move(NamedTuple):
    """One checker's move by one die, in the mover's numbers (25 is the bar, 0 is off)."""

    source: int
    target: int

    def __str__(self) -> str:
        """Return the move as it is written: ``13/8``, ``bar/22``, ``6/off``."""
        source = "bar" if self.source == BAR else str(self.source)
        target = "off" if self.target == OFF else str(self.target)
        return f"{source}/{target}"


class Turn(NamedTuple):
    """A turn under way: the position now, and what the turn has done that still matters."""

    position: Position
    hits_at_home: frozenset[int] = frozenset()
    """The home points where it has hit."""
    head_left: int | None = None
    """How many more checkers may leave the head; None for any number."""


def begin(position: Position, roll: Roll | None, rules: Rules) -> Turn:
    """Return the turn before its first move; None is the roll that allows most."""
    # Section 4.7: one checker per turn may leave the head. In the first turn, which the board
    # shows, one more may leave with certain doubles, which could not be played otherwise.
    head_left = rules.head_limit
    rolls = [(die, die) for die in rules.head_first_turn]
    on_the_head = position.mine[START] == rules.checkers
    if head_left is not None and on_the_head and rolls and roll in (None, *rolls):
        head_left += 1
    return Turn(position, head_left=head_left)


def moves_of_die(turn: Turn, die: int, rules: Rules) -> dict[Move, Turn]:
    """Return every move that `die` allows, each with the turn after it."""
    moves = {}
    for source in range(BAR, OFF, -1):
        if turn.position.mine[source] and not why_not(turn, source, die, rules):
            # RULES 44: the bar counts as point 25, so die d enters on 25 - d.
            move = Move(source, max(source - die, OFF))
            moves[move] = after(turn, move, rules)
    return moves


def why_not(turn: Turn, source: int, die: int, rules: Rules) -> str:
    """Return why no checker may move from `source` by `die`; an empty text if one may."""
    mine = turn.position.mine

    # RULES 6: once a side has won, nobody moves any more.
    if is_over_at_once(turn.position, rules):
        return "the game is over"

    if not mine[source]:
        return "there is no checker to move"

    # Section 4.2: a pinned checker cannot move until every capturer has left.
    if mine[source] == PINNED:
        return "a pinned checker cannot move"

    # RULES 43, 47: while a checker is on the bar, only checkers on the bar may move.
    if mine[BAR] and source != BAR:
        return "the checkers on the bar must enter first"

    # Section 4.1, Tavla: a checker that hits in its own home stays there until the turn ends, and
    # may not be borne off either. Only that one stays: another that joins it may move on.
    held = 1 if source in turn.hits_at_home and not rules.hit_and_run_home else 0
    if mine[source] == held:
        return "a checker that hits at home may not move on in the same turn"

    # F1, F2: until a checker has reached the gate, only the foremost may move; after that all may,
    # from the next die on. (Checkers never move backwards, so the board shows it.)
    if rules.runner_gate is not None and source != _foremost(mine):
        passed = any(mine[OFF : rules.runner_gate + 1])
        if not passed:
            return f"the first checker must come to {rules.runner_gate} before another moves"

    # Section 4.7: only so many checkers per turn may leave the head.
    if source == START and turn.head_left == 0:
        return "no more checkers may leave the head in this turn"

    target = source - die
    if target > OFF:
        return _why_not_land(turn, Move(source, target), rules)
    return _why_not_bear_off(turn.position, source, die, rules)


def _foremost(mine: tuple[int, ...]) -> int:
    """Return the lowest point that holds a checker."""
    return next(point for point in range(1, BAR + 1) if mine[point])


def _why_not_land(turn: Turn, move: Move, rules: Rules) -> str:
    """Return why the move may not end on its point; an empty text if it may."""
    mine, theirs = turn.position
    enemies = theirs[other_number(move.target, rules)]

    # RULES 24, 25, 45: one enemy checker does not close a point, two do. Section 4.5: in games
    # without contact, one does. RULES 23: checkers between source and target do not matter.
    if enemies >= rules.block_at:
        return "two enemy checkers close that point" if enemies > 1 else "the point is closed"

    # P8: an enemy checker on top of mine closes the point to me.
    if mine[move.target] == PINNED:
        return "one of the mover's own checkers is pinned there"

    # Section 4.8, vogclub's game: a side with all checkers home may only bear off.
    if not rules.bearoff_internal and not any(mine[HOME.stop :]):
        return "with all checkers home the dice only bear off"

    # Section 8: bans on primes exist in parallel games only.
    if rules.parallel:
        return primes.why_not_land(after(turn, move, rules).position, move.target, rules)
    return ""


def _why_not_bear_off(position: Position, source: int, die: int, rules: Rules) -> str:
    """Return why the die may not bear off from `source`; an empty text if it may."""
    mine = position.mine

    # RULES 53, 62: no bearing off before every checker still in play is at home, pinned or free.
    if any(mine[HOME.stop :]):
        return "not all checkers are home"

    # P10: no bearing off while one of the side's own checkers is pinned.
    if PINNED in mine and not rules.bearoff_while_pinned:
        return "no checker may be borne off while one is pinned"

    # RULES 55: die d bears off from point d.
    if source == die:
        return ""

    # Section 4.8: in some places no other die does.
    if not rules.bearoff_oversize:
        return "only the exact die bears off"

    # RULES 57, 59: a larger die bears off from the farthest point only; as long as a checker is
    # farther out, pinned or free, the die has to be played inside the home.
    if any(mine[source + 1 : HOME.stop]):
        return "a larger die bears off from the farthest point only"
    return ""


def after(turn: Turn, move: Move, rules: Rules) -> Turn:
    """Return the turn after a move that is allowed."""
    mine, theirs = list(turn.position.mine), list(turn.position.theirs)
    hits_at_home, head_left = turn.hits_at_home, turn.head_left

    # P9: when the last capturer leaves, the checker underneath is free at once.
    mine[move.source] -= 1
    left = other_number(move.source, rules)
    if move.source != BAR and not mine[move.source] and theirs[left] == PINNED:
        theirs[left] = 1
    if move.source == START and head_left is not None:
        head_left -= 1

    # RULES 26: any number of own checkers may share a point; P7: also where an enemy checker is
    # pinned. RULES 54: checkers borne off (index 0) never return.
    mine[move.target] += 1

    there = other_number(move.target, rules)
    if move.target != OFF and theirs[there] == 1:
        # Section 4.2: landing on a lone enemy checker pins it on its point.
        if rules.contact == "pin":
            theirs[there] = PINNED

        # RULES 41, 46: landing on a lone enemy checker sends it to the bar, also on entering.
        else:
            theirs[there] = 0
            theirs[BAR] += 1
            if move.target in HOME:
                hits_at_home |= {move.target}
    return Turn(Position(tuple(mine), tuple(theirs)), hits_at_home, head_left)
