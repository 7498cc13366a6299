"""A local chat server that misbehaves on request, for tests of whatever talks to one.

>>> with ChatServer() as server:
...     server.script = [server.status(500), server.answer("hello")]
...     ...  # a client at server.url meets a 500, then the answer; the last step repeats
"""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

USAGE = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
LONGEST = 20.0  # seconds after which a stalling thread ends by itself, whatever happens


class ChatHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server
    asked: dict[str, Any]

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        owner = self.server.owner
        self.asked = json.loads(raw)
        with owner.changed:
            owner.requests.append(self.asked)
            owner.paths.append(self.path)
            owner.headers.append({k.lower(): v for k, v in self.headers.items()})
            step = owner.next_step()
            owner.now += 1
            owner.most_at_once = max(owner.most_at_once, owner.now)
            owner.changed.notify_all()
        try:
            step(self)
        except OSError:  # the client has gone, which is what many tests are about
            self.close_connection = True
        finally:
            with owner.changed:
                owner.now -= 1
                owner.changed.notify_all()

    def reply(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def hang_up(self) -> None:
        self.close_connection = True
        self.wfile.flush()
        self.connection.shutdown(socket.SHUT_RDWR)

    def log_message(self, format: str, *args: Any) -> None:
        pass


Step = Callable[[ChatHandler], None]


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, owner: ChatServer) -> None:
        self.owner = owner
        super().__init__(("127.0.0.1", 0), ChatHandler)


class ChatServer:
    """The server and what it saw: `requests` (bodies), `paths`, `headers`, `most_at_once`."""

    def __init__(self) -> None:
        self.changed = threading.Condition()
        self.ended = threading.Event()
        self.requests: list[dict[str, Any]] = []
        self.paths: list[str] = []
        self.headers: list[dict[str, str]] = []
        self.now = self.most_at_once = 0
        self.script: Sequence[Step] = [self.answer("ok")]
        self._steps = 0
        self._server = _Server(self)
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        )

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> ChatServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.ended.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(LONGEST)

    def next_step(self) -> Step:
        step = self.script[min(self._steps, len(self.script) - 1)]
        self._steps += 1
        return step

    @staticmethod
    def body(
        text: str | None = "ok",
        *,
        calls: Sequence[tuple[str, str]] = (),
        usage: Any = USAGE,
        finish_reason: str = "stop",
        **message: Any,
    ) -> bytes:
        """A chat completion; `calls` are (name, arguments as JSON text) pairs."""
        said: dict[str, Any] = {"role": "assistant", "content": text, **message}
        if calls:
            said["tool_calls"] = [
                {
                    "id": f"id-{number}",
                    "type": "function",
                    "function": {"name": name, "arguments": arguments},
                }
                for number, (name, arguments) in enumerate(calls)
            ]
        whole = {
            "object": "chat.completion",
            "choices": [{"index": 0, "message": said, "finish_reason": finish_reason}],
        }
        if usage is not None:
            whole["usage"] = usage
        return json.dumps(whole).encode()

    def answer(self, text: str | None = "ok", **fields: Any) -> Step:
        """A good answer; `fields` as in `body`."""
        return lambda handler: handler.reply(200, self.body(text, **fields))

    def answer_with(self, reply: Callable[[dict[str, Any]], str]) -> Step:
        """A good answer, made of the body of the request."""
        return lambda handler: handler.reply(200, self.body(reply(handler.asked)))

    def raw(self, body: bytes) -> Step:
        """Status 200 with this body."""
        return lambda handler: handler.reply(200, body)

    def status(self, code: int, body: bytes = b"", **headers: str) -> Step:
        """A failure; keyword `retry_after="1"` sends the header Retry-After."""
        named = {name.replace("_", "-").title(): value for name, value in headers.items()}
        return lambda handler: handler.reply(code, body, named)

    def echo_key(self, code: int) -> Step:
        """A failure whose message quotes the key it was sent, as some servers do."""

        def step(handler: ChatHandler) -> None:
            key = handler.headers.get("Authorization", "")
            handler.reply(code, json.dumps({"error": {"message": f"bad key: {key}"}}).encode())

        return step

    def stall(self) -> Step:
        """Take the request and say nothing."""

        def step(handler: ChatHandler) -> None:
            self.ended.wait(LONGEST)
            handler.hang_up()

        return step

    def trickle(self, *, headers: bool = False) -> Step:
        """A byte now and then, for ever: of the body, or of a header that never ends."""

        def step(handler: ChatHandler) -> None:
            start = b"HTTP/1.1 200 OK\r\n"
            start += b"X-Slow: " if headers else b"Content-Length: 1000000\r\n\r\n"
            handler.wfile.write(start)
            for _ in range(int(LONGEST / 0.01)):
                if self.ended.wait(0.01):
                    break
                handler.wfile.write(b" ")
            handler.hang_up()

        return step

    def half(self, *, declared: bool = True) -> Step:
        """Half a body, then the end; `declared=False` leaves out its length."""

        def step(handler: ChatHandler) -> None:
            whole = self.body("never seen whole")
            handler.send_response(200)
            if declared:
                handler.send_header("Content-Length", str(len(whole)))
            else:
                handler.send_header("Connection", "close")
            handler.end_headers()
            handler.wfile.write(whole[: len(whole) // 2])
            handler.hang_up()

        return step

    def drop(self) -> Step:
        """End the connection without a byte."""
        return lambda handler: handler.hang_up()

    def crowd(self, together: int) -> Step:
        """Answer once this many requests are here at once, and a little after."""

        def step(handler: ChatHandler) -> None:
            with self.changed:
                self.changed.wait_for(lambda: self.most_at_once >= together, timeout=5.0)
            self.ended.wait(0.03)  # room for a request over the limit to show itself
            handler.reply(200, self.body("ok"))

        return step
