"""Rounds of fitting a net to labels that it has made for itself, with checkpoints."""

from __future__ import annotations

import inspect
import os
import shlex
import time
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any, Final

from tavli_fast._common.arguments import (
    board_batch,
    flag,
    number,
    real,
    seed_entropy,
    shown,
    whole_number,
    workers,
)
from tavli_fast._common.workers import check_workers, executor_of
from tavli_fast._core.constants import MOST_KEPT
from tavli_fast.nets.files import refused
from tavli_fast.nets.net import BLOCK, KEPT, MOST_HIDDEN, Net, may_draw
from tavli_fast.rules.presets import Rules, RulesLike, resolve_rules
from tavli_fast.rules.text import (
    nearest_preset,
    rules_from_json,
    rules_name,
    rules_to_json,
    value_text,
)
from tavli_fast.training import rounds_file
from tavli_fast.training.fitting import Fitting, fit
from tavli_fast.training.growing import for_rules, grown
from tavli_fast.training.labels import CHUNK, Labelling, Labels, joined, make_labels, room_for

__all__ = ["ImproveProgress", "Improver", "Round"]

LABELS: Final = 700_000
"""New labels of a round, if nobody says how many: with fewer a round gains less."""
_MOST_LABELS: Final = 100_000_000
_FIT_SHARE: Final = 0.2
"""The part of a round's time that the fit takes, as progress is told."""
_SAVE_EVERY: Final = 300.0
"""Seconds between two checkpoints while labels are made."""


@dataclass(frozen=True)
class Round:
    """What one round has come to."""

    labels: int
    """New labels."""
    fitted: int
    """Labels that the net was fitted to: the new ones and those of the rounds before."""
    loss: float
    """The root of the mean squared difference between the equities of the net and of its labels
    during the last epoch, in points."""
    seconds: float
    """Seconds that it took."""


@dataclass(frozen=True)
class Base:
    """What is to be remembered of the net that an improvement began with."""

    name: str
    hidden: int
    scalars: bool
    experts: bool
    other_rules: bool
    """It was one for other rules."""


@dataclass(frozen=True)
class ImproveProgress:
    """How far an improvement has come, for a callback."""

    fraction: float
    """How much of all rounds is done, 0 to 1."""
    stage: str
    """``"label"`` or ``"fit"``."""
    labels: int
    """Labels made in this round."""
    seconds: float
    """Seconds of work so far."""
    done: tuple[Round, ...]
    """The rounds that are finished."""


