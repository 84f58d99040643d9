"""The examples of the README, of the documentation and of the docstrings, run as they stand."""

import doctest
import inspect
import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

import tavli_fast as tf

ROOT = Path(__file__).parent.parent

SHORTER = {
    "docs/training.md": [
        ("minutes=5", "games=300, measured=0"),
        ("rounds=4, hidden=256", "rounds=1, labels=1024"),
        ("trials=10_000", "trials=100"),
    ]
}
"""What is replaced in a page before it runs, because the whole would take minutes."""


@pytest.mark.parametrize(
    ("name", "least"),
    [
        ("README.md", 15),
        ("docs/evaluators.md", 8),
        ("docs/rollouts.md", 8),
        ("docs/connect.md", 4),
        ("docs/analysis.md", 8),
        ("docs/cube.md", 8),
        ("docs/exact.md", 5),
        ("docs/formats.md", 3),
        ("docs/match.md", 4),
        ("docs/reinforcement_learning.md", 12),
        ("docs/training.md", 14),
    ],
)
def test_examples(name: str, least: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    for long, short in SHORTER.get(name, []):
        assert long in text
        text = text.replace(long, short)
    monkeypatch.chdir(tmp_path)  # where the examples write their files
    examples = doctest.DocTestParser().get_doctest(text, {}, name, str(ROOT / name), 0)
    flags = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL
    found = doctest.DocTestRunner(optionflags=flags).run(examples)
    assert found.attempted > least
    assert found.failed == 0


def public_objects() -> list[object]:
    """Return the public functions and classes, those of its public modules too."""
    names = [getattr(tf, name) for name in tf.__all__]
    found = [each for each in names if inspect.isfunction(each) or inspect.isclass(each)]
    for module in (tf.reference, tf.connect, tf.envs):
        for name in module.__all__:
            with suppress(ImportError):  # the library that it is for is missing
                found.append(getattr(module, name))
    return [each for each in found if callable(each)]


def test_the_examples_of_docstrings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    flags = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL
    runner = doctest.DocTestRunner(optionflags=flags)
    for each in public_objects():
        for examples in doctest.DocTestFinder().find(each, globs={}):
            runner.run(examples)
    found = runner.summarize(verbose=False)
    assert found.attempted > 80
    assert found.failed == 0


@pytest.mark.parametrize(
    "function", [*filter(inspect.isfunction, public_objects())], ids=lambda each: each.__qualname__
)
def test_docstrings_name_every_argument(function: Callable[..., object]) -> None:
    arguments = inspect.signature(function).parameters
    text = inspect.getdoc(function) or ""
    assert [
        name for name in arguments if not re.search(rf"^    {name}: ", text, re.MULTILINE)
    ] == []


PAGES = [*sorted(ROOT.glob("*.md")), *sorted(ROOT.glob("docs/*.md"))]
FOLDERS = [
    ROOT / each
    for each in (
        ".",
        "docs",
        "src/tavli_fast/_core",
        "tavli_fast",
        "tavli_fast/reference",
        "tests",
        "tests/support",
    )
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_files_named_in_a_page_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    files = re.findall(r"`([\w./-]+\.(?:py|pyi|pyx|pxd|h|c|jsonl|txt|svg|md))`", text)
    links = re.findall(r"\]\((?!http)([^)#]+)\)", text)
    missing = [each for each in files if not any((folder / each).exists() for folder in FOLDERS)]
    missing += [each for each in links if not (page.parent / each).exists()]
    assert missing == []
