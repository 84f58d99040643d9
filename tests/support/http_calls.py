"""Calls of the HTTP application: in this process, without a socket, or over one."""

from __future__ import annotations

import asyncio
import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from processes import COMMAND, interruptible


def call(app: Any, method: str, path: str, body: bytes | dict[str, Any] = b"") -> tuple[int, Any]:
    """Return the status and the JSON (or the lines of JSON) of a call of an ASGI application."""
    data = json.dumps(body).encode() if isinstance(body, dict) else body
    sent: list[dict[str, Any]] = []

    async def run() -> None:
        asked = False

        async def receive() -> dict[str, Any]:
            nonlocal asked
            if asked:
                await asyncio.sleep(3600)
            asked = True
            return {"type": "http.request", "body": data, "more_body": False}

        async def send(message: dict[str, Any]) -> None:
            sent.append(message)

        scope = {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.4"},
            "http_version": "1.1",
            "method": method,
            "path": path,
            "raw_path": path.encode(),
            "query_string": b"",
            "headers": [(b"content-length", str(len(data)).encode())],
            "scheme": "http",
            "server": ("testserver", 80),
            "client": ("testclient", 1),
            "root_path": "",
        }
        await app(scope, receive, send)

    asyncio.run(run())
    text = b"".join(message.get("body", b"") for message in sent).decode()
    kind = dict(sent[0]["headers"])[b"content-type"].decode()
    if "ndjson" in kind:
        return sent[0]["status"], [json.loads(line) for line in text.splitlines()]
    return sent[0]["status"], json.loads(text) if "json" in kind else text


@contextmanager
def http_server(*options: str) -> Iterator[tuple[int, subprocess.Popen[str]]]:
    """Run the program as a server; yield its port and its process."""
    with interruptible():
        child = subprocess.Popen(
            [*COMMAND, "serve", "http", "--port", "0", *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert child.stdout is not None
    try:
        line = child.stdout.readline()
        assert "Listening" in line, line
        yield int(line.strip().rpartition(":")[2]), child
    finally:
        child.terminate()
        child.communicate(timeout=60)


async def exchange(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, path: str, body: dict[str, Any]
) -> tuple[int, Any]:
    """Post one request on an open connection; return the status and the JSON of the answer."""
    data = json.dumps(body).encode()
    head = f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(data)}\r\n\r\n"
    writer.write(head.encode() + data)
    status = int((await reader.readline()).split()[1])
    length = 0
    while line := (await reader.readline()).strip():
        name, _, value = line.decode().partition(":")
        if name.lower() == "content-length":
            length = int(value)
    return status, json.loads(await reader.readexactly(length))