class Improver:
    """An improvement that can be looked at, stopped, saved and taken up again; see `improve`."""

    def __init__(  # noqa: PLR0913 - all but the first two are keywords
        self,
        net: Net,
        rules: RulesLike | None = None,
        *,
        rounds: int = 4,
        labels: int = LABELS,
        hidden: int | None = None,
        scalars: bool = False,
        experts: bool = False,
        sets: int = 2,
        trace: float = 0.8,
        explore: float = 0.25,
        scatter: float = 0.3,
        random_plies: int = 30,
        sieve: Net | None = None,
        kept: int = KEPT,
        teacher: Net | None = None,
        epochs: int = 4,
        first_rate: float = 1e-3,
        last_rate: float = 2e-5,
        seed: int | None = None,
    ) -> None:
        """Grow the net, which is not changed itself; the arguments are those of `improve`."""
        if not isinstance(net, Net):
            raise ValueError(f"net={shown(net)}: expected a Net")
        self.rules = net.rules if rules is None else resolve_rules(rules)
        self.base = Base(net.name, net.hidden, net.scalars, net.experts, self.rules != net.rules)
        if may_draw(self.rules) and net.outputs == 5:
            raise ValueError(
                "net has no output for a draw: expected 6 outputs, as games of these rules can be "
                "drawn"
            )
        self.rounds = whole_number(rounds, "rounds", 1, 1000)
        wanted = whole_number(labels, "labels", 1, _MOST_LABELS)
        self.labels = -(-wanted // CHUNK) * CHUNK
        self.sets = whole_number(sets, "sets", 1, 100)
        self.labelling = Labelling(
            number(trace, "trace", 0, 1),
            number(explore, "explore", 0, 1),
            number(scatter, "scatter", 0, 1),
            whole_number(random_plies, "random_plies", 1, 1000),
        )
        self.fitting = Fitting(
            whole_number(epochs, "epochs", 1, 1000),
            _rate(first_rate, "first_rate"),
            _rate(last_rate, "last_rate"),
        )
        self.seed = seed_entropy(seed)
        self.hidden = net.hidden
        if hidden is not None:
            self.hidden = whole_number(hidden, "hidden", BLOCK, MOST_HIDDEN)
        self.scalars = flag(scalars, "scalars") or net.scalars
        self.experts = flag(experts, "experts") or net.experts
        self.net = grown(
            for_rules(net, self.rules), self.hidden, self.scalars, self.experts, self.seed
        )
        kept = whole_number(kept, "kept", 1, MOST_KEPT)
        self.sieve = _net_for(sieve, "sieve", self.rules)
        if self.sieve is not None:
            self.net = self.net.with_sieve(self.sieve, kept)
        self.teacher = _net_for(teacher, "teacher", self.rules)
        self.kept: list[Labels] = []
        """The sets of the rounds before, the oldest first."""
        self.room: Labels | None = None
        """The set of this round, of which the first `made` are there."""
        self.made = 0
        self.done: list[Round] = []
        self.seconds = 0.0
        """What the round under way has taken so far."""
        self._saved = 0.0

    @property
    def fraction(self) -> float:
        """How much of all rounds is done, 0 to 1."""
        return self._fraction(0.0)

    def _fraction(self, fitted: float) -> float:
        """The same, with so much of the present fit."""
        if len(self.done) == self.rounds:
            return 1.0
        part = (1 - _FIT_SHARE) * self.made / self.labels + _FIT_SHARE * fitted
        return (len(self.done) + part) / self.rounds

    def result(self) -> Net:
        """Return the net as it is after the last finished round."""
        steps = [*self.net.info.get("improved", ()), self.card()]
        info = {**self.net.info, "name": rules_name(self.rules), "improved": steps}
        return self.net.changed(info=info)

    def run(
        self,
        threads: int | None = 1,
        executor: Executor | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
        progress: Callable[[ImproveProgress], object] | None = None,
    ) -> None:
        """Do what is left of the rounds; the arguments are those of `improve`."""
        pool_size = workers(threads)
        check_workers(executor, progress)
        if checkpoint is not None:
            self.save(checkpoint)  # what cannot be written is to be known now, not after hours
        self._saved = time.monotonic()
        try:
            with executor_of(executor, pool_size, self.rounds) as pool:
                while len(self.done) < self.rounds:
                    self._round(pool, pool_size, checkpoint, progress)
        finally:
            if checkpoint is not None:
                self.save(checkpoint)

    def _round(
        self,
        pool: Executor,
        pool_size: int,
        checkpoint: str | os.PathLike[str] | None,
        progress: Callable[[ImproveProgress], object] | None,
    ) -> None:
        """Make what is missing of a round's labels, and fit the net to the last sets."""
        began = time.perf_counter() - self.seconds
        place = len(self.done)
        if self.room is None:
            self.room, self.made = room_for(self.labels), 0

        def tell(stage: str, fitted: float = 0.0) -> None:
            self.seconds = time.perf_counter() - began
            if progress is not None:
                total = sum(each.seconds for each in self.done) + self.seconds
                fraction = self._fraction(fitted)
                progress(ImproveProgress(fraction, stage, self.made, total, tuple(self.done)))

        def take(made: int) -> None:
            self.made = made
            tell("label")
            if checkpoint is not None and time.monotonic() - self._saved > _SAVE_EVERY:
                self.save(checkpoint)
                self._saved = time.monotonic()

        if self.made < self.labels:
            make_labels(
                pool,
                self.teacher or self.net,
                self.labelling,
                self.seed,
                place,
                self.room,
                self.made,
                take,
            )
        fitted = joined([*self.kept, self.room])
        self.net, loss = fit(
            self.net, fitted, self.fitting, self.seed, place, pool_size, lambda x: tell("fit", x)
        )
        self.kept = [*self.kept, self.room][1 - self.sets :] if self.sets > 1 else []
        seconds = round(time.perf_counter() - began, 1)
        self.done.append(Round(self.labels, len(fitted.boards), round(loss, 5), seconds))
        self.room, self.made, self.seconds = None, 0, 0.0
        if checkpoint is not None:
            self.save(checkpoint)
            self._saved = time.monotonic()
        began = time.perf_counter()
        tell("fit")
        self.seconds = 0.0

    @property
    def file_name(self) -> str:
        """The name of a file for the result."""
        return f"{nearest_preset(self.rules)[0]}.npz"

    def settings(self) -> dict[str, Any]:
        """Return the arguments that it was made with, the net apart, as JSON has them."""
        return {
            "rules": rules_to_json(self.rules),
            "rounds": self.rounds,
            "labels": self.labels,
            "hidden": self.hidden,
            "scalars": self.scalars,
            "experts": self.experts,
            "sets": self.sets,
            **asdict(self.labelling),
            **asdict(self.fitting),
            "sieve": None if self.sieve is None else self.sieve.name,
            "kept": self.net.kept,
            "teacher": None if self.teacher is None else self.teacher.name,
            "seed": self.seed,
        }

    def card(self) -> dict[str, Any]:
        """Return what is to be known about this improvement."""
        return {
            "base": self.base.name,
            "command": self.command(),
            "settings": self.settings(),
            "rounds": [asdict(each) for each in self.done],
            "finished": len(self.done) == self.rounds,
            "version": version("tavli-fast"),
            "date": datetime.now(UTC).date().isoformat(),
        }

    def command(self) -> str:
        """Return the call that improves like this, as the command line has it; NET stands for the
        file of the net that it began with, SIEVE and TEACHER for those of the others."""
        usual = inspect.signature(Improver).parameters
        options = ""
        if self.base.other_rules:
            name, house = nearest_preset(self.rules)
            options = f" --rules {name}" + "".join(
                f" --set {shlex.quote(f'{field}={value_text(value)}')}"
                for field, value in house.items()
            )
        for name in ("scalars", "experts"):
            if getattr(self, name) and not getattr(self.base, name):
                options += f" --{name}"
        options += " --sieve SIEVE" if self.sieve is not None else ""
        options += " --teacher TEACHER" if self.teacher is not None else ""
        found = self.settings() | {"rounds": len(self.done) or self.rounds}
        for name in (
            *("rounds", "labels", "hidden", "sets", "trace", "explore", "scatter", "random_plies"),
            *("kept", "epochs", "first_rate", "last_rate"),
        ):
            if name == "kept" and self.sieve is None:
                continue
            same = found[name] == (self.base.hidden if name == "hidden" else usual[name].default)
            if name in ("rounds", "labels") or not same:
                options += f" --{name.replace('_', '-')} {found[name]}"
        return f"tavli-fast improve NET{options} --seed {self.seed}"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write all that is needed to go on; `load` reads it.

        Raises:
            OSError: the file cannot be written.
        """
        made = [] if self.room is None else [self.room.first(self.made)]
        nets = {
            "net": self.net,
            "sieve": self.net.sieve,
            "teacher": self.teacher,
            "teacher's sieve": None if self.teacher is None else self.teacher.sieve,
        }
        head = {
            "settings": self.settings(),
            "base": asdict(self.base),
            "nets": {
                name: {"activation": net.activation, "info": net.info, "kept": net.kept}
                for name, net in nets.items()
                if net is not None
            },
            "kept": len(self.kept),
            "seconds": self.seconds,
            "rounds": [asdict(each) for each in self.done],
        }
        rounds_file.write(path, head, nets, [*self.kept, *made])

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Improver:
        """Read what `save` has written.

        Raises:
            OSError: the file cannot be read.
            ValueError: it is no checkpoint.
        """
        with refused(os.fsdecode(path), "checkpoint of an improvement"):
            head, nets, sets = rounds_file.read(path)
            settings = dict(head["settings"])
            rules = rules_from_json(settings.pop("rules"))
            found: dict[str, Net] = {
                name: Net(rules, **weights, **head["nets"][name]) for name, weights in nets.items()
            }
            sieve, teacher = found.get("sieve"), found.get("teacher")
            if teacher is not None:
                teacher = teacher.with_sieve(found.get("teacher's sieve"), teacher.kept)
            given = {"sieve": sieve, "teacher": teacher}
            settings |= {name: given[name] for name in given if settings[name] is not None}
            net = found["net"].with_sieve(sieve, found["net"].kept)
            improver = cls(net, **settings)
            improver.base = Base(**head["base"])
            improver._restore(head, sets)
        return improver

    def _restore(self, head: dict[str, Any], sets: list[Labels]) -> None:
        """Take up the rounds and labels of a checkpoint.

        Raises:
            KeyError, TypeError, ValueError: they do not fit.
        """
        kept = whole_number(head["kept"], "kept", 0, self.sets - 1)
        self.done = [Round(**each) for each in head["rounds"]]
        self.seconds = number(head["seconds"], "seconds", 0, 2.0**62)
        if not kept <= len(sets) <= kept + 1 or not kept <= len(self.done) <= self.rounds:
            raise ValueError(
                f"it has {len(sets)} sets of labels and {len(self.done)} rounds: expected {kept} "
                f"or one more, and {kept} to {self.rounds}"
            )
        self.kept = sets[:kept]
        for each in sets:
            board_batch(each.boards, self.rules, "its boards")
        if len(sets) > kept:
            made = len(sets[kept].boards)
            if made > self.labels or made % CHUNK:
                raise ValueError(f"it has {made} labels of a round: expected chunks of {CHUNK}")
            self.room, self.made = room_for(self.labels), made
            self.room.boards[:made] = sets[kept].boards
            self.room.outcomes[:made] = sets[kept].outcomes


def _net_for(net: Any, name: str, rules: Rules) -> Net | None:
    """Return another net that has a part in the work, as one for these rules; None for none.

    Raises:
        ValueError: no net, or one for other boards.
    """
    if net is None:
        return None
    if not isinstance(net, Net):
        raise ValueError(f"{name}={shown(net)}: expected a Net or None")
    try:
        return for_rules(net, rules)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error


def _rate(value: Any, name: str) -> float:
    """Return a learning rate.

    Raises:
        ValueError: no number above 0, up to 1.
    """
    rate = real(value)
    if not 0 < rate <= 1:
        raise ValueError(f"{name}={shown(value)}: expected a number above 0, up to 1")
    return rate
