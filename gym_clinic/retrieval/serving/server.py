"""A server of one knowledge base over HTTP, for many workers on this machine."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import AsyncIterator, Callable, Sized
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import orjson
from pydantic import BaseModel, ValidationError

from gym_clinic._version import __version__
from gym_clinic.errors import ClinicError, ConfigError
from gym_clinic.names import at_least_one
from gym_clinic.retrieval.passages.passage import FoundPassage, FoundPassages
from gym_clinic.retrieval.passages.searcher import PassageBase, Searcher
from gym_clinic.retrieval.serving.messages import (
    MAX_BODY,
    PORT,
    BatchRequest,
    Health,
    PassageRequest,
    SearchRequest,
)

if TYPE_CHECKING:
    from fastapi import FastAPI, Request, Response

HOST = "127.0.0.1"
"""There is no authentication, so the server listens on this machine only."""

HOSTS = (HOST, "localhost")
"""Host names that are answered. A web page in a local browser can reach this server by another name
(DNS rebinding), which is refused."""

THREADS, WAITING = 4, 64
"""Default numbers of requests that run at once, and that may wait."""

RETRY_AFTER = 1
"""Seconds after which a request that was refused as busy may be repeated."""

ARRIVAL = 10
"""Seconds in which a request must arrive completely."""

GRACE = 30
"""Seconds for running requests when the server is stopped."""

RequestModel = TypeVar("RequestModel", bound=BaseModel)
Found = TypeVar("Found")


class _RefusedError(Exception):
    """A request that is refused, with a status and the reason."""

    def __init__(self, status: int, error: str) -> None:
        super().__init__(error)
        self.status = status


class _Places:
    """Search threads with a bounded queue."""

    def __init__(self, threads: int, waiting: int) -> None:
        self.most = at_least_one("threads", threads) + waiting
        self.taken = 0
        self.pool = ThreadPoolExecutor(threads, thread_name_prefix="gym-clinic-search")

    async def run(self, search: Callable[[], Found]) -> Found:
        """Run a search in its turn; call it from the thread of the event loop only."""
        if self.taken >= self.most:
            raise _RefusedError(503, f"busy with {self.most} requests; repeat the request")
        self.taken += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self.pool, search)
        finally:
            self.taken -= 1


def make_app(base: Searcher, *, threads: int = THREADS, waiting: int = WAITING) -> FastAPI:
    """Return the app that serves a base.

    ``POST /search`` takes a :class:`SearchRequest`, ``POST /batch`` a :class:`BatchRequest`, which
    runs as one request, ``POST /get`` a :class:`PassageRequest`; ``GET /health`` never waits. An
    error is JSON, ``{"error": "what was wrong"}``: 422 for a wrong request, 413 if it is too long,
    408 if it arrives too slowly, 421 for another host name, 503 with Retry-After if the server is
    busy, 500 if the base fails.

    Args:
        base: The base to serve; several threads search it at once.
        threads: Requests that run at once.
        waiting: Requests that may wait, from 0.

    Raises:
        ConfigError: If an option is out of range, or fastapi is not installed.
    """
    try:
        from fastapi import FastAPI
        from fastapi.exceptions import HTTPException
        from fastapi.responses import Response
    except ImportError:
        raise _missing() from None
    if isinstance(waiting, bool) or not isinstance(waiting, int) or waiting < 0:
        raise ConfigError(f"waiting is a whole number from 0, not {waiting!r}")
    places = _Places(threads, waiting)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        places.pool.shutdown(cancel_futures=True)

    def reply(content: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
        return Response(orjson.dumps(content), status, headers, "application/json")

    async def search(request: Request) -> Response:
        asked = _read(SearchRequest, await _body(request))
        options = (asked.limit, asked.source, asked.operator)
        found = await places.run(lambda: base.search(asked.query, *options))
        return reply(_searched(found))

    async def batch(request: Request) -> Response:
        asked = _read(BatchRequest, await _body(request))
        options = (asked.limit, asked.source, asked.operator)
        found = await places.run(lambda: [base.search(query, *options) for query in asked.queries])
        return reply({"results": [_searched(passages) for passages in found]})

    async def get(request: Request) -> Response:
        asked = _read(PassageRequest, await _body(request))
        if not isinstance(base, PassageBase):
            raise ConfigError("the served base does not return passages by id")
        return reply({"passage": await places.run(partial(base.get, asked.id))})

    async def health(request: Request) -> Response:
        _check_host(request)
        said = Health(
            status="ok",
            version=__version__,
            passages=len(base) if isinstance(base, Sized) else None,
            content_hash=base.manifest.content_hash if isinstance(base, PassageBase) else "",
            places=places.most,
            taken=places.taken,
        )
        return reply(said.model_dump())

    async def refused(_: Request, error: Exception) -> Response:
        status = error.status if isinstance(error, _RefusedError) else 422
        headers = {"Retry-After": str(RETRY_AFTER)} if status == 503 else None
        return reply({"error": str(error)}, status, headers)

    async def damaged(_: Request, error: Exception) -> Response:
        return reply({"error": str(error)}, 500)

    async def failed(_: Request, error: Exception) -> Response:
        return reply({"error": f"the server failed ({type(error).__name__}); see its log"}, 500)

    async def misled(request: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 404
        asked = f"{request.method} {request.url.path}"
        known = "POST /search, POST /batch, POST /get and GET /health"
        return reply({"error": f"no {asked}; choose from {known}"}, status)

    # No documentation pages: they would load scripts from other hosts.
    app = FastAPI(title="gym_clinic knowledge", openapi_url=None, lifespan=lifespan)
    app.add_route("/search", search, ["POST"])
    app.add_route("/batch", batch, ["POST"])
    app.add_route("/get", get, ["POST"])
    app.add_route("/health", health, ["GET"])
    for kind in (_RefusedError, ConfigError):
        app.add_exception_handler(kind, refused)
    app.add_exception_handler(ClinicError, damaged)
    app.add_exception_handler(Exception, failed)  # which are logged as well
    for status in (404, 405):
        app.add_exception_handler(status, misled)
    return app


def _searched(found: list[FoundPassage]) -> dict[str, Any]:
    """Return the result of a search as a :class:`SearchReply` has it."""
    absent = found.absent_terms if isinstance(found, FoundPassages) else ()
    return {"passages": found, "absent_terms": absent}


def _check_host(request: Request) -> None:
    name = request.headers.get("host", "")
    if name.partition(":")[0] not in HOSTS:
        raise _RefusedError(421, f"unknown host name {name!r}; this server is {' or '.join(HOSTS)}")


async def _body(request: Request) -> bytes:
    """Read the body of a request, within the limits of size and time."""
    _check_host(request)
    try:
        return await asyncio.wait_for(_arrived(request), ARRIVAL)
    except asyncio.TimeoutError:
        raise _RefusedError(408, f"a request must arrive within {ARRIVAL} s") from None


async def _arrived(request: Request) -> bytes:
    length = request.headers.get("content-length", "0")
    body = bytearray()
    if not length.isdecimal() or int(length) <= MAX_BODY:
        async for chunk in request.stream():
            body += chunk
            if len(body) > MAX_BODY:
                break
        else:
            return bytes(body)
    raise _RefusedError(413, f"a request has at most {MAX_BODY:,} bytes")


def _read(kind: type[RequestModel], body: bytes) -> RequestModel:
    try:
        return kind.model_validate_json(body)
    except ValidationError as error:
        wrong = [
            f"{'.'.join(map(str, one['loc'])) or 'the request'}: {one['msg']}"
            for one in error.errors(include_url=False)
        ]
        fields = ", ".join(kind.model_fields)
        raise _RefusedError(422, f"{'; '.join(wrong[:3])} (fields: {fields})") from error


class KnowledgeServer:
    """A server of one base; it holds its port from the start.

    Call :meth:`run` in a separate process, or use the server as a context manager: it then runs
    in a thread until the context ends.

    Attributes:
        url: Address of the server.

    Args:
        base: The base to serve; several threads search it at once.
        port: Its port; 0 chooses a free one.
        threads: Requests that run at once.
        waiting: Requests that may wait, from 0.

    Raises:
        ConfigError: If an option is out of range, the port is taken, or fastapi or uvicorn is
            not installed.
    """

    def __init__(
        self, base: Searcher, *, port: int = PORT, threads: int = THREADS, waiting: int = WAITING
    ) -> None:
        try:
            import uvicorn
        except ImportError:
            raise _missing() from None
        app = make_app(base, threads=threads, waiting=waiting)
        try:
            self._socket = socket.create_server((HOST, port), backlog=2048)
        except (OSError, OverflowError) as error:
            raise ConfigError(f"cannot listen on port {port} of {HOST}: {error}") from error
        # Connections inherit it; without it, the body of a reply is sent 40 ms after the head.
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.url = f"http://{HOST}:{self._socket.getsockname()[1]}"
        config = uvicorn.Config(
            app, log_level="warning", access_log=False, timeout_graceful_shutdown=GRACE
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self.run, name="gym-clinic-server", daemon=True)

    def run(self) -> None:
        """Serve until SIGINT or SIGTERM; running requests are then finished."""
        self._server.run([self._socket])

    def stop(self) -> None:
        """Stop :meth:`run`, from any thread, without waiting for it."""
        self._server.should_exit = True

    def __enter__(self) -> KnowledgeServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        self._thread.join()


def _missing() -> ConfigError:
    return ConfigError('serving needs fastapi and uvicorn: pip install "gym_clinic[serve]"')
