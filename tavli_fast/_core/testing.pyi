from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from tavli_fast.rules.presets import Rules

_Int8: TypeAlias = npt.NDArray[np.int8]

def chosen_plays(board: _Int8, die1: int, die2: int, rules: Rules) -> _Int8: ...
def searched_plays(board: _Int8, die1: int, die2: int, rules: Rules) -> _Int8: ...
def drawn_plays(
    board: _Int8, die1: int, die2: int, rules: Rules, bits: npt.NDArray[np.uint32]
) -> tuple[_Int8, npt.NDArray[np.bool_], int]: ...
def cube_values(
    outcomes: npt.NDArray[np.float32],
    levels: tuple[
        npt.NDArray[np.float64], npt.NDArray[np.float64], tuple[bool, ...], tuple[bool, ...], bool
    ],
    efficiency: float,
) -> npt.NDArray[np.float64]: ...
