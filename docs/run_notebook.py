"""Run a notebook of docs/notebooks and write it as a page of Markdown, with its outputs."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import jupytext
from nbclient import NotebookClient

TIMEOUT = 120
"""Seconds for a cell, on a busy machine."""


def run(path: Path) -> Any:
    """Return the notebook of a script in the percent format, with the outputs of its cells.

    Args:
        path: the script.

    Raises:
        CellExecutionError: a cell raised an exception.
    """
    notebook = jupytext.read(path, fmt="py:percent")
    with tempfile.TemporaryDirectory() as folder:  # where its cells write files
        NotebookClient(
            notebook,
            timeout=TIMEOUT,
            startup_timeout=TIMEOUT,
            resources={"metadata": {"path": folder}},
            extra_arguments=["--IPKernelApp.log_level=40"],  # nothing but errors
        ).execute()
    return notebook


def page(notebook: Any) -> str:
    """Return a notebook as Markdown.

    Args:
        notebook: what `run` returns.
    """
    return "\n\n".join(text for cell in notebook.cells for text in cell_texts(cell)) + "\n"


def cell_texts(cell: Any) -> list[str]:
    """Return the pieces of Markdown for a cell: its text, or its code and what that has shown.

    Args:
        cell: a cell of a notebook.
    """
    if cell.cell_type != "code":
        return [cell.source]
    return [fenced(cell.source, ".python"), *map(shown, cell.outputs)]


def shown(output: Any) -> str:
    """Return an output as Markdown: a picture as it is, and text in a block.

    Args:
        output: one output of a cell.
    """
    if output.output_type == "stream":
        return fenced(output.text, ".text .output")
    for kind in ("text/html", "image/svg+xml"):
        if kind in output.data:
            return f'<div class="output">{output.data[kind]}</div>'
    return fenced(output.data["text/plain"], ".text .output")


def fenced(text: str, classes: str) -> str:
    """Return a block of code.

    Args:
        text: what is in the block.
        classes: the language of the text, for its colours, and other classes for the style sheet.
    """
    return f"```{{ {classes} }}\n{text.rstrip()}\n```"
