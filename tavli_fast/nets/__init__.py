"""Nets as objects: features, weights, files, and the nets that come with the package.

May import `_common`, `_core` and `rules`. `evaluation` and `training` call it.
"""

from tavli_fast.nets.bundled import load_net
from tavli_fast.nets.linear import Linear
from tavli_fast.nets.net import Net
from tavli_fast.nets.onnx import OnnxEvaluator

__all__ = ["Linear", "Net", "OnnxEvaluator", "load_net"]
