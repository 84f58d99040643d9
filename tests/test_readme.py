"""The examples of the README and of the documentation, run as they stand."""

import doctest
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

SHORTER = {
    "docs/training.md": [
        ("minutes=5", "games=300, measured=0"),
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
        ("docs/cube.md", 8),
        ("docs/match.md", 4),
        ("docs/training.md", 12),
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
