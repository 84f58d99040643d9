from typing import TypeAlias, final

import numpy as np
import numpy.typing as npt

from tavli_fast.rules.fields import Rules

_Int8: TypeAlias = npt.NDArray[np.int8]
_Int16: TypeAlias = npt.NDArray[np.int16]
_Int32: TypeAlias = npt.NDArray[np.int32]
_UInt16: TypeAlias = npt.NDArray[np.uint16]

@final
class Positions:
    rules: Rules
    size: int
    valid: int
    sides: int
    most_pips: int
    planes: _Int8
    number: _UInt16
    pips: _Int32
    pips_end: _Int32
    farthest: _Int8
    row: _Int32
    place: _UInt16
    hits: _UInt16
    bar: _Int16
    most_pending: int
    results: _Int8
    def __init__(self, rules: Rules) -> None: ...
    def find(self, boards: _Int8, found: _Int32) -> None: ...
