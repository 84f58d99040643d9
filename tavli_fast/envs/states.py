"""The state of a `VectorGame` as a dict of plain values and arrays, and as an .npz file."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tavli_fast._common.arguments import (
    MAX_SEED,
    board_batch,
    file_path,
    flag,
    shown,
    whole_number,
)
from tavli_fast._common.files import replacing
from tavli_fast.boards.positions import outcomes
from tavli_fast.envs import game_log
from tavli_fast.nets.files import refused
from tavli_fast.rules.presets import Rules
from tavli_fast.rules.text import rules_from_json, rules_to_json

FORMAT: Final = 1
"""The layout; another one would have another number."""

MOST_GAMES: Final = 1 << 24
MOST_PLIES: Final = 2**31 - 1
_HEAD: Final = ("format", "rules", "n", "seed", "restart", "max_plies", "rolled", "log")
_SHAPES: Final[Mapping[str, tuple[Any, tuple[int, ...]]]] = {
    "boards": (np.int8, (2, 26)),
    "dice": (np.int8, (2,)),
    "players": (np.int8, ()),
    "plies": (np.int32, ()),
    "episodes": (np.int64, ()),
    "over": (np.uint8, ()),
}
"""The arrays of games: their types, and their shapes for one game."""

State = dict[str, Any]


def to_state(
    rules: Rules,
    head: Mapping[str, Any],
    arrays: Mapping[str, npt.NDArray[Any]],
    log: game_log.GameLog,
) -> State:
    """Return the state as a dict."""
    state = {"format": FORMAT, "rules": rules_to_json(rules), **head, "log": log.places}
    state |= {name: arrays[name].copy() for name in _SHAPES}
    return state | {f"log_{name}": array for name, array in log.arrays().items()}


def from_state(
    state: Any,
) -> tuple[Rules, dict[str, Any], dict[str, npt.NDArray[Any]], dict[str, npt.NDArray[Any]]]:
    """Return the rules, the numbers, the arrays and the log's arrays of a state, checked.

    Raises:
        ValueError: it is not such a state.
    """
    if not isinstance(state, dict):
        raise ValueError(f"state={shown(state)}: expected what VectorGame.state returned")
    missing = [name for name in (*_HEAD, *_SHAPES) if name not in state]
    if missing:
        raise ValueError(f"state has no {missing[0]!r}: expected what VectorGame.state returned")
    if state["format"] != FORMAT:
        raise ValueError(f"state is of format {shown(state['format'])}: expected {FORMAT}")
    try:
        rules = rules_from_json(state["rules"])
    except (AttributeError, TypeError) as error:
        raise ValueError(f"state has rules={shown(state['rules'])}: {error}") from error
    n = whole_number(state["n"], "n of state", 1, MOST_GAMES)
    head = {
        "n": n,
        "seed": whole_number(state["seed"], "seed of state", 0, MAX_SEED),
        "restart": flag(state["restart"], "restart of state"),
        "max_plies": whole_number(state["max_plies"], "max_plies of state", 1, MOST_PLIES),
        "rolled": flag(state["rolled"], "rolled of state"),
        "log": whole_number(state["log"], "log of state", 0, n),
    }
    arrays = {
        name: _array(state, name, dtype, (n, *shape)) for name, (dtype, shape) in _SHAPES.items()
    }
    arrays["boards"] = board_batch(arrays["boards"], rules, "boards of state")
    dice = arrays["dice"]
    good = ((dice >= 1) & (dice <= 6)).all(axis=1) | (dice == 0).all(axis=1)
    _require(bool(good.all()), "dice", "pairs of 1 to 6, or of 0")
    _require(bool(head["rolled"] or not np.any(dice)), "dice", "none before a roll")
    _require(set(np.unique(arrays["players"])) <= {0, 1}, "players", "0 or 1")
    _require(set(np.unique(arrays["over"])) <= {0, 1}, "over", "0 or 1")
    _require(not bool(np.any(dice[:, 0] * arrays["over"])), "dice", "none of a game that is over")
    decided = outcomes(arrays["boards"], rules)[0]
    _require(not bool(np.any(decided & (arrays["over"] == 0))), "over", "1 where it has ended")
    _require(bool((arrays["plies"] >= 0).all()), "plies", "0 or more")
    _require(bool((arrays["plies"] < 2**31 - 1).all()), "plies", "less than 2**31 - 1")
    _require(
        bool(((arrays["episodes"] >= 0) & (arrays["episodes"] < 2**31)).all()),
        "episodes",
        "0 to 2**31 - 1",
    )
    return rules, head, arrays, _log_arrays(state, head["log"])


def _log_arrays(state: State, places: int) -> dict[str, npt.NDArray[Any]]:
    """Return the arrays of the log, checked for their shapes."""
    steps = len(state["log_dice"]) if isinstance(state.get("log_dice"), np.ndarray) else 0
    return {
        name: _array(state, f"log_{name}", dtype, (steps, places, *game_log.SHAPES[name]))
        for name, dtype in game_log.DTYPES.items()
    }


def _array(state: State, name: str, dtype: Any, shape: tuple[int, ...]) -> npt.NDArray[Any]:
    """Return a copy of one of the arrays."""
    array = state.get(name)
    if not isinstance(array, np.ndarray) or array.dtype != dtype or array.shape != shape:
        found = f"{array.dtype}{[*array.shape]}" if isinstance(array, np.ndarray) else shown(array)
        raise ValueError(f"state has {name}={found}: expected {np.dtype(dtype)}{[*shape]}")
    return np.array(array, order="C")


def _require(holds: bool, name: str, expected: str) -> None:
    """Raise the ValueError that says what is wrong with an array."""
    if not holds:
        raise ValueError(f"state has bad {name}: expected {expected}")


def save(path: str | os.PathLike[str], state: State) -> None:
    """Write a state to a file."""
    head = {name: state[name] for name in _HEAD}
    arrays = {name: value for name, value in state.items() if name not in _HEAD}
    with replacing(file_path(path, "path")) as file:
        np.savez(file, allow_pickle=False, head=np.array(json.dumps(head)), **arrays)


def load(path: str | os.PathLike[str]) -> State:
    """Read what `save` has written, not yet checked as a state.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is no such file.
    """
    name = file_path(path, "path")
    with (
        open(name, "rb") as file,
        refused(name, "state of a VectorGame"),
        np.load(file, allow_pickle=False) as arrays,
    ):
        if not hasattr(arrays, "files"):
            raise ValueError("it is a single array")
        found: State = {key: arrays[key] for key in arrays.files}
        head = json.loads(str(found.pop("head")))
        if not isinstance(head, dict):
            raise ValueError(f"its head is {shown(head)}: expected an object")
    return {**found, **head}
