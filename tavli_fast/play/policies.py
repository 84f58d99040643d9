"""Policies: choosing plays, opening dice and actions of the cube."""

from __future__ import annotations

from typing import Protocol, SupportsIndex, runtime_checkable

from tavli_fast._common.arguments import Int8Array, seed_entropy
from tavli_fast._common.dice import Stream
from tavli_fast.cube.question import CubeQuestion
from tavli_fast.play.records import Roll
from tavli_fast.rules.presets import Rules

__all__ = ["CubePolicy", "OpeningPolicy", "Policy", "RandomPolicy"]


class Policy(Protocol):
    """Something that chooses plays: any callable that picks one of the afterstates of a roll."""

    def __call__(
        self, board: Int8Array, dice: Roll, afterstates: Int8Array, rules: Rules, /
    ) -> SupportsIndex:
        """Return the index of the chosen afterstate.

        Args:
            board: ``int8[2, 26]``, read-only, the player who chooses first.
            dice: his roll.
            afterstates: ``int8[M, 2, 26]``, read-only, not flipped: the distinct positions that the
                legal plays leave. M is 1 or more: it is asked even where there is no choice.
            rules: the rules of the game.
        """


@runtime_checkable
class OpeningPolicy(Protocol):
    """The method by which a policy chooses with ``opening="contest_or_reroll"``.

    A policy without it keeps the dice of the contest.
    """

    def reroll(self, board: Int8Array, dice: Roll, afterstates: Int8Array, rules: Rules, /) -> bool:
        """Return whether to reroll the opening dice.

        Args:
            board: as for a `Policy`.
            dice: the dice of the contest.
            afterstates: ``int8[M, 2, 26]``; M may be 0.
            rules: the rules played.
        """


class CubePolicy(Protocol):
    """The methods by which a policy handles the cube.

    A policy without `double` never doubles; one without `answer` takes every double and does not
    beaver.
    """

    def double(self, question: CubeQuestion, /) -> bool:
        """Return whether to double before the roll; called for the player on roll whenever that is
        allowed.

        Args:
            question: the position, the cube and the score, seen by the player on roll.
        """

    def answer(self, question: CubeQuestion, /) -> str:
        """Return ``"take"``, ``"drop"``, or if the question allows it ``"beaver"``.

        The opponent is asked after a double, and the player on roll after a beaver (`beavered`) if
        it may be refused.

        Args:
            question: the position, the cube and the score, seen by the player on roll, the doubler.
        """


class RandomPolicy:
    """A policy that chooses uniformly among the afterstates, and rerolls every other time.

    It never doubles, and takes every double.

    Raises:
        ValueError: `seed` is neither None nor an integer of 0 or more.
    """

    def __init__(self, seed: int | None = None, *, key: tuple[int, ...] = ()) -> None:
        """Begin the stream that `key` spawns from this seed; None draws a fresh one."""
        self._stream = Stream(seed_entropy(seed), *key)

    def __call__(
        self, board: Int8Array, dice: Roll, afterstates: Int8Array, rules: Rules, /
    ) -> int:
        """Return the index of an afterstate; see `Policy`."""
        return self._stream.below(len(afterstates))

    def reroll(self, board: Int8Array, dice: Roll, afterstates: Int8Array, rules: Rules, /) -> bool:
        """Return whether to reroll; see `OpeningPolicy`."""
        return self._stream.below(2) == 1
