from typing import TypeAlias, final

import numpy as np
import numpy.typing as npt

from tavli_fast._core.positions import Positions

_Float: TypeAlias = npt.NDArray[np.float64]

@final
class OutcomeSweeps:
    positions: Positions
    parts: _Float
    def __init__(self, positions: Positions, plays: npt.NDArray[np.uint16]) -> None: ...
    def sweep(self, pips: int, second: bool, part: int, parts: int, all_of: bool) -> float: ...
    def commit(self, pips: int, all_of: bool) -> None: ...
