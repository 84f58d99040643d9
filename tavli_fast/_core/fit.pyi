from typing import TypeAlias

import numpy as np
import numpy.typing as npt

_Floats: TypeAlias = npt.NDArray[np.float32]

def fit(
    weights: _Floats,
    mean: _Floats,
    square: _Floats,
    gradient: _Floats,
    parts: npt.NDArray[np.float64],
    features: _Floats,
    labels: npt.NDArray[np.uint16],
    rates: _Floats,
    width: int,
    outputs: int,
    activation: int,
    batch: int,
) -> float: ...
