"""How many actions there are: bounds that the rules tell."""

from __future__ import annotations

from math import comb
from typing import Final

from tavli_fast.rules.presets import RulesLike, resolve_rules

MOVES: Final = 157
"""The single moves: 26 sources (0 is none, 25 the bar) times 6 dice, and the pass behind them."""

PASS: Final = 156
"""The action of a player who cannot move."""


def max_afterstates(rules: RulesLike | None = None) -> int:
    """Return how many distinct plays a roll can have at most.

    A play says for each of the dice which checker it moves. With c checkers, four equal dice are
    shared out in ``comb(c + 3, 4)`` ways, or ``comb(c + 4, 4)`` if some may be left; of two
    different dice each moves any checker, and one that takes both may go through either point,
    which is less unless there are very few checkers: ``c * c + 3 * c``. (A search for positions
    with many plays found 2,226.) A cascade of doubles has no useful bound; the number is then that
    of four dice.

    Args:
        rules: a `Rules` or the name of a preset; None for Portes.

    Raises:
        ValueError: `rules` is not a rule set.

    Examples:
        >>> import tavli_fast as tf
        >>> tf.envs.max_afterstates("backgammon"), tf.envs.max_afterstates("hypergammon")
        (3060, 18)
    """
    rules = resolve_rules(rules)
    checkers = rules.checkers
    # Not all plays take as many dice as possible where the duty lapses.
    strict = rules.max_dice and rules.win_needs_all_dice and rules.mother_ends == "turn_end"
    strict = strict and not (rules.trap != "none" and not rules.trap_first)
    doubles = comb(checkers + 3 + (not strict), 4)
    return max(doubles, checkers * checkers + 3 * checkers)
