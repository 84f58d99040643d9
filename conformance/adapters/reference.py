"""The rules in plain Python, which share no code with the core."""

import importlib.util
import pathlib

import tavli_fast as tf

_spec = importlib.util.spec_from_file_location(
    "core", pathlib.Path(__file__).with_name("tavli_fast.py")
)
_core = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_core)
_core.ENGINE = tf.reference
supports, plays, outcome = _core.supports, _core.plays, _core.outcome
