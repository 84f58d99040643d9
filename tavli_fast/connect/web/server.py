"""The HTTP server: a Starlette application with limits for every request, served by uvicorn."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

import uvicorn
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route
from uvicorn.protocols.http.h11_impl import H11Protocol

from tavli_fast.connect.engine import Engine
from tavli_fast.connect.lines import stop_signals
from tavli_fast.connect.web.answers import ANSWERS, games
from tavli_fast.connect.web.bep import BEP, health
from tavli_fast.connect.web.fields import RequestError, parse, read_fields
from tavli_fast.connect.web.openapi import document, page
from tavli_fast.connect.web.rollouts import ROLLOUT_FIELDS, prepare

__all__ = ["PORT", "HttpLimits", "application", "run"]

PORT: Final = 8321

_STATUS: Final = {
    "invalid_request": 400,
    "invalid_position_id": 400,
    "not_found": 404,
    "too_large": 413,
    "unsupported": 501,
    "busy": 503,
    "timeout": 504,
    "internal": 500,
}


@dataclass(frozen=True)
class HttpLimits:
    """What requests may cost."""

    body: int = 1 << 16
    """Bytes of a request's body."""
    seconds: float = 10.0
    """For a body to arrive, and again for its answer; a rollout has its own field for it."""
    workers: int = 2
    """Requests that are computed at the same time; a rollout is one."""
    waiting: int = 256
    """Requests that wait for a worker; more are answered at once: busy."""
    rollouts: int = 1
    """Rollouts at the same time: the other workers are left for short requests."""
    connections: int = 512
    """Connections at the same time."""
    silence: float = 20.0
    """Seconds in which a new connection must send its first request."""


