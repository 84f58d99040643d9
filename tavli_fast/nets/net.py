"""Compiled nets with one hidden layer, and what they share with those without any."""

from __future__ import annotations

import os
import zlib
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Final, Self

import numpy as np

from tavli_fast import _core
from tavli_fast._common.arguments import (
    board_batch,
    flag,
    new_array,
    number,
    seed_entropy,
    shown,
    whole_number,
)
from tavli_fast._core import constants
from tavli_fast.nets import files
from tavli_fast.nets.checks import (
    LARGEST,
    OUTCOMES,
    encoding_for,
    floats,
    for_phases,
    noted,
    output_count,
    require_known,
)
from tavli_fast.nets.features import encoding as encoding_of
from tavli_fast.nets.features import side_scalars
from tavli_fast.nets.features import width as feature_count
from tavli_fast.nets.packing import (
    PHASES,
    Floats,
    Rows,
    form_of,
    packed,
    rounded,
    rows_of,
    with_sieve,
)
from tavli_fast.nets.packing import unpacked as unpacked_weights
from tavli_fast.rules.presets import Rules, RulesLike, resolve_rules
from tavli_fast.rules.text import rules_name

__all__ = ["OUTCOMES", "Net"]

MOST_HIDDEN: Final = constants.WIDEST
"""Hidden units at most."""

BLOCK: Final = constants.BLOCK
"""The core adds up so many hidden units at once: rows are filled up with zeros."""


