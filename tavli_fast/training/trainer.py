"""Training by self-play: a game is learnt from its end backwards, by the net that played it."""

from __future__ import annotations

import math
import os
import shlex
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

import numpy as np

from tavli_fast import _core
from tavli_fast._common.arguments import four_words, real, seed_entropy, shown, whole_number
from tavli_fast._common.version import version
from tavli_fast._common.workers import check_workers
from tavli_fast.boards.positions import start
from tavli_fast.nets.files import refused
from tavli_fast.nets.net import BLOCK, MOST_HIDDEN, Net
from tavli_fast.nets.packing import aligned
from tavli_fast.rules.presets import RulesLike, resolve_rules
from tavli_fast.rules.text import nearest_preset, rules_name, value_text
from tavli_fast.training import checkpoint
from tavli_fast.training.strength import Strength, measure

__all__ = ["Progress", "Trainer", "train"]

FIRST_RATES: Final = {"sigmoid": 0.1, "clipped": 0.03}
LAST_RATES: Final = {"sigmoid": 0.003, "clipped": 0.001}
"""How fast a net learns at the beginning and at the end; in between it goes down exponentially.
A clipped unit has up to four times the slope of a sigmoid one."""

AVERAGED: Final = 0.05
"""The last part of the budget, of whose weights the net is the mean."""

_TENTH: Final = 0.1
"""When the net is kept that the later ones are measured against."""

_SLICE: Final = 256
"""Games between two looks at the clock. A change of it changes the results of every seed."""
_SLICE_SECONDS: Final = 0.1
"""With a budget of time the slices are as long as this, whatever a game takes."""

_FINALLY: Final = 5
"""How many times as many games measure the finished net."""


@dataclass(frozen=True)
class Progress:
    """How far a training has come, for a callback."""

    fraction: float
    """The part of the budget that is used up, 0 to 1."""
    games: int
    """Games learnt from."""
    seconds: float
    """Seconds of training, without what measuring took."""
    rate: float
    """The learning rate."""
    strength: Strength | None
    """What was measured last."""

    @property
    def games_per_second(self) -> float:
        """Self-play games a second, all threads together."""
        return self.games / self.seconds if self.seconds else 0.0


def train(  # noqa: PLR0913 - all but the first are keywords
    rules: RulesLike | None = None,
    minutes: float | None = None,
    games: int | None = None,
    hidden: int = 128,
    activation: str = "clipped",
    threads: int = 1,
    seed: int | None = None,
    first_rate: float | None = None,
    last_rate: float | None = None,
    scalars: bool = False,
    experts: bool = False,
    measured: int = 16,
    pairs: int = 500,
    checkpoint: str | os.PathLike[str] | None = None,
    resume: str | os.PathLike[str] | None = None,
    progress: Callable[[Progress], object] | None = None,
) -> Net:
    """Train a net for a game by self-play.

    The net plays both sides, always making the play that it evaluates as best, and learns from the
    end of each game backwards: the target of the last board is the result, that of each earlier
    board what the net, just updated, says about the next. With one thread, a seed and a number of
    games give bit-identical weights on every machine. With a budget of minutes the learning rate
    follows the clock, and with several threads they update the shared weights without waiting for
    each other; in either case no two runs are quite the same.

    Args:
        rules: a `Rules` or the name of a preset; None for Portes.
        minutes: how long to train, not counting measurements; or
        games: how many games to play. Give exactly one of the two, or neither with `resume`.
        hidden: the number of hidden units, a multiple of 32 up to 1024.
        activation: ``"sigmoid"`` or ``"clipped"``.
        threads: how many threads play and learn.
        seed: an integer from 0 to 2**128 - 1; None for a fresh one, which ``net.info`` contains.
        first_rate: the initial learning rate, up to 1; None for the default of the activation.
        last_rate: the final learning rate.
        scalars: whether the net sees the scalars of `features` beside cells and flags.
        experts: whether it has four sets of weights for contact; see `phases`.
        measured: how often to measure the net during training, for the learning curve; it is also
            measured at the end, unless this is 0.
        pairs: the number of pairs of games in each measurement; five times as many at the end.
        checkpoint: a file to which a resumable checkpoint is written every minute and at the end.
        resume: such a file, to continue with it and its settings; the arguments from `rules` to
            `experts` are then ignored.
        progress: called with a `Progress` between slices of games. If it raises an exception, or on
            Ctrl-C, training stops, the checkpoint is written, and the exception goes on.

    Returns:
        The `Net`. ``net.info`` says how it was made, and ``net.info["curve"]`` how it improved:
        points
        per game against random play, and against the net itself after a tenth of the budget.

    Raises:
        ValueError: an argument is invalid, or a file is not a checkpoint.
        OSError: a file cannot be read or written.

    Examples:
        >>> import tavli_fast as tf
        >>> net = tf.train("hypergammon", games=200, hidden=32, seed=1, measured=0)
        >>> net.hidden
        32
    """
    if resume is None:
        trainer = Trainer(
            rules,
            minutes,
            games,
            hidden,
            activation,
            threads,
            seed,
            first_rate,
            last_rate,
            scalars,
            experts,
        )
    else:
        trainer = Trainer.load(resume)
    trainer.run(progress, measured, pairs, checkpoint)
    return trainer.net()


