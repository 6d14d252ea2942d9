"""GitHub and package indexes that answer with anything: one line, in bounded time and memory."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

import syncbot.cli
from syncbot.config import LanguageModelConfig
from syncbot.errors import EnvironmentFailure, SyncbotError
from syncbot.publish import api as publish_api
from syncbot.publish.api import GitHub
from syncbot.publish.retry import Patience
from syncbot.publish.token import Token
from syncbot.report.prose.endpoint import Endpoint
from syncbot.upstream import bounded_answers
from syncbot.upstream.index_listing import address
from syncbot.upstream.package_index import PackageIndex

from .test_credentials import Server, serving

MARK = "<!-- syncbot report 2026-11-22 part 1 -->"
DEEP = b"[" * 100_000 + b"]" * 100_000
JSON = {"Content-Type": "application/vnd.pypi.simple.v1+json"}


@pytest.fixture
def server() -> Iterator[Server]:
    with serving(Server(200, {"Content-Type": "application/json"})) as running:
        yield running


@pytest.fixture
def report(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setenv("GITHUB_TOKEN", "t0ken")
    monkeypatch.setenv("GITHUB_API_URL", f"http://127.0.0.1:{server.port}")
    monkeypatch.chdir(tmp_path)
    Path("r.md").write_text("# Report\n", encoding="utf-8")
    return ["publish", "report", "--repository", "a/b", "--day", "2026-11-22", "r.md"]


def index(server: Server, user: str = "") -> PackageIndex:
    return PackageIndex(address(f"http://{user}127.0.0.1:{server.port}/simple"))


def page(**file: object) -> bytes:
    known = {"filename": "x-1.0.tar.gz", "url": "http://127.0.0.1:9/x", "hashes": {"sha256": "0" * 64}}
    return json.dumps({"meta": {"api-version": "1.0"}, "name": "x", "files": [known | file]}).encode()


@pytest.mark.parametrize(
    "answer",
    [
        DEEP, b'{"a":' * 100_000, b"NaN", b'"x"', b"9" * 5_000, b"<html>log in</html>", b"\0",
        b'{"full_name": 5}', b'{"full_name": "\\ud800"}',
        *(
            json.dumps([entry]).encode()
            for entry in ({}, 5, None, {"body": MARK}, {"number": "x", "body": MARK}, {"body": 5, "number": 1},
                          {"number": 1, "body": MARK, "user": []}, {"number": 1, "body": MARK, "labels": {}})
        ),
        f'[{{"number": NaN, "body": "{MARK}"}}]'.encode(),
    ],
    ids=lambda answer: answer[:24].decode(),
)  # fmt: skip
def test_an_answer_of_githubs_that_is_none(server: Server, report: list[str], answer: bytes) -> None:
    server.answers = {
        "/issues": answer,
        "/repos/a/b": b'{"full_name": "a/b"}' if answer[:1] == b"[" else answer,
    }
    if answer == DEEP:
        server.answers = {"/": answer}
    done = CliRunner().invoke(syncbot.cli.main, report)
    assert (done.exit_code, done.output.count("\n")) == (3, 1), done.output


def test_what_github_says_stays_one_line(server: Server, report: list[str]) -> None:
    url = "http://x/\n::error::pwned\n\x1b]0;pwn\x07"
    body = "# Report\n\n" + MARK + "\n"
    issue = {"number": 1, "id": 1, "title": "Report (2026-11-22)", "body": body, "html_url": url}
    server.answers = {
        "/issues?": json.dumps([issue]).encode(),
        "/comments": b"[]",
        "/": b'{"full_name": "a/b"}',
    }
    done = CliRunner().invoke(syncbot.cli.main, report)
    assert (done.exit_code, done.output) == (
        0,
        "issue looked at: http://x/ ::error::pwned \\x1b]0;pwn\\x07\n",
    )
    server.status, server.answers = 403, {"/": b'{"message": "no\\n::error::\\u001b]31m"}'}
    done = CliRunner().invoke(syncbot.cli.main, report)
    assert (
        done.output
        == "syncbot: GitHub refused GET /repos/a/b: 403 no ::error::\\x1b]31m; the token lacks a right\n"
    )


@pytest.mark.parametrize(
    ("most", "target"),
    [
        pytest.param(7, "http://127.0.0.1:{port}/x?page=2", id="without end"),
        # The path is followed, the host never.
        pytest.param(3, "http://localhost:{port}/x", id="another name"),
        pytest.param(3, "http://127.0.0.1:9/x", id="another port"),
        pytest.param(3, "https://127.0.0.1:{port}/", id="another scheme"),
    ],
)
def test_a_list_ends_and_does_not_lead_to_another_host(
    server: Server, most: int, target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(publish_api, "_PAGES", most)
    server.headers = {"Link": f'<{target.format(port=server.port)}>; rel="next"'}
    server.answers = {"/": b"[]"}
    api = GitHub(Token("t0ken"), f"http://127.0.0.1:{server.port}", Patience(total=0), pause=0)
    with pytest.raises(EnvironmentFailure, match="has no end"):
        [*api.pages("/x", {})]
    assert len(server.seen) == most


@pytest.mark.parametrize(
    "headers", [{"Retry-After": "NaN"}, {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "\xb2"}]
)
def test_times_that_are_none(server: Server, report: list[str], headers: dict[str, str]) -> None:
    server.status, server.headers = 429 if "Retry-After" in headers else 403, headers
    done = CliRunner().invoke(syncbot.cli.main, report)
    assert (done.exit_code, done.output.count("\n")) == (3, 1), done.output


def test_an_answer_that_unpacks_without_end(
    server: Server, report: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounded_answers, "LARGEST", 1 << 20)
    server.headers = {"Content-Encoding": "gzip", **JSON}
    server.answers = {"/": gzip.compress(b" " * (1 << 21))}
    done = CliRunner().invoke(syncbot.cli.main, report)
    assert (done.exit_code, "more than 1 MiB" in done.output) == (3, True)
    with pytest.raises(EnvironmentFailure, match="cannot be read"):
        index(server).listing("x")
    server.answers = {"/": gzip.compress(page() + b" " * 1000)}
    assert len(index(server).listing("x").files) == 1


@pytest.mark.parametrize(
    "answer",
    [
        DEEP, page().replace(b"[", DEEP[:100_000]), b"NaN", b"[]", page(url=5), page(hashes=[5]), page(hashes={"sha256": 5}),
        page(**{"upload-time": "9" * 50}), page(url="http://[::1"), page().replace(b"1.0", b"99.0"),
    ],
    ids=lambda answer: answer[-40:].decode(),
)  # fmt: skip
def test_a_page_of_an_index_that_is_none(server: Server, answer: bytes) -> None:
    server.headers, server.answers = JSON, {"/": answer}
    with pytest.raises(SyncbotError, match="is no page of a package index"):
        index(server).listing("x")


def test_a_digest_names_no_file_elsewhere(server: Server, tmp_path: Path) -> None:
    server.headers, server.answers = JSON, {"/": page(hashes={"sha256": "../../../../escaped/x"})}
    (file,) = index(server).listing("x").files
    with pytest.raises(EnvironmentFailure, match="gives no sha256"):
        index(server).download(file, tmp_path / "a/b/cache")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.long
def test_an_index_that_wants_to_be_waited_for(server: Server) -> None:
    server.status, server.headers = 429, {"Retry-After": "99999999"}
    with pytest.raises(EnvironmentFailure, match="answered 429"):
        index(server).listing("x")


@pytest.mark.parametrize(
    "target", ["http://[::1", "ftp://x/y", "file:///etc/passwd", "http://localhost:{port}/y"]
)
def test_an_index_that_redirects(server: Server, target: str) -> None:
    with serving(Server(404)) as other:
        server.status, server.headers = 302, {"Location": target.format(port=other.port)}
        with pytest.raises(SyncbotError) as refused:
            index(server, "me:pa55@").listing("x")
    assert "pa55" not in str(refused.value)
    assert [given for _, given in other.seen if given] == []


def test_a_name_and_password_that_no_header_can_hold(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    for user in ("%0d%0aX: y:p@", "ü€:pa55@"):
        with pytest.raises(SyncbotError) as refused:
            index(server, user).listing("x")
        assert "pa55" not in str(refused.value)
    monkeypatch.setenv("http_proxy", "http://me:pa55@[::1")
    monkeypatch.setenv("no_proxy", "")
    with pytest.raises(SyncbotError) as refused:
        PackageIndex(address("http://index.invalid/simple")).listing("x")
    assert "pa55" not in str(refused.value)


@pytest.mark.parametrize("key", ["s3cr3t\n", "s3cr3t\r\nX: y", "s3cr3tключ", "s3cr3t\udce9"])
def test_a_models_key_that_no_header_can_hold(server: Server, key: str) -> None:
    settings = LanguageModelConfig(base_url=f"http://127.0.0.1:{server.port}/v1", model="m")
    reply = Endpoint(settings, key).ask([{"role": "user", "content": "x"}])
    assert reply.failure is not None
    assert "no header can hold" in repr(reply.failure)
    assert "s3cr3t" not in repr(reply)
    assert server.seen == []
