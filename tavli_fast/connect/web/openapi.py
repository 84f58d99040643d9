"""The OpenAPI document of the server, and a page that shows it without any other site."""

from __future__ import annotations

import html
import json
from typing import Any

from tavli_fast._common.version import version
from tavli_fast.connect.web.answers import ANSWERS
from tavli_fast.connect.web.bep import BEP
from tavli_fast.connect.web.fields import schema_of
from tavli_fast.connect.web.rollouts import ABOUT, ROLLOUT_FIELDS

__all__ = ["document", "page"]

_ERROR = {
    "description": "The request cannot be answered.",
    "content": {
        "application/json": {
            "schema": {
                "type": "object",
                "properties": {
                    "error": {
                        "type": "object",
                        "properties": {
                            "code": {"type": "string"},
                            "message": {"type": "string"},
                            "field": {"type": "string"},
                        },
                        "required": ["code", "message"],
                    }
                },
                "required": ["error"],
            }
        }
    },
}


def _operation(about: str, schema: dict[str, Any] | None, kind: str) -> dict[str, Any]:
    """Return one operation of the document."""
    answers = {"200": {"description": "The answer.", "content": {kind: {}}}, "default": _ERROR}
    found: dict[str, Any] = {"summary": about, "responses": answers}
    if schema is not None:
        body = {"required": True, "content": {"application/json": {"schema": schema}}}
        found["requestBody"] = body
    return found


def document() -> dict[str, Any]:
    """Return the OpenAPI 3.1 document."""
    json_ = "application/json"
    paths = {
        path: {"post": _operation(each.about, schema_of(each.fields), json_)}
        for path, each in ANSWERS.items()
    }
    rollout = _operation(ABOUT, schema_of(ROLLOUT_FIELDS), "application/x-ndjson")
    paths["/rollouts"] = {"post": rollout}
    paths["/games"] = {"get": _operation("The games, by name and TFID letter.", None, json_)}
    bep = "Nodots Backgammon Engine Protocol, version 1"
    for path in BEP:
        paths[path] = {"post": _operation(bep, {"type": "object"}, json_)}
    paths["/v1/health"] = {"get": _operation(bep, None, json_)}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "tavli_fast",
            "version": version(),
            "description": "Plays, evaluations, cube decisions and rollouts of tavli games.",
        },
        "paths": paths,
    }


def page() -> str:
    """Return a page of HTML that lists the paths and their fields."""
    parts = []
    for path, methods in document()["paths"].items():
        for method, operation in methods.items():
            parts.append(f"<h2>{method.upper()} {html.escape(path)}</h2>")
            parts.append(f"<p>{html.escape(operation['summary'])}</p>")
            content = operation.get("requestBody", {}).get("content", {})
            schema = content.get("application/json", {}).get("schema", {})
            for name, field in schema.get("properties", {}).items():
                about = html.escape(field.pop("description"))
                rest = html.escape(json.dumps(field))
                parts.append(f"<p><b>{name}</b>: {about} <code>{rest}</code></p>")
    return (
        "<!doctype html><html lang=en><meta charset=utf-8><title>tavli_fast</title><body>"
        "<h1>tavli_fast</h1><p>All requests and answers are JSON; "
        "<a href='/openapi.json'>the OpenAPI document</a>.</p>" + "".join(parts)
    )
