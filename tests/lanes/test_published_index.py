"""``syncbot publish index``: a real pip installs from the folder, below a path of a server, as page and as JSON."""

from __future__ import annotations

import functools
import hashlib
import http.server
import json
import shutil
import threading
import venv
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from click.testing import CliRunner

from syncbot.cli import main

from .test_wheel_index import MATRIX, Site, build, built
from .test_wheel_index import shelf as shelf

pytestmark = pytest.mark.machine

JSON = "application/vnd.pypi.simple.v1+json"
OLD, NEW = "ascend_backend-0.28.0.post1-py3-none-any.whl", "ascend_backend-0.32.0-py3-none-any.whl"


def publish(shelf: Path, output: Path, *more: str) -> tuple[int, str]:
    line = ["publish", "index", "--backend", str(shelf), "--output", str(output), *more]
    done = CliRunner().invoke(main, line)
    return done.exit_code, done.output


@dataclass
class Server:
    """Files as any web server offers them; where ``negotiates``, JSON to who asks for it."""

    address: str = ""
    negotiates: bool = False
    asked: list[str] = field(default_factory=list)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    made = Server()

    class Handler(http.server.SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

        def do_GET(self) -> None:
            made.asked.append(self.path)
            if made.negotiates and self.path.endswith("/") and JSON in self.headers.get("Accept", ""):
                self.path += "index.json"
            super().do_GET()

        def guess_type(self, path: object) -> str:
            return JSON if str(path).endswith("index.json") else super().guess_type(str(path))

    handler = functools.partial(Handler, directory=str(tmp_path))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as listening:
        threading.Thread(target=listening.serve_forever, daemon=True).start()
        made.address = f"http://127.0.0.1:{listening.server_port}/pages/wheels/simple"
        yield made
        listening.shutdown()


@pytest.fixture
def site(shelf: Path, tmp_path: Path) -> Site:
    """An environment with the older upstream, and our wheels in the folder that the server offers."""
    venv.create(tmp_path / "venv", with_pip=False)
    made = Site(tmp_path, tmp_path / "venv/bin/python")
    made.pip(
        "install", "--no-index", str(built(tmp_path / "upstream", "vllm", "0.28.0", tmp_path / "upstreams"))
    )
    code, said = publish(shelf, tmp_path / "pages/wheels")
    folder = tmp_path / "pages/wheels/simple"
    assert (code, said) == (
        0,
        f"{folder}: 2 wheels; pip install ascend-backend==0.32.0 --index-url ADDRESS/simple\n",
    )
    return made


@pytest.mark.parametrize("negotiates", [False, True])
def test_pip_installs_what_fits_and_cannot_change_upstream(
    site: Site, server: Server, negotiates: bool
) -> None:
    server.negotiates = negotiates
    site.pip("install", "--no-cache-dir", "ascend-backend", "--index-url", server.address)
    assert site.installed() == {"vllm": "0.28.0", "ascend-backend": "0.28.0.post1"}
    files = [path.rpartition("/")[2] for path in server.asked]
    # The metadata of the newer wheel says that it does not fit: the wheel itself is not fetched.
    assert (f"{NEW}.metadata" in files, NEW in files, files.count(OLD)) == (True, False, 1)


def test_pip_installs_a_version_and_refuses_a_wheel_that_was_changed(site: Site, server: Server) -> None:
    line = ("install", "--no-cache-dir", "ascend-backend==0.28.0.post1", "--index-url", server.address)
    site.pip(*line)
    assert site.installed()["ascend-backend"] == "0.28.0.post1"
    site.pip("uninstall", "--yes", "ascend-backend")
    wheel = site.root / "pages/wheels" / OLD
    wheel.write_bytes(wheel.read_bytes() + b"x")
    with pytest.raises(AssertionError, match="DO NOT MATCH THE HASHES"):
        site.pip(*line)


def test_the_json_says_what_the_page_says(shelf: Path, tmp_path: Path) -> None:
    assert publish(shelf, tmp_path)[0] == 0
    [names] = json.loads((tmp_path / "simple/index.json").read_text())["projects"]
    found = json.loads((tmp_path / "simple" / names["name"] / "index.json").read_text())
    assert (found["meta"], found["name"]) == ({"api-version": "1.1"}, "ascend-backend")
    assert found["versions"] == ["0.28.0.post1", "0.32.0"]
    for each, python in zip(found["files"], ("<4,>=3.10", "<4,>=3.11"), strict=True):
        wheel = (tmp_path / "simple/ascend-backend" / each["url"]).resolve()
        content, metadata = wheel.read_bytes(), wheel.with_name(f"{wheel.name}.metadata").read_bytes()
        assert wheel.name == each["filename"]
        assert (each["size"], each["hashes"]) == (
            len(content),
            {"sha256": hashlib.sha256(content).hexdigest()},
        )
        assert (
            each["core-metadata"]
            == each["dist-info-metadata"]
            == {"sha256": hashlib.sha256(metadata).hexdigest()}
        )
        assert each["requires-python"] == python
        assert (tmp_path / f"{wheel.name}.intoto.json").is_file()


def test_what_is_published_stays_and_never_changes(shelf: Path, tmp_path: Path) -> None:
    index, later = tmp_path / "index", tmp_path / "later"
    assert publish(shelf, index)[0] == 0
    before = {path: path.read_bytes() for path in index.rglob("*") if path.is_file()}
    assert publish(shelf, index)[0] == 0
    assert {path: path.read_bytes() for path in index.rglob("*") if path.is_file()} == before
    matrix = shelf / "compat_matrix.yaml"
    matrix.write_text(MATRIX.replace("0.28.0.post1", "0.28.0.post2"))
    try:
        assert build(shelf, later, "--lane", "v0.28.0")[0] == 0
    finally:
        matrix.write_text(MATRIX)
    assert publish(shelf, index, "--wheels", str(later))[0] == 0
    [names] = [json.loads((index / "simple/ascend-backend/index.json").read_text())["versions"]]
    assert names == ["0.28.0.post1", "0.28.0.post2", "0.32.0"]
    shutil.copy(later / OLD.replace("post1", "post2"), later / "ascend_backend-0.27.0-py3-none-any.whl")
    (later / NEW).write_bytes((shelf / "dist" / NEW).read_bytes() + b"x")
    before = {path: path.read_bytes() for path in index.rglob("*") if path.is_file()}
    code, said = publish(shelf, index, "--wheels", str(later))
    assert (code, said.count("\n"), "is published with other content" in said) == (2, 1, True)
    assert {path: path.read_bytes() for path in index.rglob("*") if path.is_file()} == before


def test_a_folder_without_wheels_and_one_with_something_else(shelf: Path, tmp_path: Path) -> None:
    code, said = publish(shelf, tmp_path / "index", "--wheels", str(tmp_path))
    assert (code, said) == (
        2,
        f"syncbot: {tmp_path} holds no wheel: build them with syncbot build --all, or name their folder\n",
    )
    (tmp_path / NEW).write_bytes(b"text")
    code, said = publish(shelf, tmp_path / "index", "--wheels", str(tmp_path))
    assert (code, "is no readable wheel" in said, (tmp_path / "index").exists()) == (3, True, False)
