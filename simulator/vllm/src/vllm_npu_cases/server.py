"""``vllm serve`` in processes of its own: started on a free port, asked over HTTP, and ended without a trace."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any

import psutil

#: Seconds until the server has to answer, until a request has to be answered, and until it has to be gone.
_START, _ANSWER, _END = 400.0, 120.0, 60.0


class ServerError(RuntimeError):
    """The server did not start, did not answer as it should, or left something behind."""


def arguments(settings: Mapping[str, Any]) -> list[str]:
    """Return the options of ``vllm serve`` that mean the given arguments of ``vllm.LLM``."""
    options = []
    for name, value in settings.items():
        option = name.replace("_", "-")
        if isinstance(value, bool):
            options.append(f"--{option}" if value else f"--no-{option}")
        else:
            options += [f"--{option}", json.dumps(value) if isinstance(value, Mapping | list) else str(value)]
    return options


def free_port() -> int:
    """Return a port of this machine that nobody listens on."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


class Server:
    """A running ``vllm serve``; a context, at whose end all of its processes are gone and the port is free."""

    def __init__(self, model: Path, settings: Mapping[str, Any], log: Path) -> None:
        self._log = log
        self._port = free_port()
        address = ["--host", "127.0.0.1", "--port", str(self._port), "--served-model-name", "tiny"]
        # Found as its users find it: in the module behind the command, of this very Python.
        serve = [sys.executable, "-m", "vllm.entrypoints.cli.main", "serve", str(model)]
        self._command = [*serve, *address, *arguments(settings)]
        self._process: subprocess.Popen[bytes] | None = None
        self._family: set[psutil.Process] = set()

    def __enter__(self) -> "Server":
        """Start the server and wait until it is ready. Raises ServerError with its last words."""
        # The endpoints that empty caches are those of a server in development; an engine has a process of its own.
        variables = os.environ | {"VLLM_SERVER_DEV_MODE": "1", "VLLM_ENABLE_V1_MULTIPROCESSING": "1"}
        with self._log.open("wb") as output:
            self._process = subprocess.Popen(
                self._command,
                env=variables,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        try:
            self._wait(self._process)
        except BaseException:
            self._kill()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the server as its users do, by SIGTERM.

        Raises ServerError for what remains of it, unless there is an error already.
        """
        try:
            remains = self._end()
        finally:
            self._kill()
        if error is None and remains is not None:
            raise ServerError(remains)

    def get(self, path: str) -> str:
        """Return the text at a path. Raises ServerError."""
        return "".join(line.decode() for line in self._open(path, None))

    def post(self, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """Return the answer, None for an empty one. Raises ServerError."""
        text = b"".join(self._open(path, body or {}))
        return json.loads(text) if text else None

    def stream(self, path: str, body: Mapping[str, Any]) -> list[Any]:
        """Return the events of a streamed answer, which must be ended by its mark. Raises ServerError."""
        lines = [line.strip() for line in self._open(path, {**body, "stream": True})]
        events = [line.removeprefix(b"data:").strip() for line in lines if line.startswith(b"data:")]
        if not events or events.pop() != b"[DONE]":
            raise ServerError(f"the stream of {path} breaks off")
        return [json.loads(event) for event in events]

    def _open(self, path: str, body: Mapping[str, Any] | None) -> Iterator[bytes]:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            f"http://127.0.0.1:{self._port}{path}", data, {"Content-Type": "application/json"}
        )
        try:
            with urllib.request.urlopen(request, timeout=_ANSWER) as response:
                yield from response
        except urllib.error.HTTPError as error:
            raise ServerError(f"{path} is answered with {error.code}: {error.read().decode()[:300]}") from error
        except OSError as error:
            raise ServerError(f"{path} is not answered: {error}") from error

    def _wait(self, process: subprocess.Popen[bytes]) -> None:
        deadline = time.monotonic() + _START
        while True:
            with suppress(ServerError):
                self.get("/health")
                return
            if (code := process.poll()) is not None:
                raise ServerError(f"vllm serve ended with code {code} before it was ready: {self._last_words()}")
            if time.monotonic() > deadline:
                raise ServerError(f"vllm serve was not ready within {_START:.0f} s: {self._last_words()}")
            time.sleep(0.2)

    def _last_words(self) -> str:
        """Return the last line that names an error, or the last of all."""
        lines = [line.strip() for line in self._log.read_text(errors="replace").splitlines() if line.strip()]
        errors = [line for line in lines if "Error" in line or "error:" in line]
        return (errors or lines or ["no output"])[-1]

    def _end(self) -> str | None:
        """Ask the server to end; return what is wrong with its end, or None."""
        process = self._process
        if process is None:
            return None
        with suppress(psutil.NoSuchProcess):
            self._family = {*psutil.Process(process.pid).children(recursive=True)}
        process.send_signal(signal.SIGTERM)
        try:
            code = process.wait(_END)
        except subprocess.TimeoutExpired:
            return f"vllm serve did not end within {_END:.0f} s of SIGTERM"
        if code not in (0, -signal.SIGTERM):
            return f"vllm serve ended with code {code} after SIGTERM: {self._last_words()}"
        _, left = psutil.wait_procs(self._family, timeout=_END)
        if left:
            return f"vllm serve left {len(left)} processes behind"
        with socket.socket() as again:
            again.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                again.bind(("127.0.0.1", self._port))
            except OSError as error:
                return f"vllm serve left its port taken: {error}"
        return None

    def _kill(self) -> None:
        """End at once whatever is left."""
        process = self._process
        if process is None:
            return
        for child in self._family:
            with suppress(psutil.NoSuchProcess):
                child.kill()
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
