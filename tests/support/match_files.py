"""The match files in tests/data/match_files.zip."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from zipfile import ZipFile

_FILE = Path(__file__).parent.parent / "data" / "match_files.zip"


@cache
def match_files(folder: str) -> dict[str, bytes]:
    """Return the files of one folder, by name."""
    with ZipFile(_FILE) as found:
        return {
            name.partition("/")[2]: found.read(name)
            for name in found.namelist()
            if name.startswith(f"{folder}/")
        }
