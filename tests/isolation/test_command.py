from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from syncbot import project_folders
from syncbot.isolation import command
from syncbot.isolation.command import apart, own_python, refusal
from syncbot.isolation.variables import few, is_secret
from tests.interrupted_program import living

# Says what it could do: write to places, read others, reach a server outside and its own.
TRIES = """
import json, os, socket, subprocess, sys
from pathlib import Path
told = json.loads(sys.argv[1])
found = {"writes": [], "reads": [], "reaches": []}
for place in told["write"]:
    try:
        Path(place).write_text("changed")
        found["writes"].append(Path(place).name)
    except OSError:
        pass
for place in told["read"]:
    try:
        found["reads"] += [Path(place).name] if Path(place).read_bytes() else []
    except OSError:
        pass
with socket.create_server(("127.0.0.1", 0)) as own:
    for port in (told["port"], own.getsockname()[1]):
        try:
            socket.create_connection(("127.0.0.1", port), 2).close()
            found["reaches"].append(port == told["port"])
        except OSError:
            pass
for again in (["mount", "-o", "remount,rw,bind", told["project"]], ["umount", told["project"]],
              ["unshare", "-Urm", "mount", "-o", "remount,rw,bind", told["project"]]):
    subprocess.run(again, capture_output=True)
try:
    Path(told["project"], "again").write_text("changed")
    found["writes"].append("again")
except OSError:
    pass
print(json.dumps(found))
"""


@pytest.fixture
def port() -> Iterator[int]:
    """The port of a server of this machine, outside of what runs apart."""
    with ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as http:
        threading.Thread(target=http.serve_forever, daemon=True).start()
        yield http.server_port
        http.shutdown()


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's home with a key in it."""
    home = tmp_path / "home"
    (home / ".ssh").mkdir(parents=True)
    (home / ".ssh/key").write_text("private")
    (home / ".netrc").write_text("login")
    monkeypatch.setenv("HOME", str(home))
    return home


def tried(tmp_path: Path, home: Path, port: int) -> dict[str, list[object]]:
    for name in ("project/.git", "work", "kept"):
        (tmp_path / name).mkdir(parents=True, exist_ok=True)
    project_folders.know(tmp_path / "project")
    told = {
        "write": [str(tmp_path / at) for at in ("project/a", "project/.git/b", "kept/c", "home/d", "work/e")],
        "read": [str(home / ".ssh/key"), str(home / ".netrc"), f"/proc/{os.getpid()}/environ"],
        "project": str(tmp_path / "project"),
        "port": port,
    }
    line = apart([sys.executable, "-c", TRIES, json.dumps(told)], [tmp_path / "work"], [tmp_path / "kept"])
    done = subprocess.run(line, capture_output=True, text=True, check=True, cwd=tmp_path / "work")
    found: dict[str, list[object]] = json.loads(done.stdout)
    return found


def test_what_runs_apart_reaches_nothing_and_writes_to_its_own_folder_only(
    tmp_path: Path, home: Path, port: int
) -> None:
    found = tried(tmp_path, home, port)
    if refusal():
        # A system that lets no user make namespaces: what is promised then is that `syncbot doctor` says so.
        assert "e" in found["writes"]
    else:
        assert found == {"writes": ["e"], "reads": [], "reaches": [False]}
        assert not list((tmp_path / "project").rglob("[ab]*"))


def test_where_the_system_refuses_it_the_command_runs_as_it_is(
    tmp_path: Path, home: Path, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "refusal", lambda: "Operation not permitted")
    found = tried(tmp_path, home, port)
    assert found["writes"] == ["a", "b", "c", "d", "e", "again"]
    assert found["reaches"] == [True, False]


