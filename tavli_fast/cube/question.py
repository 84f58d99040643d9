"""What a game asks a policy about the cube."""

from __future__ import annotations

from dataclasses import dataclass

from tavli_fast._common.arguments import Int8Array
from tavli_fast.rules.fields import Rules

__all__ = ["CubeQuestion"]


@dataclass(frozen=True, slots=True, eq=False)
class CubeQuestion:
    """What a policy sees when it is asked about the cube.

    "The player on roll" is the one who may double, or has doubled, whoever is asked.
    """

    board: Int8Array
    """``int8[2, 26]``, read-only, the player on roll first, before his dice."""
    rules: Rules
    """The rules of the game."""
    table: Rules
    """The rules whose fields of the session hold (`cube_cap`, `beaver_refusable`, ...)."""
    stake: int
    """The present stake: what a drop of the double, or of the beaver, loses. To take is to play for
    twice as much."""
    owner: int
    """Who has the cube: 1 the player on roll, -1 the opponent, 0 nobody (it is in the middle)."""
    away: tuple[int, int] | None
    """Points that the player on roll and the opponent need to win the match; None without one."""
    crawford: bool
    """Whether this is the Crawford game."""
    crawford_over: bool
    """Whether the Crawford game of the match has been played."""
    jacoby: bool
    """Whether Jacoby's rule holds the gammons down, until a double is taken."""
    may_beaver: bool
    """Whether the opponent may, or might, beaver."""
    beavered: bool = False
    """Whether the double has been beavered, and the player on roll is to answer."""
