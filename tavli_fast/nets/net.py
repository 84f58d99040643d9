"""Compiled evaluators: nets with one hidden layer or none, their weights packed for the core."""

from __future__ import annotations

import json
import os
import zlib
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Final, Self

import numpy as np

from tavli_fast import _core
from tavli_fast._common.arguments import (
    board_batch,
    new_array,
    number,
    seed_entropy,
    shown,
    whole_number,
)
from tavli_fast._core import constants
from tavli_fast.nets import files
from tavli_fast.nets.features import encoding as encoding_of
from tavli_fast.nets.features import width as feature_count
from tavli_fast.nets.packing import PHASES, Floats, Rows, packed, rounded, rows_of
from tavli_fast.nets.packing import unpacked as unpacked_weights
from tavli_fast.rules.presets import Rules, RulesLike, resolve_rules
from tavli_fast.rules.text import rules_name

__all__ = ["OUTCOMES", "Linear", "Net"]

MOST_HIDDEN: Final = constants.WIDEST
"""Hidden units at most."""

OUTCOMES: Final = ("win", "win2", "win3", "lose2", "lose3", "draw")
"""The outputs: probabilities to win 1 point or more, 2 or more, 3, to lose 2 or more, 3, and of a
draw. The probability to lose at all is what is left."""

_LARGEST: Final = 1e4
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
        if encoding_of(rules) != self.encoding:
            raise ValueError(
                f"rules={rules_name(rules)} has boards of the encoding "
                f"{encoding_of(rules)}: expected {self.encoding}, that of the evaluator"
            )
        return rules

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
        info = _noted(self.info)
        files.write(path, type(self).__name__, self.rules, activation, info, self.weights())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read what `save` has written. Nothing in the file is executed.

        Raises:
            OSError: the file cannot be read.
            ValueError: it is no such file, or something in it does not fit.
        """
        kind, rules, activation, info, weights = files.read(path)
        if kind != cls.__name__:
            raise ValueError(f"{os.fspath(path)} holds a {shown(kind)}: expected a {cls.__name__}")
        settings: dict[str, Any] = {"activation": activation} if activation else {}
        made: Any = cls
        try:
            return made(rules, **weights, **settings, info=info)  # type: ignore[no-any-return]
        except (TypeError, ValueError) as error:
            raise ValueError(f"{os.fspath(path)}: {error}") from error

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle by the constructor, for process pools."""
        settings = {"activation": self.activation} if isinstance(self, Net) else {}
        return _again, (type(self), self.rules, {**self.weights(), **settings, "info": self.info})


def _noted(info: Any) -> dict[str, Any]:
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


