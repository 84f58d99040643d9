"""Files of an improvement under way: an .npz archive of weights and labels, and a head in JSON."""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from tavli_fast._common.arguments import file_path
from tavli_fast._common.files import replaceable, replacing
from tavli_fast.nets.files import HEAD
from tavli_fast.nets.net import Net
from tavli_fast.training.labels import Labels

_FORMAT: Final = "improve-1"
_MOST_BYTES: Final = 1 << 33
"""More than any labels that one would make: what unpacks to more is no such file."""


def write(
    path: str | os.PathLike[str],
    head: dict[str, Any],
    nets: Mapping[str, Net | None],
    sets: list[Labels],
) -> None:
    """Write a file; it is there as a whole or not at all."""
    name = replaceable(path, "checkpoint")
    arrays: dict[str, Any] = {
        f"{name}.{key}": array
        for name, net in nets.items()
        if net is not None
        for key, array in net.weights().items()
    }
    for number, labels in enumerate(sets):
        arrays |= {f"boards_{number}": labels.boards, f"outcomes_{number}": labels.outcomes}
    text = json.dumps({"format": _FORMAT, "sets": len(sets), **head})
    with replacing(name) as file:
        np.savez(file, allow_pickle=False, **{HEAD: np.array(text)}, **arrays)


def read(
    path: str | os.PathLike[str],
) -> tuple[dict[str, Any], dict[str, dict[str, Any]], list[Labels]]:
    """Return the head, the weights of the nets by name and the sets of labels.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is no such file; or whatever a broken archive raises (see `refused`).
    """
    file = file_path(path, "resume")
    with zipfile.ZipFile(file) as archive:
        size = sum(entry.file_size for entry in archive.infolist())
    if size > _MOST_BYTES:
        raise ValueError(f"it would unpack to {size} bytes: expected at most {_MOST_BYTES}")
    with np.load(file, allow_pickle=False) as arrays:
        head = json.loads(str(arrays[HEAD]))
        if not isinstance(head, dict) or head["format"] != _FORMAT:
            raise ValueError(f"its format is no {_FORMAT}")
        nets: dict[str, dict[str, Any]] = {}
        for entry in arrays.files:
            name, dot, key = entry.partition(".")
            if dot:
                nets.setdefault(name, {})[key] = arrays[entry]
        sets = [_labels(arrays, number) for number in range(head["sets"])]
    return head, nets, sets


def _labels(arrays: Any, number: int) -> Labels:
    """Return one set of labels."""
    found = Labels(arrays[f"boards_{number}"], arrays[f"outcomes_{number}"])
    count = len(found.boards)
    if found.boards.shape != (count, 2, 26) or found.boards.dtype != np.int8:
        raise ValueError(f"its boards are {found.boards.dtype} {found.boards.shape}")
    if found.outcomes.shape != (count, 6) or found.outcomes.dtype != np.uint16:
        raise ValueError(f"its labels are {found.outcomes.dtype} {found.outcomes.shape}")
    return found
