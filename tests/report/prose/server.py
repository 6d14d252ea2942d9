"""A server of the OpenAI protocol, with answers that a test chooses."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Words = Callable[[dict[str, Any]], str]


@dataclass
class Server:
    """``say`` makes the text of an answer from the request; the rest is how it goes wrong."""

    say: Words = lambda asked: ""
    status: list[int] = field(default_factory=list)
    headers: dict[str, str] = field(default_factory=dict)
    raw: bytes | None = None
    finish: str = "stop"
    usage: int | None = 100
    # Seconds before the answer, and between its bytes.
    pause: float = 0
    drip: float = 0
    url: str = ""
    asked: list[dict[str, Any]] = field(default_factory=list)
    authorizations: list[str | None] = field(default_factory=list)

    def told(self) -> str:
        """All that was ever sent here."""
        return json.dumps(self.asked, ensure_ascii=False)


class _Handler(BaseHTTPRequestHandler):
    server_state: Server

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def do_POST(self) -> None:
        state = self.server_state
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        state.asked.append(asked)
        state.authorizations.append(self.headers.get("Authorization"))
        status = state.status.pop(0) if state.status else 200
        if self.path != "/v1/chat/completions":
            status = 404
        time.sleep(state.pause)
        answer = {
            "object": "chat.completion",
            "choices": [
                {
                    "index": 0,
                    "message": {"role": "assistant", "content": state.say(asked)},
                    "finish_reason": state.finish,
                }
            ],
            **({} if state.usage is None else {"usage": {"total_tokens": state.usage}}),
        }
        content = state.raw if state.raw is not None else json.dumps(answer).encode()
        try:
            self.send_response(status)
            for name, value in state.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            for byte in (content[n : n + 1] for n in range(len(content))) if state.drip else (content,):
                self.wfile.write(byte)
                time.sleep(state.drip)
        except (BrokenPipeError, ConnectionResetError):
            pass


@contextmanager
def serving(state: Server) -> Iterator[Server]:
    handler = type("Handler", (_Handler,), {"server_state": state})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    server.block_on_close = False
    state.url = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
