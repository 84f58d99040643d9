"""Evaluators from ONNX files, run by onnxruntime (the extra ``onnx``)."""

from __future__ import annotations

import os
import zlib
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, Final

import numpy as np

from tavli_fast._common.arguments import Int8Array, whole_number
from tavli_fast.nets.features import encoding, features, width
from tavli_fast.rules.presets import Rules, RulesLike, resolve_rules
from tavli_fast.rules.text import rules_name

__all__ = ["OnnxEvaluator"]

_TYPES: Final = {"tensor(float)": np.float32, "tensor(double)": np.float64, "tensor(int8)": np.int8}
"""What a model may take."""


class OnnxEvaluator:
    """An evaluator that runs the model of an ONNX file on the processor.

    The model takes a batch of any length: `features` (``[N, F]``, floats) or boards (``[N, 2,
    26]``, floats or int8), seen by the player who has just moved. Its first output is that player's
    equities (``[N]`` or ``[N, 1]``) or outcome probabilities (``[N, 5]`` or ``[N, 6]``, in the
    order of `Net`), not their logits. An evaluator can be pickled, for process pools.

    Args:
        path: the file; it must contain its weights.
        rules: the rules that it is for, a `Rules` or the name of a preset.
        threads: how many threads onnxruntime uses for a call. With one, the usual choice, the
            threads of a rollout keep all processors busy.

    Raises:
        ImportError: onnxruntime is not installed.
        OSError: the file cannot be read.
        ValueError: the file is not a model, or the model takes other inputs.
    """

    sent_once: ClassVar[bool] = True
    """Each worker of an executor is sent it once, and not with each task (`_common.sending`)."""

    def __init__(
        self, path: str | os.PathLike[str], rules: RulesLike | None = None, *, threads: int = 1
    ) -> None:
        """Read the file and prepare the model."""
        self._open(Path(path).read_bytes(), Path(path).stem, resolve_rules(rules), threads)

    def _open(self, model: bytes, stem: str, rules: Rules, threads: int) -> None:
        """Prepare a model that has been read."""
        self.rules, self._model, self._stem = rules, model, stem
        self._threads = whole_number(threads, "threads", 1, 1024)
        self.name = f"{stem}-{zlib.crc32(model):08x}"
        """What results call it: the file's name, and a checksum of what is in it."""
        try:
            runtime: Any = import_module("onnxruntime")
        except ImportError as error:
            raise ImportError(
                "OnnxEvaluator needs onnxruntime: pip install 'tavli-fast[onnx]'"
            ) from error
        options = runtime.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
        options.log_severity_level = 3
        try:
            self._session = runtime.InferenceSession(model, options, ["CPUExecutionProvider"])
        except Exception as error:  # its errors have no base of their own
            raise ValueError(f"{stem}: no model that onnxruntime can run: {error}") from error
        inputs = self._session.get_inputs()
        count = width(encoding(rules))
        expected = f"[N, {count}] (features of {rules_name(rules)}) or [N, 2, 26], N not fixed"
        if len(inputs) != 1:
            raise ValueError(
                f"{stem}: the model has {len(inputs)} inputs: expected one, {expected}"
            )
        shape = inputs[0].shape
        fits = shape[1:] in ([count], [2, 26]) and not isinstance(shape[0], int)
        if not fits or inputs[0].type not in _TYPES:
            raise ValueError(
                f"{stem}: the model takes {inputs[0].type}{shape}: expected floats {expected}"
            )
        self._input, self._dtype = inputs[0].name, _TYPES[inputs[0].type]
        self._sees_boards = len(shape) == 3

    def __call__(self, afterstates: Int8Array) -> Any:
        """Return the model's first output for boards ``int8[M, 2, 26]``."""
        seen = afterstates if self._sees_boards else features(afterstates, self.rules)
        found = self._session.run(None, {self._input: seen.astype(self._dtype, copy=False)})[0]
        return found[:, 0] if found.ndim == 2 and found.shape[1] == 1 else found

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the model itself, for workers that do not have the file."""
        return _again, (self._model, self._stem, self.rules, self._threads)

    def __repr__(self) -> str:
        """Return the name, the rules and what the model sees."""
        what = "boards" if self._sees_boards else "features"
        return f"<OnnxEvaluator {self.name} for {rules_name(self.rules)}, of {what}>"


def _again(model: bytes, stem: str, rules: Rules, threads: int) -> OnnxEvaluator:
    """Make a pickled evaluator again."""
    made = OnnxEvaluator.__new__(OnnxEvaluator)
    made._open(model, stem, rules, threads)
    return made
