"""Rollouts for programs that look on: results on the way, and an end whenever they ask for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from tavli_fast.connect.situation import Situation
from tavli_fast.evaluation.evaluator import Evaluator
from tavli_fast.rollouts.ranked import RankedPlays
from tavli_fast.rollouts.ranking import rank_plays
from tavli_fast.rollouts.result import RolloutResult
from tavli_fast.rollouts.rollout import rollout

__all__ = ["Streamed"]

_CHUNK: Final = 128
"""Games between two results of a position."""


class _Ended(Exception):  # noqa: N818 (no error: it has been asked for)
    """Ends a rollout early."""


@dataclass(frozen=True)
class Streamed:
    """A rollout of a situation in this thread."""

    situation: Situation
    trials: int
    seed: int
    evaluator: Evaluator
    ended: Callable[[], bool]
    """Whether it is to end now; asked after every piece of work."""

    def estimate(self, interim: Callable[[RolloutResult], object]) -> RolloutResult | None:
        """Roll out the position; None if it is ended before the first games are over.

        Args:
            interim: called with the result after every 128 games.
        """
        result: RolloutResult | None = None
        for first in range(0, self.trials, _CHUNK):
            try:
                self._check()
                part = rollout(
                    self.situation.board,
                    self.evaluator,
                    self.situation.rules,
                    min(_CHUNK, self.trials - first),
                    self.seed,
                    threads=1,
                    truncate=11,
                    variance_reduction=True,
                    cube=self._cube,
                    first_trial=first,
                    progress=self._check,
                )
            except _Ended:
                break
            result = part if result is None else result + part
            interim(result)
        return result

    def ranking(
        self,
        interim: Callable[[RankedPlays], object],
        progress: Callable[[int, int], object] = lambda *_: None,
    ) -> RankedPlays | None:
        """Rank the plays of the roll; None if it is ended before anything is known.

        Args:
            interim: called with each ranking on the way.
            progress: called with the numbers of games played and to be played.
        """
        assert self.situation.dice is not None

        def check(done: int, total: int) -> None:
            self._check()
            progress(done, total)

        try:
            return rank_plays(
                self.situation.board,
                self.situation.dice,
                None if self.evaluator == "net" else self.evaluator,  # None: the quick way
                rules=self.situation.rules,
                trials=max(self.trials, 2),
                seed=self.seed,
                threads=1,
                cube=self._cube,
                progress=check,
                interim=interim,
            )
        except _Ended as ended:
            return getattr(ended, "partial", None)

    @property
    def _cube(self) -> Any:
        return self.situation.setting if self.situation.rules.cube else None

    def _check(self, *_: object) -> None:
        if self.ended():
            raise _Ended
