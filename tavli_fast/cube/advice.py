"""What to do with the cube in one position: from its outcomes, or judged by an evaluator."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tavli_fast._common.arguments import BoardLike
from tavli_fast.cube.decisions import CubeDecision, cube_equities, decision_of
from tavli_fast.cube.model import EFFICIENCY
from tavli_fast.cube.setting import CubeSetting, setting_of
from tavli_fast.evaluation.evaluate import outcomes_by
from tavli_fast.evaluation.evaluator import Evaluator
from tavli_fast.notation.position_id import Position, position_of
from tavli_fast.notation.xgid import XGID
from tavli_fast.rules.fields import misplaced_rules
from tavli_fast.rules.presets import RulesLike

__all__ = ["cube_decision", "setting_beside"]

_BEFORE_ROLL: Final = "expected a position before the roll, in which the cube can be turned"


def cube_decision(
    position: npt.ArrayLike | BoardLike | str,
    setting: CubeSetting | None = None,
    rules: RulesLike | None = None,
    *,
    evaluator: Evaluator | None = None,
    efficiency: float = EFFICIENCY,
) -> CubeDecision:
    """Return the cube decision in one position, and the value of each choice.

    Args:
        position: the outcomes, floats ``[6]`` as in `cube_equities`; or the board, integers
            ``[2, 26]``, with an evaluator; or an `XGID`, or the text of an ID, which the net of its
            rules evaluates if no evaluator is given. An XGID in which a double waits for its answer
            is answered.
        setting: the cube, the score and the rules of the match; None for those of the XGID, or for
            money, with a centred cube at 1.
        rules: the rules of the board; None for those that the position states, else those of the
            evaluator, else Portes.
        evaluator: evaluates the board, as in rollouts: ``"net"``, a `Net`, a `Linear`, or a
            callable from afterstates to outcome probabilities of the player who has just moved.
        efficiency: the cube efficiency, 0 to 1; see `cube_equities`.

    Returns:
        The `CubeDecision`.

    Raises:
        BoardError: the board is not a possible position.
        ValueError: another argument is invalid, an XGID has a roll or a beaver to answer, or the
            evaluator returns no outcomes.

    Examples:
        >>> import tavli_fast as tf
        >>> tf.cube_decision([0.76, 0.2, 0.01, 0.05, 0.0, 0.0]).action
        'double, pass'
        >>> tf.cube_decision([0.76, 0.2, 0.01, 0.05, 0.0, 0.0], tf.CubeSetting(away=(2, 4))).action
        'no double'
    """
    if misplaced := misplaced_rules(position, "position"):
        raise ValueError(misplaced)
    if evaluator is None and not isinstance(position, str | XGID):
        outcomes: Any = position
        equities = cube_equities(outcomes, setting_of(setting), efficiency=efficiency)
        if len(equities.cubeless) != 1:
            raise ValueError(f"{len(equities.cubeless)} positions: expected one; see cube_equities")
        return decision_of(equities)
    found = position_of(position, rules, evaluator)
    used = setting_beside(setting, found)
    outcomes = outcomes_by(
        "net" if evaluator is None else evaluator, found.board[np.newaxis], found.rules
    )
    decision = decision_of(cube_equities(outcomes, used, efficiency=efficiency))
    if found.xgid is None or found.xgid.pending is None:
        return decision
    answer = ("beaver" if decision.beaver else "take") if decision.take else "pass"
    return replace(decision, action=answer)


def setting_beside(setting: Any, position: Position) -> CubeSetting:
    """Return the setting that is given, or that of the position's XGID, or money.

    Raises:
        ValueError: it is no setting, or the position is not one in which the cube can be turned.
    """
    xgid = position.xgid
    if position.dice is not None:
        roll = "-".join(map(str, position.dice))
        raise ValueError(f"position: the dice {roll} are thrown; {_BEFORE_ROLL}")
    if xgid is None:
        return setting_of(setting)
    if xgid.pending not in (None, "double"):
        raise ValueError(f"position: a {xgid.pending} waits for an answer; {_BEFORE_ROLL}")
    if xgid.pending and (xgid.cube_owner < 0 or xgid.crawford or xgid.cube >= xgid.max_cube):
        raise ValueError(f"position: in {xgid} nobody could double; {_BEFORE_ROLL}")
    return CubeSetting.of(xgid) if setting is None else setting_of(setting)
