"""Links of the documentation, the files that it names, and the names of the package in docs/api."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pages import NOTEBOOKS, PAGES, ROOT, anchors, links, name_of, prose

import tavli_fast as tf

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


@pytest.mark.parametrize("page", [*PAGES, *NOTEBOOKS], ids=name_of)
def test_links_lead_somewhere(page: Path) -> None:
    wrong = []
    for target, anchor in links(page):
        file = page.parent / target if target else page
        if not file.exists() or (anchor and anchor not in anchors(file)):
            wrong.append(f"{target}#{anchor}")
    assert wrong == []


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_files_named_in_a_page_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    files = re.findall(r"`([\w./-]+\.(?:py|pyi|pyx|pxd|h|c|jsonl|txt|svg|md))`", text)
    folders = [*FOLDERS, page.parent]
    missing = [each for each in files if not any((folder / each).exists() for folder in folders)]
    assert missing == []


@pytest.mark.parametrize("page", [*PAGES, *NOTEBOOKS], ids=name_of)
def test_lists_in_lists_are_indented_by_four(page: Path) -> None:
    """GitHub takes less, the site does not."""
    assert re.findall(r"^ {1,3}(?:[-*]|\d+\.) .*$", prose(page), re.MULTILINE) == []


def listed(page: Path) -> list[str]:
    """Return the names that a page of docs/api shows with their docstrings."""
    text = page.read_text(encoding="utf-8")
    return re.findall(r"^::: tavli_fast\.(\S+)$", text, re.MULTILINE)


API = [page for page in PAGES if page.parent.name == "api" and page.name != "index.md"]


def test_every_public_name_is_on_one_page_of_the_reference() -> None:
    modules = {"connect": tf.connect, "envs": tf.envs, "reference": tf.reference}
    public = [*tf.__all__]
    for name, module in modules.items():
        public += [f"{name}.{each}" for each in module.__all__]
    assert sorted(name for page in API for name in listed(page)) == sorted(public)


def test_the_list_of_all_names_is_complete() -> None:
    found = links(ROOT / "docs/api/index.md")
    linked = {(target, anchor) for target, anchor in found if anchor}
    assert linked == {(page.name, f"tavli_fast.{name}") for page in API for name in listed(page)}


@pytest.mark.parametrize("page", API, ids=name_of)
def test_each_page_of_the_reference_uses_its_names(page: Path) -> None:
    """The examples of pages and docstrings run in test_readme.py."""
    text = page.read_text(encoding="utf-8")
    used = [
        name
        for name in listed(page)
        if re.search(rf"\btf\.{re.escape(name)}\b", text)
        or ">>> " in (getattr(used_by(name), "__doc__", "") or "")
    ]
    assert ">>> " in text
    assert [name for name in listed(page) if name not in used] == []


def used_by(name: str) -> object:
    """Return a public object; None if the library that it is for is missing."""
    found: object = tf
    for part in name.split("."):
        try:
            found = getattr(found, part)
        except ImportError:
            return None
    return found
