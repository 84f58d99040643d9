"""Names in backquotes become links to their place in docs/api: in pages, and in docstrings.

For docstrings this is an extension of griffe, which reads them for mkdocstrings.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import griffe

API = Path(__file__).resolve().parent / "api"
LISTED = re.compile(r"^::: tavli_fast\.(\S+)", re.MULTILINE)
NAME = re.compile(r"(?<![`\[])`(?:tf\.)?([A-Za-z_][\w.]*)`(?!`)")
PLAIN = re.compile(r"`[a-z]+`")
"""A name that may as well be a word of the language, or an argument."""
PAGE = re.compile(r"(?<![\w/`])docs/(\w+)\.md")


@cache
def listed() -> frozenset[str]:
    """Return the names that the pages of docs/api list."""
    texts = (page.read_text(encoding="utf-8") for page in API.glob("*.md"))
    return frozenset(name for text in texts for name in LISTED.findall(text))


def with_names(text: str, plain: bool = False) -> str:
    """Return a text in which public names are links.

    Args:
        text: Markdown without blocks of code.
        plain: whether a name in small letters alone is one too, without `tf.` before it.
    """

    def link(found: re.Match[str]) -> str:
        known = found[1] if found[1] in listed() else found[1].rpartition(".")[0]
        if known not in listed() or (PLAIN.fullmatch(found[0]) and not plain):
            return found[0]
        return f"[{found[0]}][tavli_fast.{known}]"

    return NAME.sub(link, text)


class LinkNames(griffe.Extension):
    """Puts the links into the docstrings of all objects, before they are parsed.

    Where the default of an argument is a constant, it is shown by its value.
    """

    def on_object(self, *, obj: griffe.Object, **_kwargs: Any) -> None:
        """Change the docstring of an object.

        Args:
            obj: a module, a class, a function or an attribute.
        """
        if obj.docstring is not None:
            text = with_names(obj.docstring.value, plain=True)
            obj.docstring.value = PAGE.sub(r"[docs/\1.md](../\1.md)", text)

    def on_function(self, *, func: griffe.Function, **_kwargs: Any) -> None:
        """Change the defaults of a function's arguments.

        Args:
            func: the function.
        """
        for argument in func.parameters:
            if isinstance(argument.default, griffe.ExprName):
                try:
                    module = import_module(func.module.path)
                except ImportError:  # it is for a library that is missing
                    return
                value = getattr(module, argument.default.name, None)
                if isinstance(value, int | float | str) and not isinstance(value, bool):
                    argument.default = repr(value)
