"""Files of weights: an .npz archive of arrays and a head in JSON, read without running anything."""

from __future__ import annotations

import json
import os
import zipfile
import zlib
from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from . import _encoding
from .records import rules_from_json, rules_to_json
from .rules import Rules

Floats = npt.NDArray[np.float32]

FORMAT: Final = 1
"""The layout of the file; another one would have another number."""

_HEAD: Final = "head"
_MOST_BYTES: Final = 1 << 26
"""Twice what the largest net takes: more is no net, and is not unpacked."""

_NO_FILE: Final = (
    zipfile.BadZipFile,
    zlib.error,
    KeyError,
    TypeError,
    EOFError,
    RuntimeError,  # an encrypted entry, brackets too deep for JSON
    MemoryError,  # an array that claims to be huge
)
"""What a broken archive raises, ValueErrors apart."""


def write(
    path: str | os.PathLike[str],
    kind: str,
    rules: Rules,
    activation: str,
    info: Mapping[str, Any],
    weights: Mapping[str, Floats],
) -> None:
    """Write a file of weights."""
    head = {
        "format": FORMAT,
        "kind": kind,
        "rules": rules_to_json(rules),
        "encoding": _encoding.encoding(rules),
        "features": _encoding.width(_encoding.encoding(rules)),
        "activation": activation,
        "info": dict(info),
    }
    with open(path, "wb") as file:
        np.savez_compressed(
            file, allow_pickle=False, **{_HEAD: np.array(json.dumps(head))}, **weights
        )


def read(
    path: str | os.PathLike[str],
) -> tuple[str, Rules, str, dict[str, Any], dict[str, Floats]]:
    """Return the kind, the rules, the activation, the notes and the weights of a file.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is no such file, or is for features that this version does not have.
    """
    name = os.fspath(path)
    try:
        with zipfile.ZipFile(path) as archive:
            size = sum(entry.file_size for entry in archive.infolist())
        if size > _MOST_BYTES:
            raise ValueError(f"it would unpack to {size} bytes: expected at most {_MOST_BYTES}")
        with np.load(path, allow_pickle=False) as arrays:
            weights = {key: arrays[key] for key in arrays.files}
        head = json.loads(str(weights.pop(_HEAD)))
        if head["format"] != FORMAT:
            raise ValueError(f"its format is {head['format']!r}: expected {FORMAT}")
        rules = rules_from_json(head["rules"])
        encoding = _encoding.encoding(rules)
        expected = (encoding, _encoding.width(encoding))
        if (head["encoding"], head["features"]) != expected:
            raise ValueError(
                f"it is for the encoding {head['encoding']!r} of {head['features']!r} features: "
                f"expected {expected[0]!r} of {expected[1]}"
            )
        kind, activation, info = head["kind"], head["activation"], head["info"]
        if not (isinstance(kind, str) and isinstance(activation, str) and isinstance(info, dict)):
            raise ValueError("its head has entries of other types: expected kind, activation, info")
    except _NO_FILE as error:
        raise ValueError(f"{name} is no file of weights: {error!r}") from error
    except ValueError as error:
        raise ValueError(f"{name} is no file of weights: {error}") from error
    return kind, rules, activation, info, weights
