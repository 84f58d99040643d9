"""Serving a protocol of text lines over TCP: limits for every connection, and a clean end."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from typing import Final

__all__ = ["Bye", "LineLimits", "LineServer", "TooLongError", "read_line", "stop_signals"]

_CHUNK: Final = 1 << 14


@dataclass(frozen=True)
class LineLimits:
    """What a connection may cost."""

    line: int = 4096
    """Bytes of a line; a client that sends more without a line end is dropped."""
    connections: int = 64
    """Connections at the same time; further ones are closed at once."""
    idle: float = 3600.0
    """Seconds without a request after which a connection is closed."""
    half_line: float = 30.0
    """Seconds in which a line that has begun must end, and an answer be taken."""
    bad_lines: int = 20
    """Lines in a row that cannot be read, after which a client is dropped."""


class TooLongError(ValueError):
    """A line is longer than the limit."""


class Bye(Exception):  # noqa: N818 (no error: the client has asked for the end)
    """Ends a connection, after a last text."""


async def read_line(
    reader: asyncio.StreamReader, buffer: bytearray, limits: LineLimits
) -> bytes | None:
    """Return the next line without its end; None once the client is gone.

    Args:
        reader: where to read.
        buffer: what has been read of following lines; kept between calls.
        limits: the longest line, and how long to wait.

    Raises:
        TooLongError: the line is too long.
        TimeoutError: nothing came in time, or the line did not end.
    """
    while (end := buffer.find(b"\n")) < 0:
        if len(buffer) > limits.line:
            raise TooLongError
        wait = limits.half_line if buffer else limits.idle
        block = await asyncio.wait_for(reader.read(_CHUNK), wait)
        if not block:
            return None
        # GNU Backgammon ends each line with a zero byte too.
        buffer += block.replace(b"\0", b"")
    if end > limits.line:
        raise TooLongError
    line = bytes(buffer[:end]).rstrip(b"\r")
    del buffer[: end + 1]
    return line


class LineServer:
    """Answers lines of text with text: each connection on its own, none can stop another.

    Args:
        connect: called for each new connection; returns the coroutine that answers its lines, with
            the text to send, "" for an empty line, or None for nothing at all. A ValueError from it
            counts as a bad line: `complain` makes the answer. `Bye` ends the connection.
        complain: makes the answer to a bad line, or None to drop the client.
        limits: what a connection may cost.
        greeting: what a client is sent first.
    """

    def __init__(
        self,
        connect: Callable[[], Callable[[str], Awaitable[str | None]]],
        complain: Callable[[str, ValueError], str | None],
        limits: LineLimits | None = None,
        greeting: str = "",
    ) -> None:
        """Keep the arguments."""
        self._connect, self._complain = connect, complain
        self.limits = limits or LineLimits()
        self._greeting = greeting
        self._tasks: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None

    async def start(self, host: str, port: int) -> int:
        """Begin to listen, and return the port (a free one for 0).

        Raises:
            OSError: the address cannot be used.
        """
        self._server = await asyncio.start_server(self._serve, host, port, limit=1 << 16)
        chosen: int = self._server.sockets[0].getsockname()[1]
        return chosen

    async def close(self) -> None:
        """Stop listening and end all connections."""
        if self._server is not None:
            self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._server is not None:
            await self._server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one client until it leaves or is dropped."""
        task = asyncio.current_task()
        assert task is not None
        if len(self._tasks) >= self.limits.connections:
            writer.transport.abort()
            return
        self._tasks.add(task)
        try:
            await self._talk(reader, writer)
        except (OSError, TimeoutError, TooLongError, asyncio.CancelledError):
            writer.transport.abort()
        finally:
            self._tasks.discard(task)
            writer.close()
            with contextlib.suppress(OSError, TimeoutError, asyncio.CancelledError):
                await asyncio.wait_for(writer.wait_closed(), 1)

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the lines of one client."""
        buffer, bad = bytearray(), 0
        answer = self._connect()

        async def send(text: str) -> None:
            writer.write(text.encode() + b"\n")
            # A client that takes no answer is dropped, and does not fill the memory.
            await asyncio.wait_for(writer.drain(), self.limits.half_line)

        if self._greeting:
            await send(self._greeting)
        while (raw := await read_line(reader, buffer, self.limits)) is not None:
            line = raw.decode("utf-8", "replace")
            try:
                reply = await answer(line)
                bad = 0
            except Bye as bye:
                if str(bye):
                    await send(str(bye))
                return
            except ValueError as error:
                bad += 1
                reply = self._complain(line, error)
                if reply is None or bad > self.limits.bad_lines:
                    return
            if reply is not None:
                await send(reply)


@contextlib.contextmanager
def stop_signals() -> Iterator[asyncio.Event]:
    """Let Ctrl-C and SIGTERM set an event instead of ending the program; in a running loop."""
    loop, stop = asyncio.get_running_loop(), asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    try:
        yield stop
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)