KEPT: Final = 4
"""How many plays of a roll a sieve leaves, unless one says how many."""


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

    def settings(self) -> dict[str, Any]:
        """Return the constructor's arguments besides the rules and the weights."""
        return {"info": self.info}

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the weights to an ``.npz`` file, which `load` reads.

        Raises:
            OSError: the file cannot be written.
            ValueError: no path, or notes in `info` that JSON does not have.
        """
        kind = type(self).__name__
        settings = {**self.settings(), "info": noted(self.info)}
        files.write(path, kind, self.rules, self.encoding, settings, self.weights())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read what `save` has written. Nothing in the file is executed.

        Raises:
            OSError: the file cannot be read.
            ValueError: it is no such file, or something in it does not fit.
        """
        kind, rules, (encoding, count), settings, weights = files.read(path)
        if kind != cls.__name__:
            raise ValueError(f"{os.fspath(path)} holds a {shown(kind)}: expected a {cls.__name__}")
        try:
            require_known(rules, encoding, count)
            loaded: Self = cls._made(rules, weights, settings)
            if loaded.encoding != encoding:
                raise ValueError(
                    f"its weights are for the encoding {loaded.encoding}: expected {encoding}"
                )
            return loaded
        except (TypeError, ValueError) as error:
            raise ValueError(f"{os.fspath(path)}: {error}") from error

    @classmethod
    def _made(
        cls, rules: Rules, weights: Mapping[str, Floats], settings: Mapping[str, Any]
    ) -> Self:
        """Make what a file holds."""
        made: Any = cls
        loaded: Self = made(rules, **weights, **settings)
        return loaded

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle by the constructor, for process pools."""
        return _again, (type(self), self.rules, {**self.weights(), **self.settings()})


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
            `features`, with scalars or without.
        hidden_weights: floats ``[P, F, H]``, for each of the `phases`, or ``[F, H]`` for all. P is
            2, for contact and race, or 5, for four experts and the race. H is 1 to 1024.
        hidden_biases: floats ``[P, H]`` or ``[H]``.
        output_weights: floats ``[P, H, K]`` or ``[H, K]``; K is 5, or 6 for rules with draws, in
            the order of `OUTCOMES`.
        output_biases: floats ``[P, K]`` or ``[K]``.
        activation: ``"sigmoid"`` or ``"clipped"``.
        info: JSON-compatible data to keep with it.
        sieve: a smaller net for the same boards, without a sieve of its own; see `with_sieve`.
        kept: how many plays of a roll the sieve leaves, 1 to 32.

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
    """``float32[P, F, H]``."""
    hidden_biases: Floats
    """``float32[P, H]``."""
    output_weights: Floats
    """``float32[P, H, K]``."""
    output_biases: Floats
    """``float32[P, K]``."""
    sieve: Net | None
    """The net that judges the plays of a roll first."""
    kept: int
    """How many plays it leaves."""

    def __init__(
        self,
        rules: RulesLike,
        hidden_weights: Any,
        hidden_biases: Any,
        output_weights: Any,
        output_biases: Any,
        activation: str = "sigmoid",
        info: Mapping[str, Any] | None = None,
        sieve: Net | None = None,
        kept: int = KEPT,
    ) -> None:
        """Check, round and pack the weights."""
        self.rules = resolve_rules(rules)
        if activation not in ("sigmoid", "clipped"):
            raise ValueError(f"activation={shown(activation)}: expected 'sigmoid' or 'clipped'")
        self.activation = activation
        self.info = noted(info)
        self.encoding = encoding_for(self.rules, hidden_weights)
        features = feature_count(self.encoding)
        first = floats(hidden_weights, "hidden_weights", (features, None))
        hidden = first.shape[-1]
        if not 1 <= hidden <= MOST_HIDDEN:
            raise ValueError(f"hidden_weights has {hidden} units: expected 1 to {MOST_HIDDEN}")
        first_biases = floats(hidden_biases, "hidden_biases", (hidden,))
        second = floats(output_weights, "output_weights", (hidden, None))
        self.outputs = output_count(second.shape[-1], "output_weights")
        second_biases = floats(output_biases, "output_biases", (self.outputs,))
        first, first_biases, second, second_biases = for_phases(
            hidden_weights=first,
            hidden_biases=first_biases,
            output_weights=second,
            output_biases=second_biases,
        )
        kind = constants.SIGMOID if activation == "sigmoid" else constants.CLIPPED
        self.kind = kind | form_of(len(first), self.scalars)
        self.columns = -(-hidden // BLOCK) * BLOCK
        self.hidden_weights, self.hidden_biases = rounded(first, first_biases, self.encoding)
        self.output_weights, self.output_biases = second, second_biases
        self.packed = packed(self.rows())
        self.kept = whole_number(kept, "kept", 1, constants.MOST_KEPT)
        self.sieve = sieve
        if sieve is not None:
            self._put_behind(sieve)
        for array in self.weights().values():
            array.flags.writeable = False

    @classmethod
    def _made(
        cls, rules: Rules, weights: Mapping[str, Floats], settings: Mapping[str, Any]
    ) -> Self:
        """Make what a file holds, its sieve first."""
        sieve = settings.get("sieve")
        made: Any = cls
        if sieve is not None:
            settings = {**settings, "sieve": made(rules, **sieve)}
        return super()._made(rules, weights, settings)

    def _put_behind(self, sieve: Any) -> None:
        """Put the sieve's weights where the core looks for them.

        Raises:
            ValueError: it cannot be one.
        """
        if not isinstance(sieve, Net):
            raise ValueError(f"sieve={shown(sieve)}: expected a Net or None")
        if sieve.sieve is not None:
            raise ValueError("sieve has a sieve of its own: expected a Net without one")
        try:
            sieve.fitting(self.rules)
        except ValueError as error:
            raise ValueError(f"sieve: {error}") from error
        self.kind |= constants.WITH_SIEVE
        self.packed = with_sieve(
            self.packed, sieve.packed, sieve.kind, sieve.columns, sieve.outputs, self.kept
        )

    @classmethod
    def random(
        cls,
        rules: RulesLike | None = None,
        hidden: int = 128,
        seed: int | None = None,
        activation: str = "sigmoid",
        scale: float = 0.1,
        scalars: bool = False,
        experts: bool = False,
    ) -> Self:
        """Return an untrained net: uniform weights, and output biases for rare gammons.

        Args:
            rules: a `Rules` or the name of a preset; None for Portes.
            hidden: the number of hidden units, 1 to 1024.
            seed: an integer from 0 to 2**128 - 1; None for a fresh one.
            activation: ``"sigmoid"`` or ``"clipped"``.
            scale: the largest weight.
            scalars: whether it sees the scalars of `features`.
            experts: whether it has experts for contact, each with weights of its own.

        Raises:
            ValueError: an argument is invalid.
        """
        rules = resolve_rules(rules)
        hidden = whole_number(hidden, "hidden", 1, MOST_HIDDEN)
        scale = number(scale, "scale", 0, LARGEST)
        generator = np.random.default_rng(seed_entropy(seed))
        features = feature_count(encoding_of(rules, scalars))
        phases = PHASES[flag(experts, "experts")]
        outputs = 5 + may_draw(rules)
        biases = np.array([0, -1, -3, -1, -3, -3], np.float32)[:outputs]
        return cls(
            rules,
            generator.uniform(-scale, scale, (phases, features, hidden)),
            generator.uniform(-scale, scale, (phases, hidden)),
            generator.uniform(-scale, scale, (phases, hidden, outputs)),
            biases,
            activation,
        )

    def widened(self, hidden: int, seed: int | None = None) -> Self:
        """Return a net of more hidden units whose outputs are those of this one.

        The new units have random weights, of the size of those that there are, and no part in the
        outputs until they are trained.

        Args:
            hidden: the number of hidden units, at least that of this net, up to 1024.
            seed: an integer from 0 to 2**128 - 1; None for a fresh one.

        Raises:
            ValueError: an argument is invalid.
        """
        hidden = whole_number(hidden, "hidden", self.hidden, MOST_HIDDEN)
        generator = np.random.default_rng(seed_entropy(seed))
        more = hidden - self.hidden
        size = 0.1
        fresh = generator.uniform(
            -size, size, (self.phases, feature_count(self.encoding), more)
        ).astype(np.float32)
        middle = 0.5 if self.activation == "clipped" else 0.0  # where its slope is not 0
        return self.changed(
            hidden_weights=np.concatenate([self.hidden_weights, fresh], axis=2),
            hidden_biases=np.pad(self.hidden_biases, ((0, 0), (0, more)), constant_values=middle),
            output_weights=np.pad(self.output_weights, ((0, 0), (0, more), (0, 0))),
        )

    def with_scalars(self) -> Self:
        """Return a net that sees the scalars of `features` too; their weights are 0, so that its
        outputs are those of this net. A net with scalars is returned as it is."""
        if self.scalars:
            return self
        more = feature_count(encoding_of(self.rules, True)) - feature_count(self.encoding)
        return self.changed(hidden_weights=np.pad(self.hidden_weights, ((0, 0), (0, more), (0, 0))))

    def with_experts(self) -> Self:
        """Return a net with four experts for contact (see `phases`), copies of this net's one: its
        outputs are those of this net. A net with experts is returned as it is."""
        if self.experts:
            return self
        copies = np.array([constants.CONTACT] * (PHASES[True] - 1) + [constants.RACE])
        return self.changed(**{name: array[copies] for name, array in self.weights().items()})

    def with_sieve(self, sieve: Net | None, kept: int = KEPT) -> Self:
        """Return this net with another net that judges the plays of a roll first.

        Wherever a play is chosen (`best_plays`, rollouts, the arena, lookahead, `improve`), the
        sieve judges all plays of the roll and leaves the best `kept` of them, of which the net
        chooses. A small sieve makes a large net's choices faster; now and then the play that the
        net would prefer is not among those that are left. Values of positions, and of all plays by
        `rank_plays`, are the net's alone. The sieve is part of the net: in its file, in its name.

        Args:
            sieve: a net for the same boards, without a sieve of its own; None for none.
            kept: how many plays it leaves, 1 to 32; of a roll that has no more the net judges all.

        Raises:
            ValueError: an argument is invalid.

        Examples:
            >>> import tavli_fast as tf
            >>> net = tf.Net.random("portes", hidden=256, seed=1)
            >>> net.with_sieve(tf.Net.random("portes", hidden=32, seed=2)).kept
            4
        """
        return self.changed(sieve=sieve, kept=kept)

    def changed(self, **changes: Any) -> Self:
        """Return a net with some of the constructor's arguments exchanged."""
        settings = {"rules": self.rules, **self.weights(), **self.settings(), **changes}
        return type(self)(**settings)

    def settings(self) -> dict[str, Any]:
        """Return the constructor's arguments besides the rules and the weights."""
        return {
            "activation": self.activation,
            "info": self.info,
            "sieve": self.sieve,
            "kept": self.kept,
        }

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
        also = (", scalars" if self.scalars else "") + (", experts" if self.experts else "")
        if self.sieve is not None:
            also += f", a sieve of {self.sieve.hidden} that leaves {self.kept}"
        return (
            f"<Net for {rules_name(self.rules)}: {self.hidden} {self.activation} units, "
            f"{self.outputs} outputs{also}>"
        )


def may_draw(rules: Rules) -> bool:
    """Return whether a game can end in a draw: by both mothers pinned, if that counts as one."""
    return rules.contact == "pin" and rules.mother != "none" and rules.mother_draw


def unpacked(
    block: Floats,
    rules: Rules,
    columns: int,
    outputs: int,
    activation: str,
    scalars: bool = False,
    experts: bool = False,
) -> Net:
    """Return the net whose weights lie in a block as `packed` made it, rounded anew."""
    encoding = encoding_of(rules, scalars)
    weights: dict[str, Any] = unpacked_weights(block, encoding, columns, outputs, experts)
    return Net(rules, **weights, activation=activation)
