"""Files of a training under way: an .npz archive of its arrays and a head in JSON."""

from __future__ import annotations

import json
import os
from typing import Any, Final, Protocol

import numpy as np
import numpy.typing as npt

from tavli_fast._common.arguments import file_path, shown
from tavli_fast._common.files import replaceable, replacing
from tavli_fast.nets.files import FORMAT, HEAD, limited, refused, unpacked
from tavli_fast.nets.net import Net
from tavli_fast.nets.net import unpacked as unpacked_net
from tavli_fast.rules.fields import Rules
from tavli_fast.rules.text import rules_from_json, rules_to_json
from tavli_fast.training.strength import Strength

_ARRAYS: Final = ("weights", "sums", "streams")
_COUNTS: Final = ("summed", "games", "played", "plies", "seconds")


class Resumable(Protocol):
    """What a checkpoint keeps of a trainer."""

    rules: Rules
    minutes: float | None
    budget: int | None
    hidden: int
    activation: str
    outputs: int
    threads: int
    seed: int
    first_rate: float
    last_rate: float
    scalars: bool
    experts: bool
    weights: npt.NDArray[np.float32]
    sums: npt.NDArray[np.float64]
    streams: npt.NDArray[np.uint64]
    summed: int
    games: int
    played: int
    plies: int
    seconds: float
    curve: list[Strength]
    tenth: Net | None


def settings(trainer: Resumable) -> dict[str, Any]:
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
        "scalars": trainer.scalars,
        "experts": trainer.experts,
    }


def made_net(trainer: Resumable, block: npt.NDArray[np.float32]) -> Net:
    """Return the net whose weights lie in a block as the trainer has them."""
    return unpacked_net(
        block,
        trainer.rules,
        trainer.hidden,
        trainer.outputs,
        trainer.activation,
        trainer.scalars,
        trainer.experts,
    )


def write(path: str | os.PathLike[str], trainer: Resumable) -> None:
    """Write a trainer's state; the file is there as a whole or not at all."""
    name = replaceable(path, "checkpoint")
    head = {
        "format": FORMAT,
        "settings": settings(trainer),
        "counts": {name: getattr(trainer, name) for name in _COUNTS},
        "curve": [row.to_json() for row in trainer.curve],
    }
    arrays = {name: getattr(trainer, name) for name in _ARRAYS}
    if trainer.tenth is not None:
        arrays["tenth"] = trainer.tenth.packed
    with replacing(name) as file:
        np.savez(file, allow_pickle=False, **{HEAD: np.array(json.dumps(head))}, **arrays)


def read(
    path: str | os.PathLike[str],
) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """Return a trainer's arguments, its arrays, and its counts and curve.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is no checkpoint.
    """
    name = file_path(path, "resume")
    with open(name, "rb") as file, refused(name, "checkpoint"):
        head, arrays = unpacked(limited(file))
        found = dict(head["settings"])
        found["rules"] = rules_from_json(found["rules"])
        return found, arrays, {**head["counts"], "curve": head["curve"]}


def restore(trainer: Resumable, arrays: dict[str, Any], counts: dict[str, Any]) -> None:
    """Put a state into a trainer made with the same arguments.

    Raises:
        KeyError, TypeError, ValueError: it does not fit.
    """
    for name in _ARRAYS:
        mine = getattr(trainer, name)
        if arrays[name].shape != mine.shape or arrays[name].dtype != mine.dtype:
            raise ValueError(f"its {name} are {arrays[name].shape}: expected {mine.shape}")
        if arrays[name].dtype.kind == "f" and not np.isfinite(arrays[name]).all():
            raise ValueError(f"its {name} have one that is no number: expected numbers")
        mine[...] = arrays[name]
    if not arrays["streams"].any(axis=1).all():
        raise ValueError("its streams have one of zeros: expected states that a generator can have")
    for name in _COUNTS:
        kind, found = type(getattr(trainer, name)), counts[name]
        if type(found) not in (int, kind) or not 0 <= found < 2**62:
            raise ValueError(f"its {name} is {shown(found)}: expected a number, 0 to 2**62")
        setattr(trainer, name, kind(found))
    trainer.curve = [Strength(**row) for row in counts["curve"]]
    if "tenth" in arrays:
        trainer.tenth = made_net(trainer, arrays["tenth"])