def test_a_folder_that_is_a_link_is_guarded_where_it_leads(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    line = apart(["touch", str(tmp_path / "real/a")], [], [tmp_path / "link"])
    assert subprocess.run(line, capture_output=True, check=False).returncode == (1 if not refusal() else 0)


def test_own_python_finds_what_this_process_finds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine.py").write_text("NAME = 'mine'")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path, "", "relative"])
    line = own_python(
        "import mine; print(mine.NAME, sys.argv[1], '' in sys.path or 'relative' in sys.path)", "x"
    )
    assert subprocess.run(line, capture_output=True, text=True, check=True).stdout == "mine x False\n"


def test_foreign_code_sees_few_variables_and_no_secret(tmp_path: Path) -> None:
    given = {
        "PATH": "/bin", "LC_ALL": "C", "CMAKE_ARGS": "-O", "HOME": "/home/me", "GITHUB_TOKEN": "1", "EDITOR": "vi",
        "PIP_INDEX_URL": "https://me:secret@example.org", "ASCEND_HOME": "/opt", "ASCEND_TOKEN": "2",
        "PYTHONPATH": "/evil", "PYTHONSTARTUP": "/evil", "LD_PRELOAD": "/evil", "GIT_SSH_COMMAND": "evil",
        "BASH_ENV": "/evil", "CMAKE_SECRET": "3",
    }  # fmt: skip
    assert few(given, tmp_path, ["ASCEND_*", "GITHUB_TOKEN"]) == {
        "PATH": "/bin", "LC_ALL": "C", "CMAKE_ARGS": "-O", "ASCEND_HOME": "/opt", "HOME": str(tmp_path),
    }  # fmt: skip
    assert "HOME" not in few(given, None)


@pytest.mark.parametrize(
    "name", ["GH_TOKEN", "AWS_SECRET_ACCESS_KEY", "npm_config__auth", "PGPASSWORD", "API_KEY"]
)
def test_a_name_of_a_secret(name: str) -> None:
    assert is_secret(name)
    assert not is_secret(f"{name[:2]}_MONKEYS")


@pytest.mark.parametrize(
    ("ending", "code"), [("sys.exit(7)", 7), ("os.kill(os.getpid(), 9)", -9), ("pass", 0)]
)
def test_what_a_command_starts_in_a_session_of_its_own_ends_with_it(
    tmp_path: Path, ending: str, code: int
) -> None:
    number = f"30.{os.getpid()}{code + 9}"
    daemon = f"import os, subprocess, sys; subprocess.run(['setsid', '-f', 'sleep', '{number}']); {ending}"
    done = subprocess.run(apart([sys.executable, "-c", daemon], [tmp_path]), check=False)
    assert done.returncode == code
    assert refusal() or living(number) == []


def test_an_orphan_that_has_ended_is_gone_while_the_command_runs(tmp_path: Path) -> None:
    program = """
import os, time
read, write = os.pipe()
if (child := os.fork()) == 0:
    if (orphan := os.fork()) == 0:
        os._exit(0)
    os.write(write, str(orphan).encode())
    os._exit(0)
os.waitpid(child, 0)
orphan, end = os.read(read, 20).decode(), time.monotonic() + 20
while os.path.exists(f"/proc/{orphan}") and time.monotonic() < end:
    time.sleep(0.05)
print("there" if os.path.exists(f"/proc/{orphan}") else "gone")
"""
    line = apart([sys.executable, "-c", program], [tmp_path])
    done = subprocess.run(line, check=False, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "gone\n")


def test_a_command_that_is_not_there_is_told(tmp_path: Path) -> None:
    done = subprocess.run(apart(["/nowhere/x"], [tmp_path]), check=False, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (127, "/nowhere/x: No such file or directory\n")


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_who_ends_the_command_ends_it_whole(tmp_path: Path, how: signal.Signals) -> None:
    number = f"31.{os.getpid()}{how}"
    with subprocess.Popen(
        apart(["sh", "-c", f"sleep {number}; echo over"], [tmp_path]), stdout=subprocess.PIPE
    ) as process:
        while not living(number):
            assert process.poll() is None
        process.send_signal(how)
        assert process.wait(20) == -how
    assert [found for found in living(number) if found.startswith("sh ")] == []