class _Workers:
    """Threads that compute, and a bound on the requests that wait for them."""

    def __init__(self, limits: HttpLimits) -> None:
        """Start no thread yet."""
        self.limits = limits
        self._pool = ThreadPoolExecutor(limits.workers, "answer")
        self._streams = ThreadPoolExecutor(limits.rollouts, "rollout")
        self._pending = self._rolling = 0
        self._lock = threading.Lock()

    async def compute(self, work: Callable[[], Any]) -> Any:
        """Return what `work` returns, from a thread.

        Raises:
            RequestError: too many wait, or it takes too long.
        """
        with self._lock:
            if self._pending >= self.limits.workers + self.limits.waiting:
                raise RequestError("too many requests wait: try again", code="busy")
            self._pending += 1
        future = self._pool.submit(work)
        # Counted until it is done: one that took too long still holds its thread.
        future.add_done_callback(self._done)
        try:
            return await asyncio.wait_for(asyncio.wrap_future(future), self.limits.seconds)
        except TimeoutError:
            raise RequestError(
                f"no answer in {self.limits.seconds:g} s: ask for fewer plies", code="timeout"
            ) from None

    def _done(self, _: object) -> None:
        with self._lock:
            self._pending -= 1

    def stream(self, work: Callable[[Callable[[dict[str, Any]], object]], None]) -> Stream:
        """Begin a rollout in a thread, and return its results as they come.

        Raises:
            RequestError: too many run already.
        """
        with self._lock:
            if self._rolling >= self.limits.rollouts:
                raise RequestError("another rollout runs: try again", code="busy")
            self._rolling += 1
        results: Stream = asyncio.Queue()
        loop = asyncio.get_running_loop()

        def send(result: dict[str, Any] | None) -> None:
            with suppress(RuntimeError):  # the server has ended meanwhile
                loop.call_soon_threadsafe(results.put_nowait, result)

        def run() -> None:
            try:
                work(send)
            finally:
                with self._lock:
                    self._rolling -= 1
                send(None)

        self._streams.submit(run)
        return results

    def close(self) -> None:
        """Wait for nothing more."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._streams.shutdown(wait=False, cancel_futures=True)


Stream = asyncio.Queue[dict[str, Any] | None]


def application(engine: Engine | None = None, limits: HttpLimits | None = None) -> Starlette:
    """Return the ASGI application.

    Args:
        engine: who plays where a request asks for an action, and for BEP.
        limits: what requests may cost.
    """
    engine, limits = engine or Engine(), limits or HttpLimits()
    workers = _Workers(limits)
    stops: set[threading.Event] = set()

    def answering(
        compute: Callable[[Mapping[str, Any], Engine], dict[str, Any]],
    ) -> Callable[[Request], Awaitable[Response]]:
        async def endpoint(request: Request) -> Response:
            body = parse(await _body(request, limits))
            return JSONResponse(await workers.compute(lambda: compute(body, engine)))

        return endpoint

    async def rollouts(request: Request) -> Response:
        fields = read_fields(parse(await _body(request, limits)), ROLLOUT_FIELDS)
        stop = threading.Event()
        work = await workers.compute(lambda: prepare(fields, stop))
        results = workers.stream(work)
        stops.add(stop)

        async def lines() -> AsyncIterator[bytes]:
            try:
                while (result := await results.get()) is not None:
                    yield json.dumps(result).encode() + b"\n"
            finally:  # also when the client has left
                stop.set()
                stops.discard(stop)

        return StreamingResponse(lines(), media_type="application/x-ndjson")

    async def shown(_: Request) -> Response:
        return HTMLResponse(page())

    def fixed(make: Callable[[], dict[str, Any]]) -> Callable[[Request], Awaitable[Response]]:
        async def endpoint(_: Request) -> Response:
            return JSONResponse(make())

        return endpoint

    routes = [
        Route(path, answering(each.answer), methods=["POST"]) for path, each in ANSWERS.items()
    ]
    routes += [Route(path, answering(each), methods=["POST"]) for path, each in BEP.items()]
    routes += [
        Route("/rollouts", rollouts, methods=["POST"]),
        Route("/games", fixed(games)),
        Route("/v1/health", fixed(health)),
        Route("/openapi.json", fixed(document)),
        Route("/", shown),
    ]
    app = Starlette(
        routes=routes,
        exception_handlers={
            RequestError: _refused,
            404: _not_found,
            405: _not_found,
            Exception: _failed,
        },
    )
    app.state.workers, app.state.stops = workers, stops
    return app


async def _body(request: Request, limits: HttpLimits) -> bytes:
    """Return the body of a request, which may neither be long nor take long.

    Raises:
        RequestError: it is too long, or does not arrive.
    """
    declared = request.headers.get("content-length", "0")
    too_large = RequestError(f"the body has more than {limits.body} bytes", code="too_large")
    if declared.isdigit() and int(declared[:12]) > limits.body:
        raise too_large
    data = bytearray()

    async def read() -> None:
        async for block in request.stream():
            data.extend(block)
            if len(data) > limits.body:
                raise too_large

    try:
        await asyncio.wait_for(read(), limits.seconds)
    except TimeoutError:
        raise RequestError("the body does not arrive", code="timeout") from None
    except ClientDisconnect:
        raise RequestError("the client has left") from None
    return bytes(data)


def _error(code: str, message: str, field: str | None = None) -> Response:
    """Return the answer to a request that is not answered otherwise."""
    error = {"code": code, "message": message} | ({"field": field} if field else {})
    # What is left of a body that was too long is not read.
    headers = {"Connection": "close"} if code in ("too_large", "timeout") else None
    return JSONResponse({"error": error}, _STATUS[code], headers)


async def _refused(_: Request, error: Exception) -> Response:
    assert isinstance(error, RequestError)
    return _error(error.code, str(error), error.field)


async def _not_found(request: Request, _: Exception) -> Response:
    return _error(
        "not_found", f"{request.method} {request.url.path[:100]}: no such path; / lists all"
    )


async def _failed(_: Request, error: Exception) -> Response:
    return _error("internal", f"the server has a fault: {type(error).__name__}")


class _Server(uvicorn.Server):
    """A server whose signals are ours."""

    def install_signal_handlers(self) -> None:
        """Leave them alone."""

    def capture_signals(self) -> Any:
        """Leave them alone."""
        return _Nothing()


class _Nothing:
    def __enter__(self) -> None: ...
    def __exit__(self, *_: object) -> None: ...


def _protocol(limits: HttpLimits) -> type[H11Protocol]:
    """Return uvicorn's protocol, with a limit to the silence of new clients."""

    class Protocol(H11Protocol):
        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self.loop.call_later(limits.silence, self._drop_the_silent)

        def _drop_the_silent(self) -> None:
            if self.cycle is None and not self.transport.is_closing():
                self.transport.abort()

    return Protocol


async def run(
    app: Starlette,
    host: str,
    port: int,
    limits: HttpLimits | None = None,
    ready: Callable[[int], object] = lambda _: None,
) -> None:
    """Serve until Ctrl-C or SIGTERM.

    Args:
        app: of `application`.
        host: the address.
        port: the port; 0 for a free one.
        limits: as for `application`.
        ready: called with the port once it listens.

    Raises:
        OSError: the address cannot be used.
    """
    limits = limits or HttpLimits()
    loop = asyncio.get_running_loop()
    config = uvicorn.Config(
        app,
        http=_protocol(limits),
        ws="none",
        lifespan="off",
        log_level="critical",
        access_log=False,
        limit_concurrency=limits.connections,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=5,
        h11_max_incomplete_event_size=1 << 14,
    )
    sockets = [_listening(host, port)]
    server = _Server(config)
    with stop_signals() as stop:
        serving = loop.create_task(server.serve(sockets))
        stopping = loop.create_task(stop.wait())
        while not server.started and not serving.done():
            await asyncio.sleep(0.01)
        ready(sockets[0].getsockname()[1])
        await asyncio.wait([serving, stopping], return_when=asyncio.FIRST_COMPLETED)
        server.should_exit = True
        for each in list(app.state.stops):
            each.set()
        stopping.cancel()
        await serving
        app.state.workers.close()


def _listening(host: str, port: int) -> Any:
    """Return a socket that listens."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except OSError:
        listening.close()
        raise
    return listening
