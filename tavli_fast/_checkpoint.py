"""Files of a training under way: an .npz archive of its arrays and a head in JSON."""

from __future__ import annotations

import json
import os
import zipfile
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ._strength import Strength
from .nets import unpacked
from .records import rules_from_json, rules_to_json

if TYPE_CHECKING:
    from .training import Trainer

FORMAT: Final = 1
_HEAD: Final = "head"
_ARRAYS: Final = ("weights", "sums", "streams")
_COUNTS: Final = ("summed", "games", "played", "plies", "seconds")


def settings(trainer: Trainer) -> dict[str, Any]:
    """Return the arguments that a trainer was made with, as JSON has them."""
    return {
        "rules": rules_to_json(trainer.rules),
        "minutes": trainer.minutes,
        "games": trainer.budget,
        "hidden": trainer.hidden,
        "activation": trainer.activation,
        "threads": trainer.threads,
        "seed": trainer.seed,
        "first_rate": trainer.first_rate,
        "last_rate": trainer.last_rate,
    }


def write(path: str | os.PathLike[str], trainer: Trainer) -> None:
    """Write a trainer's state; the file is there as a whole or not at all."""
    head = {
        "format": FORMAT,
        "settings": settings(trainer),
        "counts": {name: getattr(trainer, name) for name in _COUNTS},
        "curve": [row.to_json() for row in trainer.curve],
    }
    arrays = {name: getattr(trainer, name) for name in _ARRAYS}
    if trainer.tenth is not None:
        arrays["tenth"] = trainer.tenth.packed
    beside = f"{os.fspath(path)}.part"
    with open(beside, "wb") as file:
        np.savez(file, allow_pickle=False, **{_HEAD: np.array(json.dumps(head))}, **arrays)
    os.replace(beside, path)


def read(
    path: str | os.PathLike[str],
) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """Return a trainer's arguments, its arrays, and its counts and curve.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is no checkpoint.
    """
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        head = json.loads(str(arrays.pop(_HEAD)))
        if head["format"] != FORMAT:
            raise ValueError(f"its format is {head['format']!r}: expected {FORMAT}")
        found = dict(head["settings"])
        found["rules"] = rules_from_json(found["rules"])
        return found, arrays, {**head["counts"], "curve": head["curve"]}
    except (zipfile.BadZipFile, KeyError, TypeError, ValueError, EOFError) as error:
        raise ValueError(f"{os.fspath(path)} is no checkpoint: {error}") from error


def restore(trainer: Trainer, arrays: dict[str, Any], counts: dict[str, Any]) -> None:
    """Put a state into a trainer made with the same arguments.

    Raises:
        KeyError, TypeError, ValueError: it does not fit.
    """
    for name in _ARRAYS:
        mine = getattr(trainer, name)
        if arrays[name].shape != mine.shape or arrays[name].dtype != mine.dtype:
            raise ValueError(f"its {name} are {arrays[name].shape}: expected {mine.shape}")
        mine[...] = arrays[name]
    for name in _COUNTS:
        setattr(trainer, name, type(getattr(trainer, name))(counts[name]))
    trainer.curve = [Strength(**row) for row in counts["curve"]]
    if "tenth" in arrays:
        trainer.tenth = unpacked(
            arrays["tenth"], trainer.rules, trainer.hidden, trainer.outputs, trainer.activation
        )
