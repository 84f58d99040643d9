"""Checks of weights: their shapes, their sizes, and the encoding that they are for."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tavli_fast._common.arguments import shown
from tavli_fast.nets.features import PHASES
from tavli_fast.nets.features import encoding as encoding_of
from tavli_fast.nets.features import width as feature_count
from tavli_fast.rules.presets import Rules

Floats = npt.NDArray[np.float32]

OUTCOMES: Final = ("win", "win2", "win3", "lose2", "lose3", "draw")
"""The outputs: probabilities to win 1 point or more, 2 or more, 3, to lose 2 or more, 3, and of a
draw. The probability to lose at all is what is left."""

LARGEST: Final = 1e4
"""No weight beyond this is of any use, and none up to it overflows."""


def require_known(rules: Rules, encoding: Any, features: Any) -> None:
    """Require an encoding of these rules that this version has.

    Raises:
        ValueError: it has none of this name with so many features.
    """
    known = {
        name: feature_count(name) for name in (encoding_of(rules, more) for more in (False, True))
    }
    if (encoding, features) not in known.items():
        raise ValueError(
            f"it is for the encoding {shown(encoding)} of {shown(features)} features: expected "
            + " or ".join(f"{name!r} of {count}" for name, count in known.items())
        )


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
