"""Environments: many games at once in arrays, to learn in.

`VectorGame` needs nothing but NumPy.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tavli_fast.envs.spaces import max_afterstates
    from tavli_fast.envs.steps import Padded, Steps
    from tavli_fast.envs.vector_game import VectorGame

_MODULES = {
    "Padded": "steps",
    "Steps": "steps",
    "VectorGame": "vector_game",
    "max_afterstates": "spaces",
}
"""Where each name is: imported when it is first asked for."""

__all__ = ["Padded", "Steps", "VectorGame", "max_afterstates"]


def __getattr__(name: str) -> object:
    """Import a name when it is first asked for."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    globals()[name] = found
    return found
