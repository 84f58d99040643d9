"""Hand-written players of Plakoto and Fevga: what a careful beginner looks at, in a few numbers."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from players import Boards, Score, squeezed

import tavli_fast as tf

_POINTS = np.arange(26)


def _pips(plane: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the pips that are left, of free and of pinned checkers."""
    return (np.abs(plane) * _POINTS).sum(axis=1)


def plakoto_score(boards: Boards) -> npt.NDArray[np.float64]:
    """Return how good positions are for who has just moved: pips, blots and pins.

    - a pip ahead counts 0.04;
    - an enemy checker that is pinned counts 2, and 0.12 more for each point that it still has to
      go: the nearer to its start it is caught, the longer it is missed; an own one counts as much
      against;
    - a lone checker that some free enemy checker has still to pass counts -1, and -0.06 more for
      each point that it has to go;
    - a point that two or more hold counts 0.15.
    """
    mine, theirs = boards[:, 0].astype(np.int64), boards[:, 1].astype(np.int64)
    score = 0.04 * (_pips(theirs) - _pips(mine))
    score += ((theirs < 0) * (2 + 0.12 * _POINTS)).sum(axis=1)
    score -= ((mine < 0) * (2 + 0.12 * _POINTS)).sum(axis=1)
    facing = np.zeros_like(theirs)
    facing[:, 1:25] = theirs[:, 24:0:-1]  # the enemy by the mover's points
    coming = np.cumsum(facing > 0, axis=1) - (facing > 0) > 0  # one stands below, and runs up
    lone = (mine == 1) & (facing == 0) & coming
    lone[:, [0, 25]] = False
    score -= (lone * (1 + 0.06 * _POINTS)).sum(axis=1)
    score += 0.15 * (mine[:, 1:25] >= 2).sum(axis=1)
    return squeezed(score)


def fevga_score(boards: Boards) -> npt.NDArray[np.float64]:
    """Return how good positions are for who has just moved: the gate, primes and pips.

    - a pip ahead counts 0.03;
    - the gate still closed (no checker past the enemy's start) counts -3, the enemy's 3;
    - of every six neighbouring points, holding k counts 0.05 k²: long blocks count most;
    - a point held counts 0.2, a checker above the second on one -0.1.
    """
    mine, theirs = boards[:, 0].astype(np.int64), boards[:, 1].astype(np.int64)
    score = 0.03 * (_pips(theirs) - _pips(mine))
    for plane, sign in ((mine, -3), (theirs, 3)):
        score += sign * ((plane[:, 1:12] > 0).sum(axis=1) + plane[:, 0] == 0)
    held = (mine[:, 1:25] > 0).astype(np.int64)
    for first in range(19):
        score += 0.05 * held[:, first : first + 6].sum(axis=1) ** 2
    score += 0.2 * held.sum(axis=1) - 0.1 * np.maximum(mine[:, 1:25] - 2, 0).sum(axis=1)
    return squeezed(score)


def baseline(rules: tf.Rules) -> Score:
    """Return the hand-written player for a pinning or a blocking game."""
    return plakoto_score if rules.contact == "pin" else fevga_score
