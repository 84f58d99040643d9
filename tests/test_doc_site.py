"""The site of the documentation, and its notebooks, which are run. Needs the extra docs."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from pages import NOTEBOOKS, ROOT, name_of


@pytest.fixture(scope="module")
def site() -> Any:
    for library in ("griffe", "jupytext", "nbclient"):
        pytest.importorskip(library)
    import build_site

    return build_site


def entries(nav: Any) -> list[str]:
    """Return the pages of a menu and of the menus in it."""
    if isinstance(nav, str):
        return [nav]
    return [
        page for each in (nav.values() if isinstance(nav, dict) else nav) for page in entries(each)
    ]


def test_each_page_of_the_site_is_in_its_menu_once(site: Any) -> None:
    settings = tomllib.loads((ROOT / "docs/zensical.toml").read_text(encoding="utf-8"))
    shown = {page for source, page in site.sources().items() if source.is_file()}
    assert sorted(entries(settings["project"]["nav"])) == sorted(shown)


def test_links_of_the_site(site: Any) -> None:
    pages = {ROOT / "README.md": "tour.md", ROOT / "docs/cube.md": "cube.md"}
    text = "[a](docs/cube.md#units), `tf.rollout`, `start`\n```python\n>>> [a](docs/cube.md)\n```\n"
    assert site.with_links(text, ROOT / "README.md", pages) == (
        "[a](cube.md#units), [`tf.rollout`][tavli_fast.rollout], `start`\n"
        "```pycon\n>>> [a](docs/cube.md)\n```\n"
    )
    assert site.with_links("[b](../README.md)", ROOT / "docs/cube.md", pages) == "[b](tour.md)"
    titled = site.with_links("[docs/cube.md](docs/cube.md)", ROOT / "README.md", pages)
    assert titled == "[The doubling cube and match equity](cube.md)"


def test_what_the_site_fetches_from_another_host_is_found(
    site: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(site, "SITE", tmp_path)
    here = '<a href="https://example.org">a</a><script src="a.js"></script>'
    (tmp_path / "here.html").write_text(here, encoding="utf-8")
    assert site.fetched_elsewhere() == []
    (tmp_path / "there.html").write_text(
        '<script src="https://example.org/a.js">', encoding="utf-8"
    )
    (tmp_path / "there.css").write_text("a { src: url(https://example.org/f) }", encoding="utf-8")
    assert len(site.fetched_elsewhere()) == 2


@pytest.mark.filterwarnings("default")  # of the libraries that run notebooks
@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=name_of)
def test_notebooks(site: Any, notebook: Path) -> None:
    done = site.run_notebook.run(notebook)
    cells = [cell for cell in done.cells if cell.cell_type == "code"]
    assert len(cells) >= 5
    assert sum(bool(cell.outputs) for cell in cells) >= 5
    page = site.run_notebook.page(done)
    assert page.startswith("# ")
    assert page.count("```{ .python }") == len(cells)
