"""Options of the test run, and what holds for all of it."""

import atexit
import os
import shutil
import tempfile

import pytest
from hypothesis import settings

# Interpreters that tests start would look in the checkout first, which has no compiled core.
os.environ["PYTHONSAFEPATH"] = "1"

# Tables are kept here, by interpreters that tests start too, and not in the user's folder.
if "TAVLI_FAST_CACHE" not in os.environ:
    os.environ["TAVLI_FAST_CACHE"] = tempfile.mkdtemp(prefix="tavli_fast-")
    atexit.register(shutil.rmtree, os.environ["TAVLI_FAST_CACHE"], ignore_errors=True)

settings.register_profile("default", deadline=None, print_blob=True)
settings.load_profile("default")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--run-slow", action="store_true", help="run the tests that take minutes")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("--run-slow"):
        for item in items:
            if "slow" in item.keywords:
                item.add_marker(pytest.mark.skip(reason="takes minutes: use --run-slow"))