class Net(Weights):
    """A net with one hidden layer: features, hidden units, outcome probabilities.

    A hidden unit is the logistic function of its weighted features (``"sigmoid"``) or the sum
    clipped to 0..1 (``"clipped"``); an output is the logistic function of its weighted hidden
    units. All arithmetic is float32. The weights of a unit's features are rounded to multiples of a
    power of two, small enough to lose almost nothing (a bound on the unit's sum over 2**24), so
    that sums of them are exact: a position has the same value to the last bit, in whatever order
    its features were added. The attributes hold the rounded weights.

    A net is a policy for rollouts and an evaluator for `evaluate`, `best_plays` and `rank_plays`.
    Called with afterstates, it returns their outcome probabilities.

    Args:
        rules: the rules that it is for, a `Rules` or the name of a preset. F is their number of
            `features`.
        hidden_weights: floats ``[2, F, H]``, for contact and race, or ``[F, H]`` for both. H is 1
            to 1024.
        hidden_biases: floats ``[2, H]`` or ``[H]``.
        output_weights: floats ``[2, H, K]`` or ``[H, K]``; K is 5, or 6 for rules with draws, in
            the order of `OUTCOMES`.
        output_biases: floats ``[2, K]`` or ``[K]``.
        activation: ``"sigmoid"`` or ``"clipped"``.
        info: JSON-compatible data to keep with it.

    Raises:
        ValueError: a shape does not fit, or a weight is not a number or beyond 10**4.

    Examples:
        >>> import tavli_fast as tf
        >>> net = tf.Net.random("portes", hidden=64, seed=1)
        >>> net(tf.afterstates(tf.start(), (3, 1)).boards).shape
        (16, 6)
    """

    activation: str
    """``"sigmoid"`` or ``"clipped"``."""
    hidden_weights: Floats
    """``float32[2, F, H]``."""
    hidden_biases: Floats
    """``float32[2, H]``."""
    output_weights: Floats
    """``float32[2, H, K]``."""
    output_biases: Floats
    """``float32[2, K]``."""

    def __init__(
        self,
        rules: RulesLike,
        hidden_weights: Any,
        hidden_biases: Any,
        output_weights: Any,
        output_biases: Any,
        activation: str = "sigmoid",
        info: Mapping[str, Any] | None = None,
    ) -> None:
        """Check, round and pack the weights."""
        self.rules = resolve_rules(rules)
        self.encoding = encoding_of(self.rules)
        if activation not in ("sigmoid", "clipped"):
            raise ValueError(f"activation={shown(activation)}: expected 'sigmoid' or 'clipped'")
        self.activation = activation
        self.kind = constants.SIGMOID if activation == "sigmoid" else constants.CLIPPED
        self.info = _noted(info)
        features = feature_count(self.encoding)
        first = _floats(hidden_weights, "hidden_weights", (features, None))
        hidden = first.shape[2]
        if not 1 <= hidden <= MOST_HIDDEN:
            raise ValueError(f"hidden_weights has {hidden} units: expected 1 to {MOST_HIDDEN}")
        first_biases = _floats(hidden_biases, "hidden_biases", (hidden,))
        second = _floats(output_weights, "output_weights", (hidden, None))
        self.outputs = _outputs(second.shape[2], "output_weights")
        second_biases = _floats(output_biases, "output_biases", (self.outputs,))
        self.columns = -(-hidden // BLOCK) * BLOCK
        self.hidden_weights, self.hidden_biases = rounded(first, first_biases, self.encoding)
        self.output_weights, self.output_biases = second, second_biases
        self.packed = packed(self.rows())
        for array in self.weights().values():
            array.flags.writeable = False

    @classmethod
    def random(
        cls,
        rules: RulesLike | None = None,
        hidden: int = 128,
        seed: int | None = None,
        activation: str = "sigmoid",
        scale: float = 0.1,
    ) -> Self:
        """Return an untrained net: uniform weights, and output biases for rare gammons.

        Args:
            rules: a `Rules` or the name of a preset; None for Portes.
            hidden: the number of hidden units, 1 to 1024.
            seed: an integer from 0 to 2**128 - 1; None for a fresh one.
            activation: ``"sigmoid"`` or ``"clipped"``.
            scale: the largest weight.

        Raises:
            ValueError: an argument is invalid.
        """
        rules = resolve_rules(rules)
        hidden = whole_number(hidden, "hidden", 1, MOST_HIDDEN)
        scale = number(scale, "scale", 0, _LARGEST)
        generator = np.random.default_rng(seed_entropy(seed))
        features = feature_count(encoding_of(rules))
        outputs = 5 + may_draw(rules)
        biases = np.array([0, -1, -3, -1, -3, -3], np.float32)[:outputs]
        return cls(
            rules,
            generator.uniform(-scale, scale, (PHASES, features, hidden)),
            generator.uniform(-scale, scale, (PHASES, hidden)),
            generator.uniform(-scale, scale, (PHASES, hidden, outputs)),
            biases,
            activation,
        )

    @property
    def hidden(self) -> int:
        """The number of hidden units."""
        return int(self.hidden_biases.shape[1])

    def rows(self) -> Rows:
        """Return the weights as the core adds them up."""
        return rows_of(
            self.encoding,
            self.hidden_weights,
            self.hidden_biases,
            self.output_weights,
            self.output_biases,
            self.columns,
        )

    def weights(self) -> dict[str, Floats]:
        """Return the weights by the names that the constructor has for them."""
        return {
            "hidden_weights": self.hidden_weights,
            "hidden_biases": self.hidden_biases,
            "output_weights": self.output_weights,
            "output_biases": self.output_biases,
        }

    def __repr__(self) -> str:
        """Return the rules and the size."""
        return (
            f"<Net for {rules_name(self.rules)}: {self.hidden} {self.activation} units, "
            f"{self.outputs} outputs>"
        )


class Linear(Weights):
    """An evaluator without a hidden layer: each outcome is the logistic function of the weighted
    features.

    It is rounded, called and used like `Net`.

    Args:
        rules: the rules that it is for, a `Rules` or the name of a preset.
        output_weights: floats ``[2, F, K]``, for contact and race, or ``[F, K]`` for both; K is 5,
            or 6 for rules with draws, in the order of `OUTCOMES`.
        output_biases: floats ``[2, K]`` or ``[K]``.
        info: JSON-compatible data to keep with it.

    Raises:
        ValueError: a shape does not fit, or a weight is not a number or beyond 10**4.
    """

    output_weights: Floats
    """``float32[2, F, K]``."""
    output_biases: Floats
    """``float32[2, K]``."""

    def __init__(
        self,
        rules: RulesLike,
        output_weights: Any,
        output_biases: Any,
        info: Mapping[str, Any] | None = None,
    ) -> None:
        """Check, round and pack the weights."""
        self.rules = resolve_rules(rules)
        self.encoding = encoding_of(self.rules)
        self.kind, self.columns = constants.LINEAR, BLOCK
        self.info = _noted(info)
        features = feature_count(self.encoding)
        weights = _floats(output_weights, "output_weights", (features, None))
        self.outputs = _outputs(weights.shape[2], "output_weights")
        biases = _floats(output_biases, "output_biases", (self.outputs,))
        self.output_weights, self.output_biases = rounded(weights, biases, self.encoding)
        nothing = np.zeros_like(self.output_biases)
        self.packed = packed(
            rows_of(
                self.encoding,
                self.output_weights,
                nothing,
                None,
                self.output_biases,
                self.columns,
            )
        )
        for array in self.weights().values():
            array.flags.writeable = False

    def weights(self) -> dict[str, Floats]:
        """Return the weights by the names that the constructor has for them."""
        return {"output_weights": self.output_weights, "output_biases": self.output_biases}

    def __repr__(self) -> str:
        """Return the rules and the size."""
        return f"<Linear for {rules_name(self.rules)}: {self.outputs} outputs>"


def may_draw(rules: Rules) -> bool:
    """Return whether a game can end in a draw: by both mothers pinned, if that counts as one."""
    return rules.contact == "pin" and rules.mother != "none" and rules.mother_draw


def _outputs(count: int, name: str) -> int:
    """Return the number of outputs if it is one that a net can have."""
    if count not in (len(OUTCOMES) - 1, len(OUTCOMES)):
        raise ValueError(f"{name} has {count} outputs: expected 5, or 6 with draws")
    return count


def _floats(values: Any, name: str, shape: tuple[int | None, ...]) -> Floats:
    """Return a copy as ``float32[2, *shape]``, with one phase's weights for both if need be.

    Raises:
        ValueError: not numbers, not of that shape (None is any size), or too large.
    """
    sizes = ", ".join("…" if size is None else str(size) for size in shape)
    expected = f"numbers [2, {sizes}] or [{sizes}]"
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
    if not fits or (array.ndim > len(shape) and len(array) != PHASES):
        raise ValueError(f"{name} has shape {array.shape}: expected {expected}")
    if not (np.abs(array) <= _LARGEST).all():
        raise ValueError(f"{name} has a weight beyond ±{_LARGEST:.0f} or none: expected {expected}")
    if array.ndim == len(shape):
        array = np.stack([array] * PHASES)
    return array.astype(np.float32)


def unpacked(block: Floats, rules: Rules, columns: int, outputs: int, activation: str) -> Net:
    """Return the net whose weights lie in a block as `packed` made it, rounded anew."""
    weights: dict[str, Any] = unpacked_weights(block, encoding_of(rules), columns, outputs)
    return Net(rules, **weights, activation=activation)
