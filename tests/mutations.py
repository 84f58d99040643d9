"""Change the compiled core in small ways, one at a time, and see whether the fast tests notice.

    python tests/mutations.py                      # all mutations, some minutes
    python tests/mutations.py --only head          # those with "head" in their name
    python tests/mutations.py --list

Each mutation replaces one piece of text that occurs exactly once in a file of the core. The core
is built in a copy of the project, quickly and for one instruction set; each mutation is built on
top of it, and the fast tests of the core run until the first failure. A mutation that no test
notices survives, and the command fails: then a test is missing, or the mutation changes nothing
that can be seen. It needs CMake, Ninja and Cython, as an editable install does.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CORE = Path("src/tavli_fast/_core")

TESTS = ("rule_cases", "apply", "batches", "legal", "perft", "boards", "oracle")
"""The fast tests of the core, those that notice most of what is wrong first."""

RUNNER = """
import sys
# The copy's package is to be found, and not the one that an editable install points to.
sys.meta_path[:] = [each for each in sys.meta_path if "ScikitBuild" not in type(each).__name__]
sys.path.insert(0, sys.argv.pop(1))
import pytest
sys.exit(pytest.main(sys.argv[1:]))
"""


@dataclass(frozen=True)
class Mutation:
    """A small change of one file of the core."""

    name: str
    file: str
    text: str
    replacement: str


MUTATIONS = (
    Mutation(
        "bearing off past a pinned checker (P10)",
        "board/masks.pxd",
        "cdef uint32_t there = own.ge1 | own.held\n    cdef uint32_t from_",
        "cdef uint32_t there = own.ge1\n    cdef uint32_t from_",
    ),
)


def prepared(folder: Path) -> Path:
    """Copy the project into a folder and build its core there; return the folder of the build."""
    for name in ("src", "tavli_fast", "tests"):
        ignored = shutil.ignore_patterns("__pycache__", "*.so")
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    for name in ("CMakeLists.txt", "pyproject.toml", "README.md"):
        shutil.copy(ROOT / name, folder / name)
    import cython_cmake

    build = folder / "build"
    subprocess.run(
        [
            *("cmake", "-S", folder, "-B", build, "-G", "Ninja", "--log-level=ERROR"),
            # A build type without options of its own: no checks, and quick to compile.
            *("-DCMAKE_BUILD_TYPE=Quick", "-DCMAKE_C_FLAGS=-O1", "-DHAVE_X86_64_V3=OFF"),
            *("-DSKBUILD_PROJECT_NAME=tavli_fast", "-DSKBUILD_PROJECT_VERSION=0"),
            f"-DCMAKE_MODULE_PATH={Path(cython_cmake.__file__).parent / 'cmake'}",
            f"-DPython_EXECUTABLE={sys.executable}",
        ],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    return build


def built(folder: Path, build: Path) -> str:
    """Build the core and put it into the package; return what went wrong, or nothing."""
    done = subprocess.run(["ninja", "-C", build], capture_output=True, text=True, check=False)
    if done.returncode:
        return done.stdout[-2000:]
    for module in build.glob("*.so"):
        shutil.copy(module, folder / "tavli_fast" / "_core")
    return ""


def first_failure(folder: Path) -> str:
    """Run the fast tests of the core; return the first that fails, or nothing."""
    tests = [f"tests/test_{name}.py" for name in TESTS]
    options = ["-q", "-x", "--no-header", "--tb=no", "-p", "no:cacheprovider", "-p", "no:benchmark"]
    done = subprocess.run(
        [sys.executable, "-P", "-c", RUNNER, str(folder), *options, *tests],
        cwd=folder,
        env={**os.environ, "TAVLI_FAST_ISA": "baseline", "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode == 0:
        return ""
    lines = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return lines[0].split(" ", 1)[1] if lines else f"the run ended with {done.returncode}"


def changed(mutation: Mutation, folder: Path) -> None:
    """Apply a mutation; a text that does not occur exactly once is a ValueError."""
    path = folder / CORE / mutation.file
    text = path.read_text(encoding="utf-8")
    found = text.count(mutation.text)
    if found != 1:
        raise ValueError(
            f"{mutation.name}: {mutation.text!r} occurs {found} times in {CORE / mutation.file}, "
            "expected once: adapt the mutation"
        )
    path.write_text(text.replace(mutation.text, mutation.replacement), encoding="utf-8")


def checked(mutation: Mutation) -> None:
    """Raise a ValueError unless a mutation's text occurs once in the project's own file."""
    text = (ROOT / CORE / mutation.file).read_text(encoding="utf-8")
    if text.count(mutation.text) != 1:
        raise ValueError(f"{mutation.name}: its text occurs {text.count(mutation.text)} times")


def main() -> None:
    """Try the mutations and report which survive."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", default="", metavar="WORD", help="those with this in the name")
    parser.add_argument("--list", action="store_true", help="print the mutations and stop")
    options = parser.parse_args()
    chosen = [mutation for mutation in MUTATIONS if options.only in mutation.name]
    if options.list:
        print(*(f"{mutation.name}  ({mutation.file})" for mutation in chosen), sep="\n")
        return
    with tempfile.TemporaryDirectory() as name:
        sys.exit(tried(chosen, Path(name)))


def tried(mutations: list[Mutation], folder: Path) -> int:
    """Build and test each mutation; return how many survive."""
    build = prepared(folder)
    began = time.perf_counter()
    if wrong := built(folder, build) or first_failure(folder):
        raise RuntimeError(f"without any mutation: {wrong}")
    print(f"built and tested as it is, {time.perf_counter() - began:.0f} s", flush=True)
    survivors = []
    for mutation in mutations:
        began = time.perf_counter()
        path = folder / CORE / mutation.file
        changed(mutation, folder)
        if wrong := built(folder, build):
            raise RuntimeError(f"{mutation.name}: it does not compile: {wrong}")
        failed = first_failure(folder)
        shutil.copy(ROOT / CORE / mutation.file, path)
        path.touch()
        if not failed:
            survivors.append(mutation)
        seconds = time.perf_counter() - began
        print(f"{seconds:4.0f} s  {mutation.name}: {failed or 'SURVIVES'}", flush=True)
    print(f"{len(mutations)} mutations, {len(survivors)} survive")
    return len(survivors)


if __name__ == "__main__":
    main()
