"""What all compiled evaluators share: rules that fit, calls, files, and the checks of weights."""

from __future__ import annotations

import json
import os
import zlib
from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, ClassVar, Final, Self

import numpy as np

from tavli_fast import _core
from tavli_fast._common.arguments import board_batch, new_array, shown
from tavli_fast._core import constants
from tavli_fast.nets import files
from tavli_fast.nets.features import encoding as encoding_of
from tavli_fast.nets.features import side_scalars
from tavli_fast.nets.features import width as feature_count
from tavli_fast.nets.packing import PHASES, Floats
from tavli_fast.rules.presets import Rules, RulesLike, resolve_rules
from tavli_fast.rules.text import rules_name

OUTCOMES: Final = ("win", "win2", "win3", "lose2", "lose3", "draw")
"""The outputs: probabilities to win 1 point or more, 2 or more, 3, to lose 2 or more, 3, and of a
draw. The probability to lose at all is what is left."""

LARGEST: Final = 1e4
"""No weight beyond this is of any use, and none up to it overflows."""

BLOCK: Final = constants.BLOCK
"""The core adds up so many hidden units at once: rows are filled up with zeros."""


class Weights(ABC):
    """What `Net` and `Linear` share: rules that fit, calls and files."""

    kind: int
    """The core's number for how these weights are used."""
    columns: int
    """The units of a row of `packed`."""
    outputs: int
    """5, or 6 with a probability of a draw."""
    packed: Floats
    """All weights as the core reads them."""
    rules: Rules
    """The rules that it was made for."""
    encoding: str
    """The encoding of its features."""
    info: dict[str, Any]
    """What its maker has noted."""
    sent_once: ClassVar[bool] = True
    """Each worker of an executor is sent it once, and not with each task (`_common.sending`)."""

    def __call__(self, afterstates: Any, rules: RulesLike | None = None) -> Floats:
        """Return the outcome probabilities of boards, as the player who has just moved has them.

        Args:
            afterstates: integers ``[N, 2, 26]``, or ``[2, 26]`` for one; who has just moved is
                plane 0.
            rules: other rules of the same family to judge by; None for its own.

        Returns:
            ``float32[N, 6]``: see `OUTCOMES`. A game that is over has its result.

        Raises:
            BoardError: a board that cannot be a position.
            ValueError: rules of another family, or another bad argument.
        """
        used = self.rules if rules is None else self.fitting(rules)
        boards = board_batch(afterstates, used, "afterstates")
        out = new_array((len(boards), len(OUTCOMES)), np.float32, "the outcomes")
        _core.evaluate.outcomes(
            boards, used, self.packed, self.kind, self.columns, self.outputs, out
        )
        return out

    def fitting(self, rules: RulesLike) -> Rules:
        """Return the rules, if this evaluator can judge their boards.

        Raises:
            ValueError: they are of another family.
        """
        rules = resolve_rules(rules)
        found = encoding_of(rules, self.scalars)
        if found != self.encoding:
            raise ValueError(
                f"rules={rules_name(rules)} has boards of the encoding "
                f"{found}: expected {self.encoding}, that of the evaluator"
            )
        return rules

    @property
    def scalars(self) -> bool:
        """Whether it sees the scalars of `features`."""
        return side_scalars(self.encoding) > 0

    @property
    def phases(self) -> int:
        """How many sets of weights it has: 2, contact and race, or 5 with experts for contact."""
        return len(next(iter(self.weights().values())))

    @property
    def experts(self) -> bool:
        """Whether it has experts for contact."""
        return self.phases == PHASES[True]

    @property
    def name(self) -> str:
        """What results call it: the name in `info` or its kind, and a checksum of the weights."""
        given = self.info.get("name", type(self).__name__.lower())
        return f"{given}-{zlib.crc32(self.packed.tobytes()):08x}"

    @abstractmethod
    def weights(self) -> dict[str, Floats]:
        """Return the weights by the names that the constructor has for them."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the weights to an ``.npz`` file, which `load` reads.

        Raises:
            OSError: the file cannot be written.
            ValueError: no path, or notes in `info` that JSON does not have.
        """
        activation = getattr(self, "activation", "")
        info = noted(self.info)
        kind = type(self).__name__
        files.write(path, kind, self.rules, self.encoding, activation, info, self.weights())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read what `save` has written. Nothing in the file is executed.

        Raises:
            OSError: the file cannot be read.
            ValueError: it is no such file, or something in it does not fit.
        """
        kind, rules, encoding, activation, info, weights = files.read(path)
        if kind != cls.__name__:
            raise ValueError(f"{os.fspath(path)} holds a {shown(kind)}: expected a {cls.__name__}")
        settings: dict[str, Any] = {"activation": activation} if activation else {}
        made: Any = cls
        try:
            loaded: Self = made(rules, **weights, **settings, info=info)
            if loaded.encoding != encoding:
                raise ValueError(
                    f"its weights are for the encoding {loaded.encoding}: expected {encoding}"
                )
            return loaded
        except (TypeError, ValueError) as error:
            raise ValueError(f"{os.fspath(path)}: {error}") from error

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle by the constructor, for process pools."""
        activation = getattr(self, "activation", "")
        settings = {"activation": activation} if activation else {}
        return _again, (type(self), self.rules, {**self.weights(), **settings, "info": self.info})


