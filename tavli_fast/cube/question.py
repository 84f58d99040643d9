"""What a game asks a policy about the cube."""

from __future__ import annotations

from dataclasses import dataclass

from tavli_fast._common.arguments import Int8Array
from tavli_fast.rules.fields import Rules

__all__ = ["CubeQuestion"]


@dataclass(frozen=True, slots=True, eq=False)
class CubeQuestion:
    """What a policy sees when it is asked about the cube.

    "The player on roll" is the player who may double or has doubled, whichever side is asked.
    """

    board: Int8Array
    """``int8[2, 26]``, read-only, the player on roll first, before the roll."""
    rules: Rules
    """The rules of the game."""
    table: Rules
    """The rules whose session fields apply (`cube_cap`, `beaver_refusable`, ...)."""
    stake: int
    """The current stake, which a drop of the double or of the beaver loses. A take plays for twice
    as much."""
    owner: int
    """The owner of the cube: 1 the player on roll, -1 the opponent, 0 nobody (it is centred)."""
    away: tuple[int, int] | None
    """The points that the player on roll and the opponent need; None if there is no match."""
    crawford: bool
    """Whether this is the Crawford game."""
    crawford_over: bool
    """Whether the Crawford game of the match has been played."""
    jacoby: bool
    """Whether gammons count single by Jacoby's rule until a double is taken."""
    may_beaver: bool
    """Whether the opponent may beaver the double, or could if there were one."""
    beavered: bool = False
    """Whether the double has been beavered and the player on roll has to answer."""
