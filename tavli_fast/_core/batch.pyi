from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from tavli_fast.rules.presets import Rules

_Int8: TypeAlias = npt.NDArray[np.int8]

def first_bad_board(boards: _Int8, rules: Rules) -> tuple[int, str] | None: ...
def has_bad_die(dice: _Int8) -> bool: ...
def count(boards: _Int8, dice: _Int8, rules: Rules, counts: npt.NDArray[np.int32]) -> bool: ...
def afterstates(
    boards: _Int8, dice: _Int8, rules: Rules, most_bytes: int
) -> tuple[_Int8, npt.NDArray[np.int64]] | None: ...
def fill(
    boards: _Int8,
    dice: _Int8,
    rules: Rules,
    offsets: npt.NDArray[np.int64],
    after: _Int8,
    moves: _Int8 | None,
) -> bool: ...
def list_into(
    boards: _Int8, dice: _Int8, rules: Rules, after: _Int8, offsets: npt.NDArray[np.int64]
) -> int | None: ...
def outcomes(boards: _Int8, rules: Rules) -> tuple[npt.NDArray[np.bool_], _Int8]: ...
def apply(
    boards: _Int8, moves: _Int8, dice: _Int8 | None, rules: Rules
) -> tuple[_Int8 | None, tuple[int, int, int] | None]: ...
