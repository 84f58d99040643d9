from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from tavli_fast.rules.presets import Rules

_Int8: TypeAlias = npt.NDArray[np.int8]

def count_of_one(board: object, dice: object, rules: Rules) -> npt.NDArray[np.int32] | None: ...
def plays_of_one(
    board: object, dice: object, rules: Rules, with_moves: bool
) -> tuple[_Int8 | None, _Int8, npt.NDArray[np.int64]] | None: ...
def perft(board: _Int8, depth: int, rules: Rules) -> int: ...
