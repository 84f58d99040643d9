"""How policies choose the plays of many games at once."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tavli_fast import _core
from tavli_fast._common.arguments import Int8Array, whole_number
from tavli_fast._common.results import Afterstates
from tavli_fast.evaluation.evaluator import Player, values_of
from tavli_fast.evaluation.outcomes import EQUITY
from tavli_fast.rules.presets import Rules


def boards_of_net(player: Player, boards: Int8Array, dice: Int8Array, rules: Rules) -> Int8Array:
    """Return the afterstates that a compiled evaluator likes best, the board itself where no move
    can be made."""
    net = player.weights
    assert net is not None
    places, after = np.empty(len(boards), np.int32), np.empty_like(boards)
    out = np.empty((len(boards), EQUITY), np.float32)
    _core.evaluate.best(
        boards, dice, rules, net.packed, net.kind, net.columns, net.outputs, places, after, out
    )
    return after


def choices_of(
    player: Player, boards: Int8Array, dice: Int8Array, listed: Afterstates, rules: Rules
) -> npt.NDArray[np.int64]:
    """Return which of its afterstates a player chooses for each board, -1 where there is none.

    Raises:
        EvaluatorError: his callable raises an exception or returns no values.
        ValueError: his policy does not return the index of an afterstate.
    """
    choices = np.full(len(boards), -1, np.int64)
    after, offsets = listed
    if player.policy is None:
        values = values_of(player, after, rules)[:, EQUITY]
        _core.vector_game.best(np.ascontiguousarray(values), offsets, choices)
        return choices
    for game in np.flatnonzero(np.diff(offsets)).tolist():
        board, some = boards[game].copy(), after[offsets[game] : offsets[game + 1]].copy()
        board.setflags(write=False)
        some.setflags(write=False)
        first, second = dice[game].tolist()
        chosen = player.policy(board, (first, second), some, rules)
        choices[game] = whole_number(chosen, "policy", 0, len(some) - 1)
    return choices
