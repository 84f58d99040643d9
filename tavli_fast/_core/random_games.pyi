from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from tavli_fast.rules.presets import Rules

_Int8: TypeAlias = npt.NDArray[np.int8]
_Words: TypeAlias = npt.NDArray[np.uint64]

def random_games(
    board: _Int8,
    rules: Rules,
    seed: _Words,
    trials: int,
    max_plies: int,
    stop: npt.NDArray[np.uint8],
) -> npt.NDArray[np.int64]: ...
def random_boards(
    start: _Int8, rules: Rules, seed: _Words, boards: _Int8, max_plies: int
) -> None: ...
