"""A tiny upstream: a source distribution with a build backend of its own, and a folder of wheels."""

from __future__ import annotations

import hashlib
import io
import os
import tarfile
import threading
import zipfile
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.project_texts import hatchling

# Writes down that it ran, and in what: the version of its build requirement and a variable of the build.
BACKEND = """
import os, zipfile
from importlib import metadata

def get_requires_for_build_wheel(config_settings=None):
    return []

def build_wheel(directory, config_settings=None, metadata_directory=None):
    kind = os.environ.get("TINY_KIND", "plain")
    with open(os.environ["TINY_NOTES"], "a") as notes:
        notes.write(metadata.version("tinytool") + " " + kind + "\\n")
    name = f"tiny-1.5+{kind}-py3-none-any.whl"
    with zipfile.ZipFile(os.path.join(directory, name), "w") as wheel:
        info = f"tiny-1.5+{kind}.dist-info"
        wheel.writestr("tiny.py", f"KIND = {kind!r}\\n")
        named = f"Name: tiny\\nVersion: 1.5+{kind}\\nRequires-Dist: tinydep\\n"
        wheel.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\\n" + named)
        tags = "Root-Is-Purelib: true\\nTag: py3-none-any\\n"
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\\nGenerator: tiny\\n" + tags)
        wheel.writestr(f"{info}/RECORD", "")
    return name
"""
PROJECT = '[build-system]\nrequires = ["tinytool==9"]\nbuild-backend = "backend"\nbackend-path = ["."]\n'

# A small backend of the tiny upstream.
PYPROJECT = """\
[tool.syncbot]
backend = "backend"
index = "{index}"
[tool.syncbot.project]
distribution = "tinybackend"
package = "tinybackend"
[tool.syncbot.upstreams.tiny]
packages = ["tiny"]
release = "tiny"
[tool.syncbot.simulate]
check = "tinybackend.check"
cases = {{ small = ["v1", "v2"] }}
stack = ["tinydep", "tinytool"]
inherit = ["TINY_NOTES", "COUNTER", "HANGS", "SLEEPS", "BREAKS", "NODE", "RAY_RAYLET_PID"]
build_environment = {{ TINY_KIND = "empty" }}
wheels = {{ DATA_WHEEL = "tinydata" }}
"""
PROJECT_OF_BACKEND = hatchling("tinybackend", "0", package="src/tinybackend")
# Right when the wheel says that it was made for the upstream it runs beside.
CHECK = """
import json, sys
from importlib import metadata
from pathlib import Path
import os, tiny, tinydep
from tinybackend import _lane

arguments = dict(zip(sys.argv[1::2], sys.argv[2::2]))
assert Path(os.environ["DATA_WHEEL"]).is_file()
with open(os.environ["COUNTER"], "a") as counter:
    counter.write(f"{arguments['--runner']} {_lane.TINY} {metadata.version('tiny')} {tinydep.VERSION}\\n")
if "HANGS" in os.environ:
    import time
    Path(os.environ["HANGS"]).write_text(str(os.getpid()))
    time.sleep(120)
if arguments["--runner"] in os.environ.get("SLEEPS", ""):
    import time
    time.sleep(120)
if arguments["--runner"] in os.environ.get("BREAKS", ""):
    raise TypeError("an unexpected keyword argument 'spec'")
Path(arguments["--output"]).write_text(json.dumps({}))
"""
MATRIX = """\
schema: 1
upstream: tiny
baseline: v1.5
pinned: [tinydep]
lanes:
  - tag: v1.5
    wheel: '1.5'
    python: '>=3.11'
    stack: {tinydep: '2', tinytool: '1', tinydata: '3'}
"""


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: the requests are no output of the test."""


def make_wheel(
    folder: Path, name: str, version: str, modules: dict[str, str], entry_points: str = ""
) -> Path:
    """A pure wheel with the given modules, as an index would offer it."""
    info = f"{name}-{version}.dist-info"
    files = {
        **modules,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: t\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    if entry_points:
        files[f"{info}/entry_points.txt"] = entry_points
    record = "".join(f"{path},,\n" for path in files)
    file = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(file, "w") as archive:
        for path, text in {**files, f"{info}/RECORD": record + f"{info}/RECORD,,\n"}.items():
            archive.writestr(path, text)
    return file


def make_sdist(file: Path, members: dict[str, str]) -> Path:
    with tarfile.open(file, "w:gz") as archive:
        for name, text in members.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(text.encode())
            archive.addfile(entry, io.BytesIO(text.encode()))
    return file


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of wheels that pip is told to use instead of any index; nothing here needs the network."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    make_wheel(folder, "tinytool", "1", {"tinytool.py": ""})
    make_wheel(folder, "tinydep", "1", {"tinydep.py": "VERSION = 1\n"})
    make_wheel(folder, "tinydep", "2", {"tinydep.py": "VERSION = 2\n"})
    for name, value in (("CONFIG_FILE", os.devnull), ("NO_INDEX", "true"), ("FIND_LINKS", str(folder))):
        monkeypatch.setenv(f"PIP_{name}", value)
    for name in ("PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL"):
        monkeypatch.delenv(name, raising=False)
    return folder


@pytest.fixture
def notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file in which the tiny upstream notes every build."""
    file = tmp_path / "notes"
    file.touch()
    monkeypatch.setenv("TINY_NOTES", str(file))
    return file


@pytest.fixture
def pack() -> Callable[[Path, dict[str, str]], Path]:
    """Makes a source distribution of the given members."""
    return make_sdist


@pytest.fixture
def offer() -> Callable[..., Path]:
    """Makes a wheel of the given modules: folder, name, version, modules, entry points."""
    return make_wheel


@pytest.fixture
def sdist(tmp_path: Path) -> Path:
    members = {
        "tiny-1.5/pyproject.toml": PROJECT,
        "tiny-1.5/backend.py": BACKEND,
        "tiny-1.5/tiny.py": "KIND = 'source'\n",
    }
    return make_sdist(tmp_path / "tiny-1.5.tar.gz", members)


@pytest.fixture
def server(tmp_path: Path, sdist: Path) -> Iterator[str]:
    """A package index with the tiny upstream on it."""
    page = tmp_path / "web" / "simple" / "tiny"
    page.mkdir(parents=True)
    digest = hashlib.sha256(sdist.read_bytes()).hexdigest()
    (page / sdist.name).write_bytes(sdist.read_bytes())
    (page / "index.html").write_text(f'<a href="{sdist.name}#sha256={digest}">{sdist.name}</a>')
    handler = partial(_Quiet, directory=str(tmp_path / "web"))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as http:
        threading.Thread(target=http.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{http.server_port}/simple"
        http.shutdown()


@pytest.fixture
def root(
    tmp_path: Path,
    server: str,
    index: Path,
    notes: Path,
    offer: Callable[..., Path],
    monkeypatch: pytest.MonkeyPatch,
) -> Path:
    """The repository of a small backend."""
    offer(index, "tinydata", "3", {"tinydata.py": ""})
    root = tmp_path / "repository"
    package = root / "backend" / "src" / "tinybackend"
    package.mkdir(parents=True)
    (root / "pyproject.toml").write_text(PYPROJECT.format(index=server))
    (root / "compat_matrix.yaml").write_text(MATRIX)
    (root / "backend" / "pyproject.toml").write_text(PROJECT_OF_BACKEND)
    (package / "__init__.py").touch()
    (package / "check.py").write_text(CHECK)
    monkeypatch.setenv("SYNCBOT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("COUNTER", str(tmp_path / "runs"))
    return root
