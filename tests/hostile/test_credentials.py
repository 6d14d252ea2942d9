"""A user, a password or a key in an address goes to that address alone, encrypted, and into no output."""

from __future__ import annotations

import base64
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from git import Repo

import syncbot.cli
from syncbot.errors import UsageError
from syncbot.publish.push import Remote
from syncbot.publish.token import Token
from syncbot.upstream.git_command import GitCommand, refuse_unencrypted, without_credentials
from syncbot.upstream.index_listing import address

from .test_every_command import leaves

SECRETS = (
    "s3cr3t-user",
    "s3cr3t-pass",
    "s3cr3t-query",
    base64.b64encode(b"s3cr3t-user:s3cr3t-pass").decode(),
)
PROJECT = """\
[project]
name = "plugin"
version = "1"

[tool.syncbot.project]
package = "plugin"

[tool.syncbot.upstreams.engine]
packages = ["engine"]
git = "../nowhere"
"""
# What each command needs beside its upstream.
NEEDED = {
    "apply": ["--to", "main"],
    "bisect": ["--from", "a", "--to", "b", "true"],
    "explain": ["a.b"],
    "gate": ["--from", "0.1", "--keep", "0.1", "--allow-dirty", "--gate", 'up("{version}")'],
    "gate-check": ["--trees", "a=b"],
    "lint": ["--at", "v2.0.0"],
    "migrate": ["--from", "a", "--allow-dirty"],
    "plan": ["--from", "a"],
    "site": ["--output", "site", "--since", "yesterday"],
    "triage": ["log", "--from", "a"],
    "witness": ["0", "--from", "a"],
}


@dataclass
class Server:
    """Answers a request with a status, headers and what goes with the first text that its path has; remembers who
    came with what."""

    status: int = 401
    headers: dict[str, str] = field(default_factory=lambda: {"WWW-Authenticate": "Basic"})
    seen: list[tuple[str, str | None]] = field(default_factory=list)
    answers: dict[str, bytes] = field(default_factory=dict)
    port: int = 0


@contextmanager
def serving(server: Server) -> Iterator[Server]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            server.seen.append((self.path, self.headers.get("Authorization")))
            self.send_response(server.status)
            for name, value in server.headers.items():
                self.send_header(name, value)
            content = next((text for path, text in server.answers.items() if path in self.path), b"")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            with suppress(OSError):
                self.wfile.write(content)

        do_POST = do_GET

        def log_message(self, *_: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        server.port = running.server_port
        threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        yield server
        running.shutdown()


def with_upstream(group: click.Command) -> Iterator[str]:
    """The commands that open what the option names: a server does not before it is asked, and a new overlay
    takes the name of a distribution."""
    for name in leaves(group):
        if name in ("mcp", "overlay new"):
            continue
        command = group
        for word in name.split():
            assert isinstance(command, click.Group)
            command = command.get_command(click.Context(command), word) or command
        if any("--upstream" in option.opts for option in command.params):
            yield name


def told(tmp_path: Path, name: str, url: str) -> tuple[int, str]:
    backend = tmp_path / "backend"
    (backend / "src/plugin").mkdir(parents=True, exist_ok=True)
    (backend / "src/plugin/__init__.py").write_text("import engine\n", encoding="utf-8")
    (backend / "pyproject.toml").write_text(PROJECT, encoding="utf-8")
    matrix = 'upstream: engine\nbaseline: v2.0.0\nlanes: [{tag: v2.0.0, wheel: 2.0.0, python: ">=3.11"}]\n'
    (backend / "compat_matrix.yaml").write_text(matrix, encoding="utf-8")
    with Repo.init(backend) as repository:
        repository.index.commit("Begin")
        repository.index.add(["src"])
    (tmp_path / "log").write_text("E   ImportError: cannot import name 'a' from 'engine'\n", encoding="utf-8")
    where = [str(backend)] if name == "contracts" else ["--backend", str(backend)]
    line = [*name.split(), "--upstream", url, *where, *NEEDED.get(name, [])]
    done = CliRunner().invoke(syncbot.cli.main, line)
    return done.exit_code, done.output


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYNCBOT_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)


