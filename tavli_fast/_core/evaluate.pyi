from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from tavli_fast.rules.presets import Rules

_Int8: TypeAlias = npt.NDArray[np.int8]
_Floats: TypeAlias = npt.NDArray[np.float32]

def features(
    boards: _Int8,
    rules: Rules,
    out: npt.NDArray[Any],
    scalars: bool = False,
    offsets: npt.NDArray[np.int64] | None = None,
    room: int = 0,
) -> None: ...
def phases(boards: _Int8, rules: Rules, out: _Int8, experts: bool = False) -> None: ...
def possible(boards: _Int8, rules: Rules, out: npt.NDArray[np.uint8]) -> None: ...
def scalar_scales() -> list[float]: ...
def block_floats(width: int, kind: int = 0) -> int: ...
def outcomes(
    boards: _Int8,
    rules: Rules,
    weights: _Floats,
    kind: int,
    width: int,
    outputs: int,
    out: _Floats,
) -> None: ...
def best(
    boards: _Int8,
    dice: _Int8,
    rules: Rules,
    weights: _Floats,
    kind: int,
    width: int,
    outputs: int,
    places: npt.NDArray[np.int32],
    after: _Int8,
    out: _Floats,
    moves: _Int8 | None = None,
) -> None: ...
def afterstate_outcomes(
    boards: _Int8,
    dice: _Int8,
    rules: Rules,
    weights: _Floats,
    kind: int,
    width: int,
    outputs: int,
    starts: npt.NDArray[np.int64],
    out: _Floats,
) -> None: ...
