"""Files of solved games: a head in JSON and arrays that are mapped into memory when read."""

from __future__ import annotations

import json
import os
import zlib
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tavli_fast._common.arguments import file_path
from tavli_fast._common.files import replacing
from tavli_fast.rules.fields import Rules
from tavli_fast.rules.text import rules_from_json, rules_to_json

_MAGIC: Final = b"tavli_fast solved game 1\n"
_ALIGNED: Final = 64
_MOST_HEAD: Final = 1 << 16
_PIECE: Final = 1 << 22

Array = npt.NDArray[np.float64]


def write(
    path: str | os.PathLike[str], rules: Rules, facts: dict[str, Any], arrays: dict[str, Array]
) -> None:
    """Write a solved game; the file is there as a whole or not at all.

    Raises:
        ValueError: no path.
        OSError: it cannot be written.
    """
    name = file_path(path, "path")
    shapes, at = {}, 0
    for key, array in arrays.items():
        data = np.ascontiguousarray(array)
        shapes[key] = {"shape": data.shape, "at": at, "crc32": _checksum(data)}
        at += -(-data.nbytes // _ALIGNED) * _ALIGNED
    head = json.dumps({"rules": rules_to_json(rules), "facts": facts, "arrays": shapes}).encode()
    with replacing(name) as file:
        file.write(_MAGIC + b"%16d\n" % len(head) + head)
        file.write(b"\0" * (-file.tell() % _ALIGNED))
        for array in arrays.values():
            file.write(np.ascontiguousarray(array).data.cast("B"))
            file.write(b"\0" * (-file.tell() % _ALIGNED))


def read(path: str | os.PathLike[str]) -> tuple[Rules, dict[str, Any], dict[str, Array]]:
    """Return the rules, the facts and the arrays of a solved game, mapped and not to be written.

    Every byte is read once to check it.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is no solved game, or it is damaged.
    """
    name = file_path(path, "path")
    if Path(name).exists() and not Path(name).is_file():
        raise ValueError(f"{name} is no solved game: expected a file")
    with Path(name).open("rb") as file:
        start = file.read(len(_MAGIC) + 17)
        if start[: len(_MAGIC)] != _MAGIC:
            raise ValueError(f"{name} is no solved game: expected a file that `save` has written")
        try:
            length = int(start[len(_MAGIC) :])
            if not 0 < length <= _MOST_HEAD:
                raise ValueError(f"a head of {length} bytes")
            head = json.loads(file.read(length))
            rules = rules_from_json(head["rules"])
            first = -(-(len(_MAGIC) + 17 + length) // _ALIGNED) * _ALIGNED
            arrays = {
                str(key): _mapped(name, first, entry) for key, entry in head["arrays"].items()
            }
            facts = dict(head["facts"])
        except (ValueError, TypeError, KeyError, AttributeError, OverflowError) as error:
            raise ValueError(f"{name} is a damaged solved game: {error}") from error
    return rules, facts, arrays


def _mapped(name: str, first: int, entry: dict[str, Any]) -> Array:
    """Return an array of the file, checked."""
    shape = tuple(int(size) for size in entry["shape"])
    if any(size < 0 for size in shape) or len(shape) not in (1, 2):
        raise ValueError(f"an array of shape {shape}")
    found = np.memmap(name, np.float64, "r", first + int(entry["at"]), shape)
    if _checksum(found) != entry["crc32"]:
        raise ValueError("an array whose checksum is another")
    return found


def _checksum(array: npt.NDArray[Any]) -> int:
    """Return the CRC-32 of an array's bytes."""
    found, data = 0, array.reshape(-1).data.cast("B")
    for at in range(0, len(data), _PIECE):
        found = zlib.crc32(data[at : at + _PIECE], found)
    return found
