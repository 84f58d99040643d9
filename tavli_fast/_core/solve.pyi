from typing import TypeAlias, final

import numpy as np
import numpy.typing as npt

from tavli_fast.rules.fields import Rules

_Float: TypeAlias = npt.NDArray[np.float64]
_Int8: TypeAlias = npt.NDArray[np.int8]
_Int32: TypeAlias = npt.NDArray[np.int32]

@final
class Values:
    rolled: _Float
    acted: _Float
    def __init__(self, finished: _Float, doubles: bool) -> None: ...
    def end_sweep(self, change: float) -> None: ...
    def keep_plays(self) -> None: ...
    def keep_values(self) -> None: ...

@final
class Space:
    rules: Rules
    size: int
    valid: int
    sides: int
    most_pips: int
    finished: _Float
    parts: _Float
    def __init__(self, rules: Rules) -> None: ...
    def level(self, pips: int) -> _Int32: ...
    def improve(
        self, values: Values, then: Values, pips: int, opponents: _Int32, all_of: bool
    ) -> float: ...
    def evaluate(
        self, values: Values, then: Values, pips: int, opponents: _Int32, all_of: bool
    ) -> float: ...
    def commit(
        self,
        values: Values,
        doubled: Values | None,
        cash: float,
        pips: int,
        opponents: _Int32,
        all_of: bool,
    ) -> None: ...
    def begin_parts(self) -> None: ...
    def count_level(self, pips: int, opponents: _Int32) -> int: ...
    def evaluate_parts(
        self, values: Values, pips: int, opponents: _Int32, all_of: bool, found: _Float
    ) -> float: ...
    def commit_parts(self, pips: int, opponents: _Int32, all_of: bool, found: _Float) -> None: ...
    def find(self, boards: _Int8, places: _Int32) -> None: ...
