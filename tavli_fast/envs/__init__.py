"""Environments: many games at once in arrays, and those of Gymnasium, PettingZoo, OpenSpiel.

`VectorGame` needs nothing but NumPy. The others need the library that they are for, an extra of its
name: ``pip install 'tavli-fast[gymnasium]'``.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tavli_fast.envs.gymnasium_envs import TavliEnv, TavliVectorEnv
    from tavli_fast.envs.openspiel import openspiel_game
    from tavli_fast.envs.pettingzoo_env import aec
    from tavli_fast.envs.spaces import max_afterstates
    from tavli_fast.envs.steps import Padded, Steps
    from tavli_fast.envs.vector_game import VectorGame

_MODULES = {
    "Padded": "steps",
    "Steps": "steps",
    "TavliEnv": "gymnasium_envs",
    "TavliVectorEnv": "gymnasium_envs",
    "VectorGame": "vector_game",
    "aec": "pettingzoo_env",
    "max_afterstates": "spaces",
    "openspiel_game": "openspiel",
}
"""Where each name is: imported when it is first asked for."""

_EXTRAS = {
    "gymnasium_envs": "gymnasium",
    "openspiel": "openspiel",
    "pettingzoo_env": "pettingzoo",
}
"""What the modules that need a library are installed with."""

__all__ = [
    "Padded",
    "Steps",
    "TavliEnv",
    "TavliVectorEnv",
    "VectorGame",
    "aec",
    "max_afterstates",
    "openspiel_game",
]


def __getattr__(name: str) -> object:
    """Import a name when it is first asked for.

    Raises:
        ImportError: the library that it is for is missing; the message names the extra.
    """
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        module = import_module(f"{__name__}.{_MODULES[name]}")
    except ModuleNotFoundError as error:
        extra = _EXTRAS.get(_MODULES[name])
        if extra is None or error.name not in ("gymnasium", "pettingzoo", "pyspiel"):
            raise
        raise ImportError(
            f"tf.envs.{name} needs {error.name}: pip install 'tavli-fast[{extra}]'"
        ) from error
    found = getattr(module, name)
    globals()[name] = found
    return found
