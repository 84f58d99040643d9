import numpy as np
import numpy.typing as npt

from tavli_fast.rules.presets import Rules

def label_games(
    start: npt.NDArray[np.int8],
    rules: Rules,
    opening_roll: bool,
    weights: npt.NDArray[np.float32],
    kind: int,
    width: int,
    outputs: int,
    seed: npt.NDArray[np.uint64],
    trace: float,
    tried: float,
    scattered: float,
    most_random: int,
    boards: npt.NDArray[np.int8],
    labels: npt.NDArray[np.uint16],
    stop: npt.NDArray[np.uint8],
) -> int: ...