class Trainer:
    """A training that can be looked at, stopped, saved and taken up again; see `train`."""

    def __init__(  # noqa: PLR0913 - those of `train`
        self,
        rules: RulesLike | None = None,
        minutes: float | None = None,
        games: int | None = None,
        hidden: int = 128,
        activation: str = "clipped",
        threads: int = 1,
        seed: int | None = None,
        first_rate: float | None = None,
        last_rate: float | None = None,
        scalars: bool = False,
        experts: bool = False,
    ) -> None:
        """Begin with random weights; the arguments are those of `train`."""
        self.rules = resolve_rules(rules)
        if (minutes is None) == (games is None):
            raise ValueError(
                f"minutes={shown(minutes)}, games={shown(games)}: expected exactly one of the two"
            )
        self.minutes = None if minutes is None else _number(minutes, "minutes", 1e6)
        self.budget = None if games is None else whole_number(games, "games", 1, 10**12)
        self.hidden = whole_number(hidden, "hidden", BLOCK, MOST_HIDDEN)
        if hidden % BLOCK:
            raise ValueError(f"hidden={hidden}: expected a multiple of {BLOCK}")
        self.threads = whole_number(threads, "threads", 1, 256)
        self.seed = seed_entropy(seed)
        self.scalars, self.experts = scalars, experts
        first = Net.random(
            self.rules, self.hidden, self.seed, activation, scalars=scalars, experts=experts
        )
        self.first_rate = _rate(first_rate, "first_rate", FIRST_RATES[activation])
        self.last_rate = _rate(last_rate, "last_rate", LAST_RATES[activation])
        if activation == "clipped":
            # In the middle of where they are not flat: a unit that is cut off learns nothing.
            first = Net(
                self.rules,
                first.hidden_weights,
                first.hidden_biases + 0.5,
                first.output_weights,
                first.output_biases,
                activation,
            )
        self.activation, self.kind, self.outputs = activation, first.kind, first.outputs
        self.weights = aligned(first.packed)
        self.sums = np.zeros(len(self.weights), np.float64)
        self.summed = 0
        self.streams = np.array([four_words(self.seed, (1, k)) for k in range(self.threads)])
        self.games = self.played = self.plies = 0
        self.seconds = 0.0
        self.curve: list[Strength] = []
        self.tenth: Net | None = None
        self._stop = np.zeros(1, np.uint8)

    @property
    def fraction(self) -> float:
        """The part of the budget that is used up, 0 to 1."""
        if self.budget is not None:
            return min(1.0, self.played / self.budget)
        assert self.minutes is not None
        return min(1.0, self.seconds / (60 * self.minutes))

    @property
    def rate(self) -> float:
        """The present learning rate."""
        return float(self.first_rate * (self.last_rate / self.first_rate) ** self.fraction)

    def net(self) -> Net:
        """Return the net as it is now; at the end, the mean of its last weights."""
        block = (self.sums / self.summed).astype(np.float32) if self.summed else self.weights
        net = checkpoint.made_net(self, block)
        net.info = self._card()
        return net

    def run(
        self,
        progress: Callable[[Progress], object] | None = None,
        measured: int = 16,
        pairs: int = 500,
        checkpoint: str | os.PathLike[str] | None = None,
    ) -> None:
        """Train until the budget is used up; the arguments are those of `train`."""
        measured = whole_number(measured, "measured", 0, 10**6)
        pairs = whole_number(pairs, "pairs", 2, 10**9)
        check_workers(None, progress)
        if checkpoint is not None:
            self.save(checkpoint)  # what cannot be written is to be known now, not after hours
        saved = time.monotonic()
        try:
            with ThreadPoolExecutor(self.threads, "tavli_fast") as pool:
                while (before := self.fraction) < 1:
                    self._learn(pool)
                    if measured and _crosses(before, self.fraction, measured):
                        self._measure(pairs)
                    if self.tenth is None and self.fraction >= _TENTH:
                        self.tenth = self.net()
                    if progress is not None:
                        progress(self._progress())
                    if checkpoint is not None and time.monotonic() - saved > 60:
                        self.save(checkpoint)
                        saved = time.monotonic()
            if measured:
                self._measure(_FINALLY * pairs)
        finally:
            if checkpoint is not None:
                self.save(checkpoint)

    def _learn(self, pool: ThreadPoolExecutor) -> None:
        """Play and learn one slice of games."""
        began, rate, size = time.perf_counter(), self.rate, self._slice()
        running = [
            pool.submit(
                _core.train.learn_games,
                self.weights,
                start(self.rules),
                self.rules,
                self.rules.opening != "fresh_roll",
                self.kind,
                self.hidden,
                self.outputs,
                rate,
                stream,
                size,
                self._stop,
            )
            for stream in self.streams
        ]
        try:
            wait(running)
        except BaseException:
            # The games that are under way are still played, learnt from and counted.
            self._stop[0] = 1
            wait(running)
            self._stop[0] = 0
            raise
        finally:
            self._count(running, time.perf_counter() - began)

    def _slice(self) -> int:
        """Return how many games each thread is to play next."""
        if self.budget is not None:
            usual = max(1, min(_SLICE, self.budget // (100 * self.threads)))
            return min(usual, -(-(self.budget - self.played) // self.threads))
        if not self.seconds:
            return 1
        return max(1, min(4 * _SLICE, round(self.played / self.seconds * _SLICE_SECONDS)))

    def _count(self, done: list[Future[tuple[int, int, int]]], seconds: float) -> None:
        """Add up what a slice has come to."""
        for future in done:
            played, learnt, plies = future.result()
            self.played += played
            self.games += learnt
            self.plies += plies
        self.seconds += seconds
        if self.fraction > 1 - AVERAGED:
            self.sums += self.weights
            self.summed += 1

    def _measure(self, pairs: int) -> None:
        """Add to the curve how the net does against a random player and against its young self."""
        net = self.net()
        opponents: dict[str, Net | str] = {"random": "random"}
        if self.tenth is not None:
            opponents["tenth"] = self.tenth
        for opponent, other in opponents.items():
            seed = len(self.curve)  # other dice every time
            found = measure(net, other, opponent, pairs, seed, self.games, self.seconds)
            if found is not None:
                self.curve.append(found)

    def _progress(self) -> Progress:
        last = self.curve[-1] if self.curve else None
        return Progress(self.fraction, self.games, self.seconds, self.rate, last)

    def _card(self) -> dict[str, Any]:
        """Return what is to be known about the net."""
        return {
            "name": rules_name(self.rules),
            "games": self.games,
            "plies": self.plies,
            "seconds": round(self.seconds, 1),
            "finished": self.fraction >= 1,
            "command": self.command(),
            "settings": checkpoint.settings(self),
            "version": version(),
            "date": datetime.now(UTC).date().isoformat(),
            "curve": [row.to_json() for row in self.curve],
        }

    def command(self) -> str:
        """Return the call that trains like this, as the command line has it."""
        name, house = nearest_preset(self.rules)
        changes = "".join(
            f" --set {shlex.quote(f'{field}={value_text(value)}')}"
            for field, value in house.items()
        )
        budget = (
            f"--games {self.budget}" if self.budget is not None else f"--minutes {self.minutes:g}"
        )
        rest = "".join(
            f" --{option} {value}"
            for option, value, usual in (
                ("hidden", self.hidden, 128),
                ("activation", self.activation, "clipped"),
                ("first-rate", self.first_rate, FIRST_RATES[self.activation]),
                ("last-rate", self.last_rate, LAST_RATES[self.activation]),
                ("threads", self.threads, 1),
            )
            if value != usual
        )
        rest += " --scalars" * self.scalars + " --experts" * self.experts
        return f"tavli-fast train --rules {name}{changes} {budget}{rest} --seed {self.seed}"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write all that is needed to go on; `load` reads it.

        Raises:
            OSError: the file cannot be written.
        """
        checkpoint.write(path, self)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Trainer:
        """Read what `save` has written.

        Raises:
            OSError: the file cannot be read.
            ValueError: it is no checkpoint.
        """
        settings, arrays, counts = checkpoint.read(path)
        with refused(os.fsdecode(path), "checkpoint"):
            trainer = cls(**settings)
            checkpoint.restore(trainer, arrays, counts)
        return trainer


def _crosses(before: float, after: float, measured: int) -> bool:
    """Return whether a point of measurement lies between: `measured` of them, evenly, and early on
    at a 4th, a 16th … of the first."""
    if after >= 1:
        return False  # the end is measured more closely
    if after * measured >= 1:
        return math.floor(after * measured) > math.floor(before * measured)
    with suppress(ValueError):
        return math.floor(math.log(after * measured, 4)) > math.floor(
            math.log(before * measured, 4)
        )
    return False


def _rate(value: Any, name: str, usual: float) -> float:
    """Return a learning rate."""
    return usual if value is None else _number(value, name, 1)


def _number(value: Any, name: str, high: float) -> float:
    """Return a positive number up to `high`.

    Raises:
        ValueError: it is none.
    """
    number = real(value)
    if not 0 < number <= high:
        raise ValueError(f"{name}={shown(value)}: expected a number above 0, up to {high:g}")
    return number