def noted(info: Any) -> dict[str, Any]:
    """Return a maker's notes.

    Raises:
        ValueError: no mapping, or something in it that JSON does not have.
    """
    if info is not None and not isinstance(info, Mapping):
        raise ValueError(f"info={shown(info)}: expected a mapping of what JSON has")
    found = dict(info or {})
    try:
        json.dumps(found)
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"info={shown(found)}: expected what JSON has ({error})") from error
    return found


def _again(kind: type[Weights], rules: Rules, settings: dict[str, Any]) -> Weights:
    """Make a pickled evaluator again."""
    made: Weights = kind(rules, **settings)  # type: ignore[call-arg]
    return made


def output_count(count: int, name: str) -> int:
    """Return the number of outputs if it is one that a net can have."""
    if count not in (len(OUTCOMES) - 1, len(OUTCOMES)):
        raise ValueError(f"{name} has {count} outputs: expected 5, or 6 with draws")
    return count


def floats(values: Any, name: str, shape: tuple[int | None, ...]) -> Floats:
    """Return a copy as ``float32[*shape]`` or ``float32[P, *shape]``.

    Raises:
        ValueError: not numbers, not of that shape (None is any size), or too large.
    """
    sizes = ", ".join("…" if size is None else str(size) for size in shape)
    expected = f"numbers [2, {sizes}] or [{sizes}] (or [5, {sizes}] with experts)"
    try:
        given = np.asarray(values)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} is no array of numbers ({error}): expected {expected}") from error
    if given.dtype.kind not in "fiub":
        raise ValueError(f"{name} is no array of numbers ({given.dtype}): expected {expected}")
    array = given.astype(np.float64)
    fits = array.ndim in (len(shape), len(shape) + 1) and all(
        size in (None, found)
        for size, found in zip(shape, array.shape[array.ndim - len(shape) :], strict=True)
    )
    if not fits or (array.ndim > len(shape) and len(array) not in PHASES):
        raise ValueError(f"{name} has shape {array.shape}: expected {expected}")
    if not (np.abs(array) <= LARGEST).all():
        raise ValueError(f"{name} has a weight beyond ±{LARGEST:.0f} or none: expected {expected}")
    return array.astype(np.float32)


def encoding_for(rules: Rules, weights: Any) -> str:
    """Return the encoding of a game that has as many features as the weights of a first layer have
    rows; that without scalars if none has."""
    with suppress(ValueError, TypeError):
        shape = np.shape(weights)
        name = encoding_of(rules, True)
        if len(shape) >= 2 and shape[-2] == feature_count(name):
            return name
    return encoding_of(rules)


def for_phases(**arrays: Floats) -> list[Floats]:
    """Return each array with one entry for each phase; those that have none serve all.

    Raises:
        ValueError: some have entries for other numbers of phases than others.
    """
    base = {"hidden_weights": 2, "hidden_biases": 1, "output_weights": 2, "output_biases": 1}
    apart = {name: len(array) for name, array in arrays.items() if array.ndim > base[name]}
    counts = set(apart.values()) or {PHASES[False]}
    if len(counts) > 1:
        raise ValueError(
            ", ".join(f"{name} has {count} phases" for name, count in apart.items())
            + ": expected the same number"
        )
    phases = counts.pop()
    return [
        array if name in apart else np.stack([array] * phases) for name, array in arrays.items()
    ]
