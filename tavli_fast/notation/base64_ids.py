"""Bytes as GNU Backgammon's IDs write them: base64 without padding."""

from __future__ import annotations

import base64
import re

from tavli_fast.boards.id_text import refuse


def encoded(data: bytes) -> str:
    """Return bytes as the characters of an ID."""
    return base64.b64encode(data).decode("ascii").rstrip("=")


def decoded(text: str, length: int, name: str) -> bytes:
    """Return the bytes of an ID of so many characters; `name` is what it is called in messages.

    Raises:
        NotationError: another length, a foreign character, or bits that no field has.
    """
    if not isinstance(text, str):
        refuse(name, f"expected a str of {length} characters")
    text = text.strip()
    if foreign := re.search(r"[^A-Za-z0-9+/]", text):
        refuse(name, f"the character {foreign[0]!r}: expected only A-Z, a-z, 0-9, + and /")
    if len(text) != length:
        refuse(name, f"{len(text)} characters: expected {length}")
    data = base64.b64decode(text + "=" * (-length % 4))
    # The last character may hold more bits than the last byte takes.
    if encoded(data) != text:
        refuse(name, f"the last character {text[-1]!r} sets bits that no field has: expected zero")
    return data
