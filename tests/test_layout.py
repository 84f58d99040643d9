"""The order of the packages: who may import whom, read from the source by `ast`.

Every import counts, also those for type checkers and those inside functions.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
NAME = "tavli_fast"

FLOORS = (
    ("rules", "_core"),
    ("_common",),
    ("boards", "nets", "reference", "exact"),
    ("notation", "evaluation"),
    ("cube",),
    ("rollouts",),
    ("play", "training"),
    ("analysis", "envs"),
    ("connect",),
    ("cli",),
)
"""The packages: each imports from the floors below its own, and nothing else but errors.py, which
all may import."""

MOST_FLOORS_OF_MODULES = 19

FLOOR_OF = {package: floor for floor, packages in enumerate(FLOORS) for package in packages}


def module_name(path: Path) -> str:
    """Return the name by which a file of the package is imported."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in sorted((ROOT / NAME).rglob("*.py"))}


def imported(name: str) -> Iterator[tuple[str, str]]:
    """Yield what a module imports of this project: the module, and the name taken from it or ""."""
    for node in ast.walk(ast.parse(MODULES[name].read_text("utf-8"))):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == NAME:
                    yield alias.name, ""
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name} imports by a relative name"
            if (node.module or "").split(".")[0] != NAME:
                continue
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                if whole in MODULES:
                    yield whole, ""
                else:
                    yield str(node.module), alias.name


IMPORTS = {name: [*imported(name)] for name in MODULES}


def package_of(name: str) -> str:
    """Return the package that a module is in; "" for the public module and the program's start."""
    parts = name.split(".")
    return "" if len(parts) == 1 or parts[1] == "__main__" else parts[1]


def longest_chain(below: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Return the longest chain of imports; a circle is a ValueError."""
    open_: list[str] = []

    @cache
    def chain(node: str) -> tuple[str, ...]:
        if node in open_:
            raise ValueError("a circle: " + " > ".join([*open_[open_.index(node) :], node]))
        open_.append(node)
        longest = max((chain(other) for other in below.get(node, ())), key=len, default=())
        open_.pop()
        return (node, *longest)

    return max((chain(node) for node in below), key=len)


def test_every_package_has_its_floor() -> None:
    assert {package_of(name) for name in MODULES} == {"", "errors", *FLOOR_OF}
    assert len(FLOORS) <= 10
    assert not IMPORTS[f"{NAME}.errors"]


@pytest.mark.parametrize("package", FLOOR_OF)
def test_a_package_imports_only_from_the_floors_below(package: str) -> None:
    allowed = {each for each, floor in FLOOR_OF.items() if floor < FLOOR_OF[package]}
    wrong = [
        f"{name} imports {other}"
        for name in MODULES
        if package_of(name) == package
        for other, _ in IMPORTS[name]
        if package_of(other) not in {package, "errors", *allowed}
    ]
    assert wrong == []


def test_modules_import_in_no_circle_and_stand_on_few_floors() -> None:
    """Of the modules in packages; above them is only the one that passes their names on."""
    below = {
        name: sorted({other for other, _ in IMPORTS[name] if other != name and package_of(other)})
        for name in MODULES
        if package_of(name)
    }
    chain = longest_chain(below)
    assert len(chain) <= MOST_FLOORS_OF_MODULES, " > ".join(chain)


def test_no_package_takes_a_private_name_of_another() -> None:
    wrong = [
        f"{name} imports {taken} of {other}"
        for name in MODULES
        for other, taken in IMPORTS[name]
        if taken.startswith("_") and package_of(other) != package_of(name)
    ]
    assert wrong == []


def test_a_circle_is_found() -> None:
    with pytest.raises(ValueError, match="a circle: a > b > a"):
        longest_chain({"a": ["b"], "b": ["a"]})
    assert longest_chain({"a": ["b", "c"], "b": ["c"], "c": []}) == ("a", "b", "c")
