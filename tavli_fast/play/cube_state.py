"""The cube of one game: where it stands, who may turn it, and what a game is worth with it.

All here are values: `Game` asks them and keeps the new ones. Numbers are those of docs/rules.md.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from tavli_fast.rules.fields import Rules

__all__ = ["Cube", "CubeTerms"]


@dataclass(frozen=True, slots=True)
class Cube:
    """The stake of a game, and who may raise it."""

    value: int = 1
    """The stake: 1, 2, 4, …"""
    owner: int | None = None
    """The only player who may double next, 0 or 1; None while the cube is centred."""
    doubled: bool = False
    """Whether a player has doubled and the other has taken."""
    automatic: int = 0
    """The number of automatic doubles, from ties in the contest."""

    @property
    def face(self) -> int:
        """What the cube shows: 2, 4, 8, … for the stake, and 64 for a stake of 1 (RULES 78)."""
        return 64 if self.value == 1 else self.value

    def taken(self, owner: int) -> Cube:
        """Return the cube after a double that `owner` takes or beavers (RULES 76, 81)."""
        return replace(self, value=2 * self.value, owner=owner, doubled=True)


@dataclass(frozen=True, slots=True)
class CubeTerms:
    """What applies to the cube in one game: the rules of the session and the state of the match."""

    rules: Rules
    """The rules whose session fields apply: those of the series."""
    single_points: int = 1
    """The points for a single win of this game, without the cube."""
    away: tuple[int, int] | None = None
    """How many points players 0 and 1 need to win the match; None in a series without a target."""
    crawford: bool = False
    """Whether this is the Crawford game."""
    crawford_over: bool = False
    """Whether the Crawford game has been played."""

    def why_no_double(self, cube: Cube, player: int) -> str | None:
        """Return why a player may not double before the roll; None if a double is allowed.

        Args:
            cube: the cube before the double.
            player: 0 or 1.
        """
        if not self.rules.cube:
            return "the game has no cube"
        if cube.owner not in (None, player):  # RULES 74
            return f"the cube belongs to player {cube.owner}"
        return self._why_no_raise(cube, player)

    def why_no_beaver(self, offered: int, player: int) -> str | None:
        """Return why a player who is offered a stake may not take it and double again; None if
        allowed.

        Args:
            offered: the stake that is offered.
            player: 0 or 1.
        """
        if not self.rules.beavers:
            return "beavers are not played"
        return self._why_no_raise(Cube(offered, player), player)  # a beaver is a double of his own

    def after_tie(self, cube: Cube) -> Cube:
        """Return the cube after a tie in the contest: after an automatic double (RULES 17), or
        unchanged.

        There is no doubling in the Crawford game (85), so it has no automatic double either.

        Args:
            cube: the cube before the tie.
        """
        due = self.rules.cube and cube.automatic < self.rules.auto_double_max
        if not due or self.crawford or self._above_cap(2 * cube.value):
            return cube
        return replace(cube, value=2 * cube.value, automatic=cube.automatic + 1)

    def jacoby_holds(self, cube: Cube) -> bool:
        """Return whether every win counts single, because nobody has doubled (RULES 80).

        Args:
            cube: the cube at the end of the game.
        """
        lifted = cube.doubled or (self.rules.jacoby_auto_counts and cube.automatic > 0)
        return self.rules.cube and self.rules.jacoby and not lifted

    def worth(self, cube: Cube, points: int) -> int:
        """Return what a win of so many points counts with the cube (RULES 68); 0 for a draw.

        Args:
            cube: the cube at the end of the game.
            points: the points of the game without the cube.
        """
        if points and self.jacoby_holds(cube):
            points = self.single_points
        return cube.value * points

    def _why_no_raise(self, cube: Cube, player: int) -> str | None:
        """Return why the stake may not be doubled by a player who may turn the cube."""
        if self.crawford:  # RULES 85
            return "this is the Crawford game"
        if self._above_cap(2 * cube.value):  # RULES 77
            return f"{cube.value} is the highest stake"
        if self.rules.dead_cube_rule and self.away is not None:  # RULES 79
            gain, needed = cube.value * self.single_points, self.away[player]
            if gain >= needed:
                return f"the stake of {gain} already wins player {player} the match"
        return None

    def _above_cap(self, value: int) -> bool:
        """Return whether a stake is more than the highest."""
        return self.rules.cube_cap is not None and value > self.rules.cube_cap
