"""The examples of the README and of the documentation, run as they stand."""

import doctest
from pathlib import Path

import pytest


@pytest.mark.parametrize(
    ("name", "least"), [("README.md", 15), ("docs/evaluators.md", 8), ("docs/rollouts.md", 8)]
)
def test_examples(name: str, least: int) -> None:
    path = Path(__file__).parent.parent / name
    flags = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL
    found = doctest.testfile(str(path), module_relative=False, optionflags=flags)
    assert found.attempted > least
    assert found.failed == 0
