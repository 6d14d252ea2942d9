"""A package index of the tests: a folder of real distributions, served on loopback."""

from __future__ import annotations

import base64
import hashlib
import html
import io
import json
import subprocess
import sys
import tarfile
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType

from tests.project_texts import hatchling


def build_toy(folder: Path, version: str, kind: str = "sdist") -> Path:
    """A real distribution of the package ``toy``, built by its build backend."""
    source = folder / f"source-{version}-{kind}"
    for path, text in {
        "pyproject.toml": hatchling("toy", version, 'description = "A toy"\n', package="toy"),
        "toy/__init__.py": f"__version__ = {version!r}\n",
        "toy/core.py": f"def run(a, b={len(version)}):\n    return a, b\n",
        f"toy/new_in_{version.replace('.', '_')}.py": f"since = {version!r}\n",
        "toy/operators.yaml": "- func: add\n",
        "toy/weights.bin": "\0" * 100,
        "requirements/cuda.txt": "torch\n",
        "docs/page.md": "# Toy\n",
    }.items():
        (source / path).parent.mkdir(parents=True, exist_ok=True)
        (source / path).write_text(text, encoding="utf-8")
    out = folder / "dist"
    command = [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(out)]
    subprocess.run(command, cwd=source, check=True, capture_output=True)
    return max(out.iterdir(), key=lambda path: path.stat().st_mtime_ns)


def tar(
    members: dict[str, bytes],
    *others: tarfile.TarInfo,
    mtime: int = 1_700_000_000,
    modes: Mapping[str, int] | None = None,
) -> bytes:
    """A tar.gz with these files, and with these entries of other kinds."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for other in others:
            archive.addfile(other)
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size, info.mtime = len(content), mtime
            info.mode = (modes or {}).get(name, info.mode)
            archive.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


@dataclass
class File:
    filename: str
    content: bytes
    uploaded: str | None = "2026-01-02T03:04:05.678901Z"
    sha256: str | None = ""
    yanked: bool = False

    def __post_init__(self) -> None:
        if self.sha256 == "":
            self.sha256 = hashlib.sha256(self.content).hexdigest()


@dataclass
class Index:
    """Serves `files` of the distribution ``toy``, and those of `others` by name; `requests` are the paths
    asked for."""

    files: list[File] = field(default_factory=list)
    others: dict[str, list[File]] = field(default_factory=dict)
    json_page: bool = False
    json_times: dict[str, str] = field(default_factory=dict)
    credentials: str | None = None
    files_at: str = ""
    requests: list[str] = field(default_factory=list)
    authorised: list[str] = field(default_factory=list)

    def __enter__(self) -> Index:
        index = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                index.requests.append(self.path)
                if self.headers["Authorization"]:
                    index.authorised.append(self.path)
                status, kind, body = index.answer(self.path, self.headers["Authorization"])
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(body)

            do_HEAD = do_GET

            def log_message(self, format: str, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def stop(self) -> None:
        if not self._thread.is_alive():
            return
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/simple"

    def answer(self, path: str, authorization: str | None) -> tuple[int, str, bytes]:
        if (
            self.credentials
            and authorization != "Basic " + base64.b64encode(self.credentials.encode()).decode()
        ):
            return 401, "text/plain", b"who are you?"
        if path == "/simple/toy/":
            return self._json_page() if self.json_page else self._html_page(self.files)
        for name, files in self.others.items():
            if path == f"/simple/{name}/":
                return self._html_page(files)
        if path == "/pypi/toy/json" and self.json_times:
            uploads = [
                {"filename": name, "upload_time_iso_8601": time} for name, time in self.json_times.items()
            ]
            return 200, "application/json", json.dumps({"releases": {"0": uploads}}).encode()
        for file in (*self.files, *(file for files in self.others.values() for file in files)):
            if path == f"/files/{file.filename}":
                return 200, "application/octet-stream", file.content
        if path == "/simple/prose/":
            return 200, "text/plain", b"no index"
        return 404, "text/plain", b"not found"

    def _html_page(self, files: list[File]) -> tuple[int, str, bytes]:
        rows = ["<!DOCTYPE html><html><body>"]
        for file in files:
            attributes = f' data-upload-time="{file.uploaded}"' if file.uploaded else ""
            attributes += ' data-yanked="broken"' if file.yanked else ""
            fragment = f"#sha256={file.sha256}" if file.sha256 else ""
            name = html.escape(file.filename)
            rows.append(f'<a href="{self.files_at}/files/{name}{fragment}"{attributes}>{name}</a><br/>')
        return 200, "text/html", "\n".join(rows).encode()

    def _json_page(self) -> tuple[int, str, bytes]:
        files = [
            {
                "filename": file.filename,
                "url": f"{self.files_at}/files/{file.filename}",
                "hashes": {"sha256": file.sha256} if file.sha256 else {},
                "upload-time": file.uploaded,
                "yanked": file.yanked,
            }
            for file in self.files
        ]
        page = {"meta": {"api-version": "1.1"}, "name": "toy", "files": files, "versions": []}
        return 200, "application/vnd.pypi.simple.v1+json", json.dumps(page).encode()
