"""The page of an analysis: by itself, and in a browser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cli_calls import shown
from match_files import match_files

import tavli_fast as tf

CHROMIUM = Path("/usr/bin/chromium")


@pytest.fixture(scope="module")
def found() -> tf.MatchAnalysis:
    text = match_files("galaxy")["g010.txt"].decode().replace("AAAA", "<b>A&amp")
    return tf.analyse(tf.read_mat(text, strict=False))


def test_the_page_needs_nothing_else(found: tf.MatchAnalysis) -> None:
    page = found.html()
    assert page.startswith("<!DOCTYPE html>\n")
    assert "default-src 'none'" in page
    assert not re.search(r'(?:src|href)="(?!#)', page)
    assert "<b>A" not in page
    assert "&lt;b&gt;A&amp;amp" in page
    errors = [each for each in found.decisions if each.error >= 0.02]
    assert page.count("<article") == len(errors)
    assert page.count("<article") == page.count('<a href="#d')
    assert page.count('<tr data-n="') >= len(errors)
    assert len(page) < 400_000
    notebook = found._repr_html_()
    assert notebook.count("<svg") == 3
    assert "<style" not in notebook


def test_games_without_a_cube_and_none_at_all() -> None:
    session = tf.Session("plakoto", seed=1)
    session.play_out("net", "random", max_games=1)
    page = tf.analyse(session).html()
    assert "Equity of Player 1, points" in page
    assert "No error of 0.02 or more" in tf.analyse(tf.Session("fevga", seed=1)).html()


def test_the_command_writes_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("m.mat").write_bytes(match_files("galaxy")["g010.txt"])
    shown("analyse", "m.mat", "--html", "m.html", "--worst", "0")
    assert Path("m.html").read_text() == tf.analyse(tf.read_match("m.mat")).html()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if not CHROMIUM.exists():
        pytest.skip("Chromium is not installed")
    with playwright.sync_playwright() as driver:
        running = driver.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox"])
        yield running
        running.close()


@pytest.mark.parametrize(("width", "scheme"), [(1200, "light"), (360, "dark")])
def test_in_a_browser(
    browser: Any, found: tf.MatchAnalysis, tmp_path: Path, width: int, scheme: str
) -> None:
    file = tmp_path / "page.html"
    file.write_text(found.html(), encoding="utf-8")
    context = browser.new_context(
        viewport={"width": width, "height": 800}, color_scheme=scheme, offline=True
    )
    page = context.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(file.as_uri())
    # Nothing is wider than the screen.
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert paper == ("rgb(21, 24, 28)" if scheme == "dark" else "rgb(255, 255, 255)")
    # Sorted by what was lost, by the keyboard.
    lost = page.locator("#decisions thead button").nth(6)
    lost.focus()
    page.keyboard.press("Enter")
    cells = page.locator("#decisions tbody tr td:nth-child(7)")
    values = [float(cell.get_attribute("data-v")) for cell in cells.all()]
    assert values == sorted(values, reverse=True)
    assert values[0] == pytest.approx(max(each.error for each in found.decisions), abs=1e-6)
    page.keyboard.press("Enter")
    assert float(cells.first.get_attribute("data-v")) == min(values)
    # One player, errors alone.
    page.select_option("#who", "0")
    page.select_option("#what", "errors")
    seen = page.locator("#decisions tbody tr:visible")
    errors = [each for each in found.decisions if each.player == 0 and each.error > 0]
    assert seen.count() == len(errors)
    # From the table to the board, and on to the next by a key.
    page.select_option("#who", "")
    page.locator("#decisions tbody tr:visible a").first.click()
    assert page.url.partition("#")[2].startswith("d")
    page.evaluate("location.hash = ''; document.activeElement.blur()")
    page.keyboard.press("n")
    first, second = page.locator("article").nth(0), page.locator("article").nth(1)
    page.wait_for_url(f"**#{first.get_attribute('id')}", timeout=5000)
    page.keyboard.press("n")
    page.wait_for_url(f"**#{second.get_attribute('id')}", timeout=5000)
    box = first.locator("svg").bounding_box()
    assert 250 < box["width"] <= width
    assert said == []
    context.close()
