from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from tavli_fast.rules.presets import Rules

_Int8: TypeAlias = npt.NDArray[np.int8]
_Floats: TypeAlias = npt.NDArray[np.float32]
_Words: TypeAlias = npt.NDArray[np.uint64]

def learn_games(
    weights: _Floats,
    start: _Int8,
    rules: Rules,
    opening_roll: bool,
    kind: int,
    width: int,
    outputs: int,
    rate: float,
    seed: _Words,
    games: int,
    stop: npt.NDArray[np.uint8],
) -> tuple[int, int, int]: ...
