from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from tavli_fast.rules.presets import Rules

_Int8: TypeAlias = npt.NDArray[np.int8]
_Words: TypeAlias = npt.NDArray[np.uint64]
_Int64: TypeAlias = npt.NDArray[np.int64]
_Brain: TypeAlias = tuple[npt.NDArray[np.float32], int, int, int]
_Ladder: TypeAlias = tuple[
    npt.NDArray[np.float64], npt.NDArray[np.float64], tuple[bool, ...], tuple[bool, ...], bool
]

def play_trials(
    board: _Int8,
    rules: Rules,
    players: tuple[_Brain, _Brain],
    judge: _Brain | None,
    key: _Words,
    first_trial: int,
    trials: int,
    max_plies: int,
    truncate: int,
    luck: bool,
    contest: bool,
    stratified: bool,
    cube: tuple[_Ladder, _Ladder, float, bool, bool] | None,
    stop: npt.NDArray[np.uint8],
) -> npt.NDArray[np.float64]: ...
def trial_dice(
    key: _Words,
    first_trial: int,
    trials: int,
    first_ply: int,
    plies: int,
    contest: bool,
    stratified: bool,
) -> _Int8: ...
def trial_choices(key: _Words, trials: _Int64, ply: int, counts: _Int64) -> _Int64: ...
def cube_worths(
    outcomes: npt.NDArray[np.float32], ladder: _Ladder, efficiency: float
) -> npt.NDArray[np.float64]: ...
