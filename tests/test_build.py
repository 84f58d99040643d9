"""The build: what it says where something is missing."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.mark.skipif(not (shutil.which("cmake") and shutil.which("ninja")), reason="needs CMake")
def test_without_a_compiler_a_sentence_says_what_to_install(tmp_path: Path) -> None:
    names = ["-DSKBUILD_PROJECT_NAME=tavli-fast", "-DSKBUILD_PROJECT_VERSION=1"]
    done = subprocess.run(
        ["cmake", "-G", "Ninja", "-S", str(ROOT), "-B", str(tmp_path), *names],
        env={**os.environ, "CC": str(tmp_path / "no-compiler")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    said = " ".join(done.stderr.split())
    assert "no C compiler was found: install one (Debian, Ubuntu: apt install" in said


def test_the_version_to_cite_is_that_of_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    cited = re.search(r"^version: (.+)$", (ROOT / "CITATION.cff").read_text(), re.M)
    assert cited is not None
    assert cited[1] == project["version"]
