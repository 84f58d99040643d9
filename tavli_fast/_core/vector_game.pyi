from typing import TypeAlias, final

import numpy as np
import numpy.typing as npt

from tavli_fast.rules.presets import Rules

_Int8: TypeAlias = npt.NDArray[np.int8]
_Int32: TypeAlias = npt.NDArray[np.int32]
_Int64: TypeAlias = npt.NDArray[np.int64]
_Bytes: TypeAlias = npt.NDArray[np.uint8]

@final
class Games:
    def __init__(
        self,
        rules: Rules,
        start: _Int8,
        max_plies: int,
        contest: bool,
        restarts: bool,
        boards: _Int8,
        dice: _Int8,
        players: _Int8,
        plies: _Int32,
        episodes: _Int64,
        over: _Bytes,
        stuck: _Bytes,
    ) -> None: ...
    def seed(self, first: int, second: int) -> None: ...
    def restart(self, where: _Bytes, more: int) -> None: ...
    def roll(self, first: int, end: int, where: _Bytes) -> None: ...
    def draw(self, first: int, end: int, offsets: _Int64, choices: _Int64) -> None: ...
    def bad_choice(self, offsets: _Int64, choices: _Int64) -> int: ...
    def choose(
        self,
        first: int,
        end: int,
        after: _Int8,
        offsets: _Int64,
        choices: _Int64,
        moved: _Int8,
    ) -> None: ...
    def finish(
        self,
        first: int,
        end: int,
        moved: _Int8,
        rewards: npt.NDArray[np.float32],
        done: _Bytes,
        truncated: _Bytes,
    ) -> None: ...

@final
class Listing:
    def __new__(cls, most_nodes: int = 0) -> Listing: ...
    @property
    def nbytes(self) -> int: ...
    def list(self, games: Games, first: int, end: int, offsets: _Int64) -> _Int8: ...

def best(values: npt.NDArray[np.float64], offsets: _Int64, choices: _Int64) -> int: ...
def pad(after: _Int8, offsets: _Int64, out: _Int8, mask: _Bytes) -> None: ...
def moves_of_turn(
    board: _Int8, die1: int, die2: int, rules: Rules, most: int
) -> tuple[_Int8, _Int32]: ...
