from typing import Self, TypeAlias, final

import numpy as np
import numpy.typing as npt

from tavli_fast._core.positions import Positions

_Float: TypeAlias = npt.NDArray[np.float64]

@final
class Values:
    rolled: _Float
    acted: _Float
    plays: npt.NDArray[np.uint16]
    def __init__(self, positions: Positions, finished: _Float, doubles: bool) -> None: ...
    def end_sweep(self, change: float) -> None: ...
    def keep_plays(self) -> None: ...
    def keep_values(self) -> None: ...

@final
class Sweeps:
    positions: Positions
    listed: bool
    def __new__(cls, positions: Positions) -> Self: ...
    def list_plays(self, closed: int) -> None: ...
    def forget_plays(self) -> None: ...
    def sweep(
        self,
        values: Values,
        then: Values,
        doubled: Values | None,
        cash: float,
        pips: int,
        second: bool,
        part: int,
        parts: int,
        improve: bool,
        all_of: bool,
    ) -> float: ...
    def commit(
        self, values: Values, doubled: Values | None, cash: float, pips: int, all_of: bool
    ) -> None: ...
