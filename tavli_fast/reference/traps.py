"""Positions without a way out, which a turn must not leave the enemy in."""

from __future__ import annotations

from tavli_fast.reference.moves import begin, moves_of_die
from tavli_fast.reference.position import BAR, Position
from tavli_fast.reference.primes import primes
from tavli_fast.reference.scoring import is_over
from tavli_fast.rules.presets import Rules


def is_trap(position: Position, rules: Rules) -> bool:
    """Return whether the turn of "mine", ending in this position, leaves the enemy trapped."""
    if rules.trap not in ("single_point", "immobile") or is_over(position, rules):
        return False

    # F7: all enemy checkers still in play are on the one point directly behind a prime.
    if rules.trap == "single_point":
        points = [point for point in range(1, BAR) if position.theirs[point]]
        return any(points == [prime.stop] for prime in primes(position, rules))

    # F7, another reading: the enemy has no move with any die.
    enemy = begin(Position(position.theirs, position.mine), None, rules)
    return not any(moves_of_die(enemy, die, rules) for die in range(1, 7))
