"""The version of the installed package."""

from __future__ import annotations

from functools import cache
from importlib.metadata import version as installed


@cache
def version() -> str:
    """Return the version of the package."""
    return installed("tavli-fast")
