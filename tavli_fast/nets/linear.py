"""Compiled evaluators without a hidden layer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tavli_fast._core import constants
from tavli_fast.nets.checks import encoding_for, floats, for_phases, noted, output_count
from tavli_fast.nets.features import width as feature_count
from tavli_fast.nets.net import BLOCK, Weights
from tavli_fast.nets.packing import Floats, form_of, packed, rounded, rows_of
from tavli_fast.rules.presets import RulesLike, resolve_rules
from tavli_fast.rules.text import rules_name

__all__ = ["Linear"]


class Linear(Weights):
    """An evaluator without a hidden layer: each outcome is the logistic function of the weighted
    features.

    It is rounded, called and used like `Net`.

    Args:
        rules: the rules that it is for, a `Rules` or the name of a preset.
        output_weights: floats ``[P, F, K]``, for each of the 2 or 5 `phases`, or ``[F, K]`` for
            all; K is 5, or 6 for rules with draws, in the order of `OUTCOMES`.
        output_biases: floats ``[P, K]`` or ``[K]``.
        info: JSON-compatible data to keep with it.

    Raises:
        ValueError: a shape does not fit, or a weight is not a number or beyond 10**4.
    """

    output_weights: Floats
    """``float32[P, F, K]``."""
    output_biases: Floats
    """``float32[P, K]``."""

    def __init__(
        self,
        rules: RulesLike,
        output_weights: Any,
        output_biases: Any,
        info: Mapping[str, Any] | None = None,
    ) -> None:
        """Check, round and pack the weights."""
        self.rules = resolve_rules(rules)
        self.info = noted(info)
        self.encoding = encoding_for(self.rules, output_weights)
        features = feature_count(self.encoding)
        weights = floats(output_weights, "output_weights", (features, None))
        self.outputs = output_count(weights.shape[-1], "output_weights")
        biases = floats(output_biases, "output_biases", (self.outputs,))
        weights, biases = for_phases(output_weights=weights, output_biases=biases)
        self.kind = constants.LINEAR | form_of(len(weights), self.scalars)
        self.columns = BLOCK
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
