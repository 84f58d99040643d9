"""Files of weights: an .npz archive of arrays and a head in JSON, read without running anything."""

from __future__ import annotations

import errno
import json
import os
import tokenize
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import BytesIO
from typing import Any, BinaryIO, Final

import numpy as np
import numpy.typing as npt

from tavli_fast._common.arguments import file_path, shown
from tavli_fast._common.files import replacing
from tavli_fast.rules.presets import Rules
from tavli_fast.rules.text import rules_from_json, rules_to_json

Floats = npt.NDArray[np.float32]

FORMAT: Final = 1
"""The layout of the file; another one would have another number."""

HEAD: Final = "head"
_SIEVE: Final = "sieve."
"""What the names of a sieve's arrays begin with."""
_MOST_BYTES: Final = 1 << 26
"""Twice what the largest net, or a training of it, takes: more is neither, and is not unpacked."""

_BROKEN: Final = (
    zipfile.BadZipFile,
    zlib.error,
    AttributeError,
    EOFError,
    IndexError,
    KeyError,
    MemoryError,  # an array that claims to be huge
    OverflowError,
    RuntimeError,  # an encrypted or oddly packed entry, brackets too deep for JSON
    SyntaxError,
    TypeError,
    tokenize.TokenError,  # an array's head is read as a Python literal
)
"""What a broken archive raises, ValueErrors apart."""


@contextmanager
def refused(path: str, what: str) -> Iterator[None]:
    """Turn whatever a broken file raises into the ValueError that says what it is not."""
    try:
        yield
    except _BROKEN as error:
        raise ValueError(f"{path} is no {what}: {error!r}") from error
    except ValueError as error:
        raise ValueError(f"{path} is no {what}: {error}") from error
    except OSError as error:
        if error.errno != errno.EINVAL:  # a place before the beginning of the file
            raise
        raise ValueError(f"{path} is no {what}: it is damaged") from error


def limited(file: BinaryIO) -> BinaryIO:
    """Return all that is in a file: a device or a pipe may have no end.

    Raises:
        ValueError: it is larger than any file of weights.
    """
    content = file.read(_MOST_BYTES + 1)
    if len(content) > _MOST_BYTES:
        raise ValueError(f"it has more than {_MOST_BYTES} bytes")
    return BytesIO(content)


def unpacked(file: BinaryIO) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    """Return the head and the arrays of an archive, within `refused`."""
    with zipfile.ZipFile(file) as archive:
        size = sum(entry.file_size for entry in archive.infolist())
    if size > _MOST_BYTES:
        raise ValueError(f"it would unpack to {size} bytes: expected at most {_MOST_BYTES}")
    file.seek(0)
    with np.load(file, allow_pickle=False) as arrays:
        found = {key: arrays[key] for key in arrays.files}
    head = json.loads(str(found.pop(HEAD)))
    if not isinstance(head, dict):
        raise ValueError(f"its head is {shown(head)}: expected an object")
    if head["format"] != FORMAT:
        raise ValueError(f"its format is {shown(head['format'])}: expected {FORMAT}")
    return head, found


def write(
    path: str | os.PathLike[str],
    kind: str,
    rules: Rules,
    encoding: str,
    settings: Mapping[str, Any],
    weights: Mapping[str, Floats],
) -> None:
    """Write a file of weights; those of a sieve, which `settings` has, have names of their own."""
    head = {
        "format": FORMAT,
        "kind": kind,
        "rules": rules_to_json(rules),
        "encoding": encoding,
        "features": next(iter(weights.values())).shape[-2],
        "activation": settings.get("activation", ""),
        "info": dict(settings["info"]),
    }
    arrays = dict(weights)
    sieve = settings.get("sieve")
    if sieve is not None:
        head["sieve"] = {
            "activation": sieve.activation,
            "info": sieve.info,
            "kept": settings["kept"],
        }
        arrays |= {_SIEVE + name: array for name, array in sieve.weights().items()}
    with replacing(file_path(path, "path")) as file:
        np.savez_compressed(
            file, allow_pickle=False, **{HEAD: np.array(json.dumps(head))}, **arrays
        )


def read(
    path: str | os.PathLike[str],
) -> tuple[str, Rules, tuple[Any, Any], dict[str, Any], dict[str, Floats]]:
    """Return a file's kind, rules, encoding with its number of features, settings and weights.

    The settings are those that `write` was given; a sieve is a mapping of its own settings and
    weights.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is no such file.
    """
    name = file_path(path, "path")
    with open(name, "rb") as opened, refused(name, "file of weights"):
        head, weights = unpacked(limited(opened))
        rules = rules_from_json(head["rules"])
        encoding = head["encoding"], head["features"]
        kind, settings = head["kind"], _settings(head)
        if not isinstance(kind, str):
            raise ValueError("its head has entries of other types: expected kind, activation, info")
        if "sieve" in head:
            sieve = {
                name.removeprefix(_SIEVE): weights.pop(name)
                for name in list(weights)
                if name.startswith(_SIEVE)
            }
            settings["kept"] = head["sieve"]["kept"]
            settings["sieve"] = {**_settings(head["sieve"]), **sieve}
    return kind, rules, encoding, settings, weights


def _settings(head: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a head that have plain types."""
    activation, info = head["activation"], head["info"]
    if not (isinstance(activation, str) and isinstance(info, dict)):
        raise ValueError("its head has entries of other types: expected kind, activation, info")
    return {"info": info, **({"activation": activation} if activation else {})}
