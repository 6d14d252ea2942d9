"""A git server over HTTP: git's own ``http-backend`` behind a real server that wants a password."""

from __future__ import annotations

import base64
import os
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any


@dataclass
class GitServer:
    """``seen`` are the Authorization headers of each request."""

    root: Path
    token: str
    url: str = ""
    seen: list[list[str]] = field(default_factory=list)


class _Handler(BaseHTTPRequestHandler):
    server_state: GitServer

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def _do(self) -> None:
        state = self.server_state
        given = self.headers.get_all("Authorization") or []
        state.seen.append(given)
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if len(given) > 1:
            # As GitHub does.
            self.send_error(400, "Duplicate header: Authorization")
            return
        wanted = base64.b64encode(f"x-access-token:{state.token}".encode()).decode()
        if not given or given[0].partition(" ")[2] != wanted:
            self.send_response(401)
            self.send_header("WWW-Authenticate", 'Basic realm="git"')
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        path, _, query = self.path.partition("?")
        cgi = {
            "GIT_PROJECT_ROOT": str(state.root), "GIT_HTTP_EXPORT_ALL": "1", "REMOTE_USER": "x",
            "PATH_INFO": path, "QUERY_STRING": query, "REQUEST_METHOD": self.command,
            "CONTENT_TYPE": self.headers.get("Content-Type", ""), "CONTENT_LENGTH": str(len(body)),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
            "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""), "PATH": os.environ["PATH"],
        }  # fmt: skip
        done = subprocess.run(["git", "http-backend"], input=body, capture_output=True, env=cgi, check=True)
        head, _, content = done.stdout.partition(b"\r\n\r\n")
        headers = [line.split(": ", 1) for line in head.decode().split("\r\n")]
        status = next((value for name, value in headers if name == "Status"), "200 OK")
        self.send_response(int(status.split()[0]))
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = _do


@contextmanager
def serving(root: Path, token: str) -> Iterator[GitServer]:
    state = GitServer(root, token)
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"server_state": state}))
    server.daemon_threads = True
    state.url = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
