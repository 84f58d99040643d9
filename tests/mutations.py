"""Change the compiled core in small ways, one at a time, and see whether the fast tests notice.

    python tests/mutations.py                      # all mutations, some minutes
    python tests/mutations.py --only head          # those with "head" in their name
    python tests/mutations.py --list

The mutations stand in tests/data/mutations.toml: each replaces one piece of text that occurs
exactly once in a file of the core. The core is built in a copy of the project, quickly and for one
instruction set; then the modules that the fast tests of the core ask are built with each mutation,
and those tests run until the first failure. A mutation that no test notices survives, and the
command fails: then a test is missing, or the mutation changes nothing that can be seen. It needs
CMake, Ninja and Cython, as an editable install does.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CORE = Path("src/tavli_fast/_core")

MODULES = ("batch", "single", "constants", "testing")
"""What the tests below ask of the core; the other modules stay as they are."""

INLINED = ("board/check.h", "board/result.h")
"""Headers that the modules need too; of the others it is enough to build the kernel again."""

TESTS = (
    *("test_rule_cases.py", "test_apply.py", "test_batches.py", "test_legal.py", "test_boards.py"),
    *("test_search.py", "test_perft.py", "test_oracle.py", "test_differential.py"),
)
"""The fast tests of the core, those that notice most of what is wrong first."""

WANTED = "not family and not any_board and not any_rules and not primes and not on_hitting"
"""What is fast in them."""

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


with (ROOT / "tests" / "data" / "mutations.toml").open("rb") as _file:
    MUTATIONS = [Mutation(**each) for each in tomllib.load(_file)["mutation"]]


def prepared(folder: Path) -> Path:
    """Copy the project into a folder and build its core there; return the folder of the build."""
    names = ["CMakeLists.txt", "pyproject.toml"]
    for top in ("src", "tavli_fast", "tests"):
        names += [str(path.relative_to(ROOT)) for path in (ROOT / top).rglob("*") if path.is_file()]
    for name in names:
        if name.endswith((".so", ".pyc")):
            continue
        content, copy = (ROOT / name).read_bytes(), folder / name
        if not copy.exists() or copy.read_bytes() != content:  # else it would be built again
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(content)
            (folder / "tested").unlink(missing_ok=True)
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


def built(folder: Path, build: Path, modules: Sequence[str] = ()) -> str:
    """Build the core, or some modules, into the package; return what went wrong, or nothing."""
    command = ["ninja", "-C", str(build), *modules]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        return done.stdout[-2000:]
    for module in build.glob("*.so"):
        shutil.copy(module, folder / "tavli_fast" / "_core")
    return ""


def first_failure(folder: Path) -> str:
    """Run the fast tests of the core; return the first that fails, or nothing."""
    return failure_in(folder, TESTS[:1]) or failure_in(folder, TESTS[1:])


def failure_in(folder: Path, names: Sequence[str]) -> str:
    tests = [*(f"tests/{name}" for name in names), "-k", WANTED]
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


def mutated(mutation: Mutation) -> str:
    """Return a file with its error; a text that does not occur exactly once is a ValueError."""
    text = (ROOT / CORE / mutation.file).read_text(encoding="utf-8")
    found = text.count(mutation.text)
    if found != 1:
        raise ValueError(
            f"{mutation.name}: {mutation.text!r} occurs {found} times in {CORE / mutation.file}, "
            "expected once: adapt the mutation to the core"
        )
    return text.replace(mutation.text, mutation.replacement)


def main() -> None:
    """Try the mutations and report which survive."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", default="", metavar="WORD", help="those with this in the name")
    parser.add_argument("--list", action="store_true", help="print the mutations and stop")
    parser.add_argument("--folder", type=Path, help="build there, and keep it for the next run")
    options = parser.parse_args()
    chosen = [mutation for mutation in MUTATIONS if options.only in mutation.name]
    for mutation in chosen:
        mutated(mutation)  # before anything is built
    if options.list:
        print(*(f"{mutation.name}  ({mutation.file})" for mutation in chosen), sep="\n")
        return
    if options.folder:
        options.folder.mkdir(parents=True, exist_ok=True)
        sys.exit(tried(chosen, options.folder.resolve()))
    with tempfile.TemporaryDirectory() as name:
        sys.exit(tried(chosen, Path(name)))


def tried(mutations: list[Mutation], folder: Path) -> int:
    """Build and test each mutation; return how many survive."""
    build = prepared(folder)
    began = time.perf_counter()
    if not (folder / "tested").exists():
        if wrong := built(folder, build) or first_failure(folder):
            raise RuntimeError(f"without any mutation: {wrong}")
        (folder / "tested").touch()
    print(f"built and tested as it is, {time.perf_counter() - began:.0f} s", flush=True)
    survivors = []
    for mutation in mutations:
        began = time.perf_counter()
        with put_in(mutation, folder, build):
            if wrong := built(folder, build, MODULES):
                raise RuntimeError(f"{mutation.name}: it does not compile: {wrong}")
            failed = first_failure(folder)
        if not failed:
            survivors.append(mutation)
        seconds = time.perf_counter() - began
        print(f"{seconds:4.0f} s  {mutation.name}: {failed or 'SURVIVES'}", flush=True)
    print(f"{len(mutations)} mutations, {len(survivors)} survive")
    return len(survivors)


@contextmanager
def put_in(mutation: Mutation, folder: Path, build: Path) -> Iterator[None]:
    """Put a mutation into the copy of the core, and take it out again."""
    path = folder / CORE / mutation.file
    text, times = path.read_text(encoding="utf-8"), path.stat()
    kernel_alone = mutation.file not in INLINED
    path.write_text(mutated(mutation), encoding="utf-8")
    if kernel_alone:
        # With its old time the file does not make Ninja build the modules; the kernel it must.
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
        forget_kernel(build)
    try:
        yield
    finally:
        path.write_text(text, encoding="utf-8")
        if kernel_alone:
            os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
            forget_kernel(build)


def forget_kernel(build: Path) -> None:
    """Remove what has been compiled of the kernel."""
    for path in (build / "CMakeFiles" / "kernel.dir").rglob("*.o"):
        path.unlink()


if __name__ == "__main__":
    main()
