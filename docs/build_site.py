"""Build the site of the documentation, build/docs/site: `python docs/build_site.py`.

The pages in docs/ can be read on GitHub too, and link to files outside of docs/. Here they are
copied to build/docs/pages together with the README, CONTRIBUTING, CHANGELOG, the examples and the
notebooks, which are run; links between all of these are rewritten. Zensical makes the site of that.
A broken link, a name that cannot be found, an error in a notebook, or a page that loads something
from another host is an error.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import run_notebook
from link_names import with_names

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
BUILD = ROOT / "build" / "docs"
PAGES = BUILD / "pages"
SITE = BUILD / "site"

ELSEWHERE = {
    "README.md": "tour.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "conformance/README.md": "conformance.md",
    "tavli_fast/reference": "api/reference.md",
}
"""Files outside of docs/, and the pages that show them."""

LINK = re.compile(r"(?<=\]\()([^()#\s]*)(#[^()\s]*)?(?=\))")
FILE_NAME = re.compile(r"\[[\w/]+\.md\](?=\(([^()#\s]+))")
HEADED = re.compile(r"^(#)?.+$", re.MULTILINE)
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)

FETCHED = re.compile(r"""<(?:script|link|img|iframe)[^>]*=["']?https?:[^>]*>|url\(["']?https?:""")


def sources() -> dict[Path, str]:
    """Return the files that become pages, and the names of the pages."""
    found = {page: page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md")}
    found |= {ROOT / file: page for file, page in ELSEWHERE.items()}
    for script in [*DOCS.glob("notebooks/*.py"), *ROOT.glob("examples/*.py")]:
        found[script] = f"{script.parent.name}/{script.stem}.md"
    return found


def with_links(text: str, source: Path, pages: dict[Path, str]) -> str:
    """Return the text of a page in which links lead to pages, and public names to docs/api.

    Links that show the name of a file, as on GitHub, show the title of its page instead.

    Args:
        text: the text of the source.
        source: where the links are relative to.
        pages: what `sources` returns.
    """

    def title(found: re.Match[str]) -> str:
        path = (source.parent / found[1]).resolve()
        heading = re.match(r"# (.+)", path.read_text(encoding="utf-8")) if path in pages else None
        return f"[{heading[1]}]" if heading else found[0]

    def link(found: re.Match[str]) -> str:
        target, anchor = found[1], found[2] or ""
        path = (source.parent / target).resolve()
        if not target or target.startswith(("http:", "https:", "mailto:")) or path not in pages:
            return found[0]  # what is no page is left to Zensical, which checks it
        start = Path(pages[source]).parent
        return Path(os.path.relpath(pages[path], start)).as_posix() + anchor

    parts, end = [], 0
    for block in [*FENCE.finditer(text), None]:
        prose = FILE_NAME.sub(title, text[end : block.start() if block else None])
        prose = LINK.sub(link, prose)
        parts.append(HEADED.sub(lambda line: line[0] if line[1] else with_names(line[0]), prose))
        if block:
            parts.append(re.sub(r"^```python(?=\n>>> )", "```pycon", block[0]))
            end = block.end()
    return "".join(parts)


def example(script: Path) -> str:
    """Return a page that shows a script.

    Args:
        script: a file of examples/.
    """
    return f"# `{script.name}`\n\n```python\n{script.read_text(encoding='utf-8').rstrip()}\n```\n"


def page_texts(pages: dict[Path, str]) -> Iterator[tuple[str, str]]:
    """Yield the pages as (name, text).

    Args:
        pages: what `sources` returns.
    """
    notebooks = [each for each in pages if each.parent.name == "notebooks"]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        run = dict(zip(notebooks, pool.map(run_notebook.run, notebooks), strict=True))
    for source, name in pages.items():
        if source in run:
            text = run_notebook.page(run[source])
        elif source.parent.name == "examples":
            text = example(source)
        elif source.is_file():
            text = source.read_text(encoding="utf-8")
        else:
            continue
        yield name, with_links(text, source, pages)


def fetched_elsewhere() -> list[str]:
    """Return the pages that load something from another host, with what they load."""
    files = [*SITE.rglob("*.html"), *SITE.rglob("*.css")]
    return [
        f"{file.relative_to(SITE)}: {found[0]}"
        for file in files
        for found in FETCHED.finditer(file.read_text(encoding="utf-8"))
    ]


def build() -> str | None:
    """Build the site, and return why it is not as it should be, or None."""
    if BUILD.exists():
        shutil.rmtree(BUILD)
    shutil.copytree(DOCS / "img", PAGES / "img")
    shutil.copy(DOCS / "site.css", PAGES)
    shutil.copy(DOCS / "zensical.toml", BUILD)
    for name, text in page_texts(sources()):
        page = PAGES / name
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(text, encoding="utf-8")
    made = subprocess.run(
        [sys.executable, "-m", "zensical", "build", "--strict"], cwd=BUILD, check=False
    )
    if made.returncode:
        return "Zensical has found something wrong"
    return "\n".join(fetched_elsewhere()) or None


if __name__ == "__main__":
    sys.exit(build())
