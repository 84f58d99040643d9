"""The compiled core for this processor: which build of it is used, and how to force another."""

from __future__ import annotations

import os
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

from tavli_fast._core import constants, cpu

if TYPE_CHECKING:
    from tavli_fast._core import (
        batch,
        bearoff,
        evaluate,
        fit,
        label,
        net_games,
        positions,
        random_games,
        single,
        solve,
        solve_outcomes,
        testing,
        train,
        vector_game,
    )

__all__ = [
    "batch",
    "bearoff",
    "build_info",
    "constants",
    "cpu",
    "evaluate",
    "fit",
    "label",
    "net_games",
    "positions",
    "random_games",
    "single",
    "solve",
    "solve_outcomes",
    "testing",
    "train",
    "vector_game",
]

VARIABLE: Final = "TAVLI_FAST_ISA"
"""The environment variable that forces a build, by its name in `_SUFFIXES`."""

_SUFFIXES: Final = {"x86-64-v3": "_v3", "baseline": ""}
"""The builds by name, the fastest first, and how their modules' names end."""


def _available() -> list[str]:
    """Return the builds that are installed and that this processor can run, the fastest first."""
    level = cpu.x86_64_level()
    return [
        name
        for name, suffix in _SUFFIXES.items()
        if int(suffix[2:] or 0) <= level and find_spec(f"{__package__}.batch{suffix}") is not None
    ]


def _choose() -> str:
    """Return the build to use: the forced one, or the fastest."""
    available = _available()
    forced = os.environ.get(VARIABLE)
    if not forced:
        return available[0]
    if forced not in available:
        raise ImportError(f"{VARIABLE}={forced!r}: expected one of {', '.join(available)}")
    return forced


_ISA: Final = _choose()

_BY_BUILD: Final = frozenset(
    (
        *("batch", "evaluate", "fit", "label", "net_games", "random_games", "single", "solve"),
        *("solve_outcomes", "testing", "train", "vector_game"),
    )
)
"""The modules that each build has."""


def __getattr__(name: str) -> object:
    """Import a module of the build in use when it is asked for."""
    if name not in _BY_BUILD:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = import_module(f".{name}{_SUFFIXES[_ISA]}", __package__)
    globals()[name] = module
    return module


def build_info() -> dict[str, str]:
    """Return how the compiled core in use was built and chosen.

    Returns:
        ``isa``: the instruction set that it is compiled for, ``baseline`` or ``x86-64-v3``;
        ``available``: all that this machine could use, the fastest first; ``compiler``: the C
        compiler's version. The environment variable ``TAVLI_FAST_ISA``, set before the first
        import, selects one of the available ones.
    """
    return {
        "isa": _ISA,
        "available": ", ".join(_available()),
        "compiler": cpu.compiler(),
    }
