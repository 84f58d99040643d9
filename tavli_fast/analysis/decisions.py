"""The decisions of a turn, made of what the judge found: plays, doubles, answers."""

from __future__ import annotations

from typing import Final

import numpy as np

from tavli_fast.analysis.judging import CubeView, Found
from tavli_fast.analysis.records import Choice, Decision, Luck
from tavli_fast.analysis.spot import Spot
from tavli_fast.analysis.values import Scale, Valuer
from tavli_fast.notation.play import Turn

__all__ = ["asked_about", "decisions_of"]


_NOTHING: Final = np.empty((0, 4, 2), np.int8), np.empty((0, 2, 26), np.int8)
"""No plays, where only the board of a turn is of interest."""

CLOSE: Final = 0.16
"""A cube decision is close if a double costs less than this, or gains."""


def decisions_of(spot: Spot, found: Found, valuer: Valuer) -> list[Decision]:
    """Return the decisions of a turn that has been judged: the cube's, then the play."""
    made = []
    if found.cube is not None:
        assert spot.stage is not None
        made.append(_double(spot, found.cube, valuer))
        if spot.answer is not None:
            made.append(_answer(spot, found.cube, valuer))
    if spot.dice is not None and found.candidates:
        made.append(_play(spot, found, valuer))
    return made


def asked_about(spot: Spot, found: Found, valuer: Valuer) -> list[Decision]:
    """Return what may be decided in a position: the play of a roll, or the cube before it."""
    if spot.dice is None:
        return [] if found.cube is None else [_double(spot, found.cube, valuer)]
    return [_play(spot, found, valuer)]


def _play(spot: Spot, found: Found, valuer: Valuer) -> Decision:
    """Return the decision about a roll."""
    scale = valuer.scale(spot.after)
    assert spot.dice is not None
    marks = Turn(spot.board, spot.dice, spot.rules, _NOTHING).lone
    choices = tuple(
        Choice("play", play.equity, play.moves, play.outcomes, marks) for play in found.candidates
    )
    played = next(
        choice
        for choice, play in zip(choices, found.candidates, strict=True)
        if spot.played is None or (play.board == spot.played).all()
    )
    error = max(found.best - found.played, 0.0) if found.legal > 1 else 0.0
    luck = None if found.luck is None else Luck(found.luck, found.luck * scale.unit)
    return Decision(
        spot.game + 1, spot.turn + 1, spot.player, "play", spot.board, spot.dice, spot.rules,
        spot.after, played, choices, found.legal < 2, found.legal > 1, error, error * scale.unit,
        luck, _chance(scale, played.equity, True),
    )  # fmt: skip


def _double(spot: Spot, cube: CubeView, valuer: Valuer) -> Decision:
    """Return the decision of the player on roll about the cube."""
    doubled = min(cube.double_take, cube.double_pass)
    options = [Choice("double", doubled), Choice("no double", cube.no_double)]
    played = options[0] if spot.doubled else options[1]
    best = options[0] if cube.double else options[1]
    error = max(best.equity - played.equity, 0.0)
    close = best.equity - doubled < CLOSE or error > 0
    return _about_cube(
        spot, "double", spot.player, played, best, options, error, close, cube, valuer
    )


def _answer(spot: Spot, cube: CubeView, valuer: Valuer) -> Decision:
    """Return the decision of the opponent, who was doubled."""
    taking = "beaver" if cube.beaver or spot.answer == "beaver" else "take"
    options = [Choice(taking, -cube.double_take), Choice("pass", -cube.double_pass)]
    played = options[1] if spot.answer == "drop" else options[0]
    best = options[0] if cube.take else options[1]
    error = max(best.equity - played.equity, 0.0)
    who = 1 - spot.player
    return _about_cube(spot, "answer", who, played, best, options, error, True, cube, valuer)


def _about_cube(
    spot: Spot,
    kind: str,
    player: int,
    played: Choice,
    best: Choice,
    options: list[Choice],
    error: float,
    close: bool,
    cube: CubeView,
    valuer: Valuer,
) -> Decision:
    """Return a decision about the cube."""
    other = next(option for option in options if option is not best)
    scale = valuer.scale(spot.stage)
    return Decision(
        spot.game + 1, spot.turn + 1, player, kind, spot.board, None, spot.rules, spot.stage,
        played, (best, other), False, close, error, error * scale.unit, None,
        _chance(scale, played.equity, player == spot.player), cube.outcomes,
    )  # fmt: skip


def _chance(scale: Scale, equity: float, on_roll: bool) -> float | None:
    """Return a player's chance to win the match; `scale` is that of the player on roll."""
    if not scale.match:
        return None
    level = scale.level if on_roll else 1 - scale.level
    return level + scale.unit * equity
