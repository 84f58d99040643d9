"""Buffers that callers give for results: arrays, tensors in pinned memory, all with DLPack."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from tavli_fast._common.arguments import new_array, shown


def buffer_of(
    out: Any, shape: tuple[int, ...], dtypes: tuple[Any, ...], what: str
) -> npt.NDArray[Any]:
    """Return the memory of `out` as an array, its first ``shape[0]`` rows; a new one for None.

    Args:
        out: a NumPy array, or an object with ``__dlpack__`` whose memory the processor can write.
        shape: what is needed; `out` may have more rows.
        dtypes: those that are taken, the first of them for a new array.
        what: names the result in messages.

    Raises:
        ResultTooLargeError: a new array would not fit in this machine's memory.
        ValueError: `out` is no such buffer.
    """
    if out is None:
        return new_array(shape, dtypes[0], what)
    names = " or ".join(str(np.dtype(dtype)) for dtype in dtypes)
    expected = f"a writable C-contiguous {names} buffer {[*shape]}, or longer"
    array: npt.NDArray[Any] = out
    if not isinstance(out, np.ndarray):
        try:
            array = np.from_dlpack(out)
        except (AttributeError, BufferError, RuntimeError, TypeError) as error:
            raise ValueError(f"out={shown(out)}: expected {expected} ({error})") from error
    fits = array.ndim == len(shape) and array.shape[1:] == shape[1:] and len(array) >= shape[0]
    if not fits or not any(array.dtype == np.dtype(dtype) for dtype in dtypes):
        raise ValueError(f"out is {array.dtype}{[*array.shape]}: expected {expected}")
    if not (array.flags.c_contiguous and array.flags.writeable):
        raise ValueError(f"out is read-only or not C-contiguous: expected {expected}")
    return array[: shape[0]]
