"""The README's examples, run as they stand."""

import doctest
from pathlib import Path


def test_readme() -> None:
    path = Path(__file__).parent.parent / "README.md"
    flags = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL
    found = doctest.testfile(str(path), module_relative=False, optionflags=flags)
    assert found.attempted > 15
    assert found.failed == 0
