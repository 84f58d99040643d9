"""The names of the package: imported when asked for, and the same for readers and type checkers."""

from __future__ import annotations

import ast
import subprocess
import sys
from importlib import import_module
from inspect import getsource

import pytest

import tavli_fast as tf
from tavli_fast.rules.games import GAMES
from tavli_fast.rules.presets import RULES

PACKAGES = [
    "boards",
    "connect",
    "cube",
    "evaluation",
    "nets",
    "notation",
    "play",
    "rollouts",
    "rules",
    "training",
]


def test_dir_shows_every_public_name_before_it_is_used() -> None:
    code = (
        "import tavli_fast as tf\n"
        "assert set(tf.__all__) <= set(dir(tf))\n"
        "import sys\n"
        "print('start' in vars(tf), 'tavli_fast.boards' in sys.modules)"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "False False"


def test_every_public_name_is_there() -> None:
    for name in tf.__all__:
        assert getattr(tf, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        tf.nothing  # noqa: B018


def test_type_checkers_see_the_names_of_the_table() -> None:
    block = next(
        node
        for node in ast.parse(getsource(tf)).body
        if isinstance(node, ast.If) and getattr(node.test, "id", "") == "_TYPE_CHECKING"
    )
    seen = {
        (node.module, alias.name)
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    table = {
        (f"tavli_fast.{module}", name) for module, names in tf._MODULES.items() for name in names
    }
    modules = ("connect", "envs", "reference")
    assert seen == table | {("tavli_fast", name) for name in modules}
    assert sorted(name for _, name in seen) == sorted(tf.__all__)


@pytest.mark.parametrize("package", PACKAGES)
def test_packages_have_their_main_names(package: str) -> None:
    module = import_module(f"tavli_fast.{package}")
    for name in module.__all__:
        assert getattr(module, name) is getattr(tf, name, getattr(module, name))


def test_the_table_of_presets_names_each_once() -> None:
    assert [game.name for game in GAMES] == list(RULES)
    assert len({game.letter for game in GAMES}) == len(GAMES)
    assert all(getattr(tf, game.name.upper()) is RULES[game.name] for game in GAMES)
