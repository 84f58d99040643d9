"""The examples of the README, of the documentation and of the docstrings, run as they stand."""

import doctest
import inspect
import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from pages import PAGES, Block, blocks, name_of

import tavli_fast as tf

SHORTER = {
    "docs/training.md": [
        ("minutes=5", "games=300, measured=0"),
        ("rounds=4, hidden=256", "rounds=1, labels=1024"),
        ("trials=10_000", "trials=100"),
    ],
    "docs/rules.md": [("random_boards(300", "random_boards(20")],
    "docs/statistics.md": [
        ('trials = 2_000 if name == "gul_bara" else 100_000', "trials = 20"),
        ("trials=200_000", "trials=3000"),
    ],
}
"""What is replaced in a page before it runs, because the whole would take minutes."""


def shortened(page: Path) -> str:
    """Return the text of a page as it is run."""
    text = page.read_text(encoding="utf-8")
    for long, short in SHORTER.get(name_of(page), []):
        assert long in text
        text = text.replace(long, short)
    return text


@pytest.mark.parametrize(
    "page", [each for each in PAGES if ">>> " in each.read_text()], ids=name_of
)
def test_examples(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # where the examples write their files
    text = shortened(page)
    examples = doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)
    flags = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL
    found = doctest.DocTestRunner(optionflags=flags).run(examples)
    skipped = [each for each in examples.examples if each.options.get(doctest.SKIP)]
    assert found.attempted + len(skipped) == len(re.findall(r"^ *>>> ", text, re.MULTILINE))
    assert found.failed == 0


def scripts(text: str) -> list[Block]:
    """Return the blocks of Python that are no examples with their results."""
    return [each for each in blocks(text) if each.language == "python" and ">>> " not in each.text]


@pytest.mark.parametrize("page", [each for each in PAGES if scripts(each.read_text())], ids=name_of)
def test_scripts(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for block in scripts(shortened(page)):
        if block.mark:
            for library in block.mark.removeprefix("needs: ").split(", "):
                pytest.importorskip(library)
        exec(compile(block.text, str(page), "exec"), names)
    assert "tf" in names


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