def url(host: str, scheme: str = "http") -> str:
    return f"{scheme}://s3cr3t-user:s3cr3t-pass@{host}/o/engine.git?access_token=s3cr3t-query&x=1"


@pytest.mark.parametrize("name", list(with_upstream(syncbot.cli.main)))
def test_no_command_tells_what_is_in_an_address(tmp_path: Path, name: str) -> None:
    with serving(Server()) as server:
        code, output = told(tmp_path, name, url(f"127.0.0.1:{server.port}"))
    assert code == 3, output
    assert "cannot be fetched" in output
    assert [secret for secret in SECRETS if secret in output] == []
    assert server.seen


def test_nor_does_the_line_to_paste(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(NEEDED, "lint", [])
    code, output = told(tmp_path, "lint", url("127.0.0.1:1"))
    assert (code, "syncbot lint --upstream" in output) == (2, True)
    assert [secret for secret in SECRETS if secret in output] == []


def test_an_unencrypted_address_is_refused(tmp_path: Path) -> None:
    code, output = told(tmp_path, "check", url("upstream.invalid"))
    assert (code, output.count("\n")) == (2, 1)
    assert "would get a password unencrypted" in output
    assert [secret for secret in SECRETS if secret in output] == []
    for fine in ("http://upstream.invalid/x", "https://a:b@upstream.invalid", "http://a:b@127.0.0.1:8/x"):
        refuse_unencrypted(fine)
    with pytest.raises(UsageError, match="unencrypted"):
        address("http://me:pass@index.invalid/simple")


def test_a_password_is_not_sent_on_to_another_host(tmp_path: Path) -> None:
    with serving(Server()) as other, serving(Server()) as first:
        first.status = 302
        first.headers = {
            "Location": f"http://localhost:{other.port}/o/engine.git/info/refs?service=git-upload-pack"
        }
        code, output = told(tmp_path, "check", url(f"127.0.0.1:{first.port}"))
    assert code == 3
    assert first.seen
    assert [given for _, given in other.seen if given] == []
    assert [secret for secret in SECRETS if secret in output] == []


def test_a_token_for_a_push_is_not_sent_on(tmp_path: Path) -> None:
    git = GitCommand(tmp_path)
    with serving(Server()) as other, serving(Server(302)) as first:
        where = f"http://localhost:{other.port}/o/r.git/info/refs?service=git-receive-pack"
        first.headers = {"Location": where}
        remote = Remote(f"http://127.0.0.1:{first.port}/o/r.git", Token("t0ken"), "127.0.0.1")
        environment = {**remote.environment(), "GIT_ALLOW_PROTOCOL": "http"}
        assert git.attempt("ls-remote", remote.url, environment=environment).returncode
    assert [given for _, given in first.seen] == [f"Basic {Token('t0ken').basic()}"]
    assert other.seen == []


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("https://u:p@h/x", "https://h/x"),
        ("https://h/x?private_token=abc&b=1 failed", "https://h/x?private_token=***&b=1 failed"),
        ("'https://h/?a=1;api_key=abc'", "'https://h/?a=1;api_key=***'"),
        ("https://h/x?X-Amz-Signature=abc", "https://h/x?X-Amz-Signature=***"),
        ("https://h/x?page=2&per_page=3", "https://h/x?page=2&per_page=3"),
    ],
)
def test_addresses_without_credentials(text: str, shown: str) -> None:
    assert without_credentials(text) == shown


def test_errors_name_what_git_was_asked_to_do(tmp_path: Path) -> None:
    with pytest.raises(Exception, match=r"^git fetch failed in "):
        GitCommand(tmp_path).run("-c", "a.b=c", "-c", "d.e=f", "fetch", "--quiet", "origin")


@pytest.mark.parametrize("option", ["--upstream", "--package"])
def test_a_new_overlay_does_not_tell_what_is_in_an_address(tmp_path: Path, option: str) -> None:
    given = {"--package": "a==1", "--upstream": "a"} | {option: url("127.0.0.1:1") + "==1"}
    line = ["overlay", "new", "--lane", "1.0", *(word for pair in given.items() for word in pair)]
    done = CliRunner().invoke(syncbot.cli.main, line)
    assert done.exit_code == 2, done.output
    assert [secret for secret in SECRETS if secret in done.output] == []
