from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from tavli_fast.rules.presets import Rules

_Int8: TypeAlias = npt.NDArray[np.int8]
_Words: TypeAlias = npt.NDArray[np.uint64]
_Int64: TypeAlias = npt.NDArray[np.int64]
_Net: TypeAlias = tuple[npt.NDArray[np.float32], int, int, int]
_Levels: TypeAlias = tuple[
    npt.NDArray[np.float64], npt.NDArray[np.float64], tuple[bool, ...], tuple[bool, ...], bool
]

def play_trials(
    board: _Int8,
    rules: Rules,
    players: tuple[_Net, _Net],
    judge: _Net | None,
    key: _Words,
    first_trial: int,
    trials: int,
    max_plies: int,
    truncate: int,
    variance_reduction: bool,
    opening_roll: bool,
    stratified: bool,
    cube: tuple[_Levels, _Levels, float, bool, bool] | None,
    stop: npt.NDArray[np.uint8],
    tables: bool = False,
) -> npt.NDArray[np.float64]: ...
def trial_dice(
    key: _Words,
    first_trial: int,
    trials: int,
    first_ply: int,
    plies: int,
    opening_roll: bool,
    stratified: bool,
) -> _Int8: ...
def trial_choices(key: _Words, trials: _Int64, ply: int, counts: _Int64) -> _Int64: ...
