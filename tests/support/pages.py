"""The pages of the documentation: their blocks of code, links and headings."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
PAGES = [
    *sorted(ROOT.glob("*.md")),
    ROOT / "conformance/README.md",
    *sorted(ROOT.glob("docs/**/*.md")),
]
NOTEBOOKS = sorted(ROOT.glob("docs/notebooks/*.py"))

_BLOCK = re.compile(
    r"^(?:<!-- (?P<mark>.*) -->\n)?```(?P<language>\w*)\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True)
class Block:
    """A block of code."""

    language: str
    text: str
    mark: str
    """What a comment on the line before says, as in ``<!-- needs: gymnasium -->``."""


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def blocks(text: str) -> list[Block]:
    """Return the blocks of code of a page's text."""
    return [
        Block(found["language"], found["text"], found["mark"] or "")
        for found in _BLOCK.finditer(text)
    ]


def prose(page: Path) -> str:
    """Return a page without its blocks of code; of a notebook, the cells of text."""
    text = page.read_text(encoding="utf-8")
    if page.suffix == ".py":
        cells = [cell for cell in text.split("# %%") if cell.startswith(" [markdown]")]
        return re.sub(r"^# ?", "", "".join(cells), flags=re.MULTILINE)
    return _BLOCK.sub("", text)


def links(page: Path) -> list[tuple[str, str]]:
    """Return the targets of a page's links into the project, as (file, anchor)."""
    found = re.findall(r"\]\((?!https?:)([^()#\s]*)(?:#([^()\s]*))?\)", prose(page))
    return [(target, anchor) for target, anchor in found if target or anchor]


def anchors(page: Path) -> set[str]:
    """Return what a link can lead to on a page: its headings, and names of the package."""
    text = prose(page)
    found: set[str] = set()
    for heading in re.findall(r"^#+ (.+)$", text, re.MULTILINE):
        slug = re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")
        number = sum(1 for each in found if re.fullmatch(rf"{re.escape(slug)}(-\d+)?", each))
        found.add(f"{slug}-{number}" if number else slug)
    return found | set(re.findall(r"^::: (\S+)$", text, re.MULTILINE))
