"""Hints: one position judged, as `analyse` judges those of a match."""

from __future__ import annotations

from typing import Any, Literal

from tavli_fast._common.arguments import Int8Array
from tavli_fast.analysis.decisions import asked_about
from tavli_fast.analysis.method import judge_of
from tavli_fast.analysis.records import Decision
from tavli_fast.analysis.spot import Spot
from tavli_fast.cube.setting import CubeSetting
from tavli_fast.play.records import Roll
from tavli_fast.rules.presets import Rules

__all__ = ["hint"]


def hint(
    board: Int8Array,
    dice: Roll | None,
    rules: Rules,
    setting: CubeSetting | None,
    evaluator: Any = "net",
    plies: int | Literal["rollout"] = 0,
    top: int = 5,
) -> list[Decision]:
    """Return what may be decided in a position: the cube before the roll, or the play of a roll.

    Args:
        board: the position, the player on roll first.
        dice: the roll; None before it.
        rules: the rules.
        setting: the cube and the score; None without a cube.
        evaluator: as in `analyse`.
        plies: as in `analyse`.
        top: how many plays to list.

    Returns:
        The decision, if there is one to take; its `played` is the best choice.
    """
    judge, valuer = judge_of(evaluator, rules, plies, top)
    spot = Spot.at(board, dice, rules, setting)
    return asked_about(spot, judge.judged([spot])[0], valuer)
