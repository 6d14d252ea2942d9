"""A GitHub of one's own: a real HTTP server with state, that holds requests and answers against GitHub's
published description of its API (``data/github-openapi.json``)."""

from __future__ import annotations

import json
import re
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from jsonschema import Draft202012Validator

from .openapi import EXTRACT

TOKEN = "ghp_" + "S3cr3t0fTh3T3sts" * 2
DESCRIPTION: dict[str, Any] = json.loads(EXTRACT.read_text(encoding="utf-8"))
LONGEST = 65_536


@dataclass(frozen=True)
class Call:
    method: str
    path: str
    query: dict[str, str]
    body: Any


@dataclass
class Fault:
    """An answer in place of the real one, for the next request that fits; ``done`` carries it out first."""

    method: str
    path: str
    status: int
    headers: dict[str, str] = field(default_factory=dict)
    message: str = "Server Error"
    done: bool = False


@dataclass
class State:
    """State of the repository ``name``. ``repository`` is a bare git repository whose commits it shows."""

    name: str = "octocat/backend"
    old_name: str | None = None
    prefix: str = ""
    repository: Path | None = None
    archived: bool = False
    may_label: bool = True
    login: str = "syncbot[bot]"
    page: int = 100
    issues: list[dict[str, Any]] = field(default_factory=list)
    comments: list[dict[str, Any]] = field(default_factory=list)
    labels: dict[str, dict[str, Any]] = field(default_factory=dict)
    statuses: list[dict[str, Any]] = field(default_factory=list)
    heads: dict[int, dict[str, Any]] = field(default_factory=dict)
    calls: list[Call] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    violations: list[str] = field(default_factory=list)
    url: str = ""

    def writes(self) -> list[Call]:
        return [call for call in self.calls if call.method != "GET"]

    def add(self, title: str, body: str, labels: list[str], **others: Any) -> dict[str, Any]:
        """An issue; with ``pull_request`` a pull request, which GitHub counts among them."""
        number = len(self.issues) + 1
        issue = {
            "number": number, "title": title, "body": body, "state": "open", "user": {"login": self.login},
            "html_url": f"{self.url}/{self.name}/issues/{number}", "labels": [{"name": name} for name in labels],
            "updated_at": "9999-01-01T00:00:00Z", **others,
        }  # fmt: skip
        self.issues.append(issue)
        return issue

    def comment(self, number: int, body: str, login: str | None = None) -> dict[str, Any]:
        made = {"id": 1000 + len(self.comments), "body": body, "user": {"login": login or self.login}}
        self.comments.append(made | {"issue": number})
        return self.comments[-1]

    def thread(self, number: int) -> list[str]:
        return [comment["body"] for comment in self.comments if comment["issue"] == number]


def _json_schema(schema: Any) -> Any:
    """OpenAPI 3.0 says ``nullable`` where JSON Schema says ``null``."""
    if isinstance(schema, list):
        return [_json_schema(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    found = {key: _json_schema(value) for key, value in schema.items() if key != "nullable"}
    return {"anyOf": [{"type": "null"}, found]} if schema.get("nullable") is True else found


def operation_of(method: str, path: str) -> tuple[dict[str, Any], dict[str, str]] | None:
    for template, methods in DESCRIPTION["paths"].items():
        pattern = re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>[^/]+)", re.escape(template))
        found = re.fullmatch(pattern, path)
        if found and method.lower() in methods:
            return methods[method.lower()], {k: unquote(v) for k, v in found.groupdict().items()}
    return None


def complaints(call: Call) -> list[str]:
    """Return the objections of GitHub's description to a request."""
    known = operation_of(call.method, call.path)
    if known is None:
        return [f"{call.method} {call.path}: no such operation"]
    operation, at = known
    found = []
    parameters = {(p["in"], p["name"]): p["schema"] for p in operation["parameters"]}
    given = {("path", name): value for name, value in at.items()}
    given |= {("query", name): value for name, value in call.query.items()}
    for place, value in given.items():
        schema = parameters.get(place)
        if schema is None:
            found.append(f"{call.method} {call.path}: no parameter {place}")
            continue
        typed: Any = int(value) if schema.get("type") == "integer" and value.isdigit() else value
        if not Draft202012Validator(_json_schema(schema)).is_valid(typed):
            found.append(f"{call.method} {call.path}: {place} cannot be {value!r}")
    body = operation.get("requestBody")
    if body is None or (call.body is None and not body["required"]):
        return found + ([f"{call.method} {call.path}: takes no body"] if call.body is not None else [])
    schema = {**_json_schema(body["schema"]), "additionalProperties": False}
    return found + [
        f"{call.method} {call.path}: {e.message}" for e in Draft202012Validator(schema).iter_errors(call.body)
    ]


class _Refused(Exception):
    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class Answers:
    """The operations, by the id that GitHub's description gives them."""

    def __init__(self, state: State) -> None:
        self.state = state

    def repos_get(self, at: dict[str, str], call: Call) -> Any:
        return {"full_name": self.state.name, "default_branch": "main", "archived": self.state.archived}

    def issues_list_for_repo(self, at: dict[str, str], call: Call) -> Any:
        found = []
        for issue in reversed(self.state.issues):
            names = {label["name"].lower() for label in issue["labels"]}
            wanted = [name.lower() for name in call.query.get("labels", "").split(",") if name]
            state = call.query.get("state", "open")
            recent = issue["updated_at"] >= call.query.get("since", "")
            if recent and set(wanted) <= names and state in ("all", issue["state"]):
                found.append(issue)
        return found

    def issues_create(self, at: dict[str, str], call: Call) -> Any:
        labels = call.body.get("labels", []) if self.state.may_label else []
        return self.state.add(call.body["title"], call.body.get("body", ""), labels)

    def issues_update(self, at: dict[str, str], call: Call) -> Any:
        issue = self._issue(at["issue_number"])
        issue.update({key: call.body[key] for key in ("title", "body", "state") if key in call.body})
        return issue

    def issues_list_comments(self, at: dict[str, str], call: Call) -> Any:
        self._issue(at["issue_number"])
        return [c for c in self.state.comments if c["issue"] == int(at["issue_number"])]

    def issues_create_comment(self, at: dict[str, str], call: Call) -> Any:
        return self.state.comment(self._issue(at["issue_number"])["number"], call.body["body"])

    def issues_update_comment(self, at: dict[str, str], call: Call) -> Any:
        comment = self._comment(at["comment_id"])
        comment["body"] = call.body["body"]
        return comment

    def issues_delete_comment(self, at: dict[str, str], call: Call) -> Any:
        self.state.comments.remove(self._comment(at["comment_id"]))

    def issues_get_label(self, at: dict[str, str], call: Call) -> Any:
        if at["name"].lower() not in self.state.labels:
            raise _Refused(404, "Not Found")
        return self.state.labels[at["name"].lower()]

    def issues_create_label(self, at: dict[str, str], call: Call) -> Any:
        if call.body["name"].lower() in self.state.labels:
            raise _Refused(422, "Validation Failed")
        self.state.labels[call.body["name"].lower()] = call.body
        return call.body

    def pulls_list(self, at: dict[str, str], call: Call) -> Any:
        owner = self.state.name.partition("/")[0]
        state = call.query.get("state", "open")
        return [
            self._pull(issue)
            for issue in self.state.issues
            if "pull_request" in issue and state in ("all", issue["state"])
            and call.query.get("head", "") in ("", f"{owner}:{self.state.heads[issue['number']]['ref']}")
            and call.query.get("base", "") in ("", self.state.heads[issue["number"]]["base"])
        ]  # fmt: skip

    def pulls_create(self, at: dict[str, str], call: Call) -> Any:
        self._git("rev-parse", "--verify", f"refs/heads/{call.body['base']}")
        sha = self._git("rev-parse", "--verify", f"refs/heads/{call.body['head']}")
        issue = self.state.add(call.body["title"], call.body["body"], [], pull_request={})
        self.state.heads[issue["number"]] = {"ref": call.body["head"], "sha": sha, "base": call.body["base"]}
        return self._pull(issue)

    def pulls_update(self, at: dict[str, str], call: Call) -> Any:
        issue = self._issue(at["pull_number"])
        issue.update({key: call.body[key] for key in ("title", "body", "state") if key in call.body})
        return self._pull(issue)

    def repos_list_commit_statuses_for_ref(self, at: dict[str, str], call: Call) -> Any:
        return [status for status in reversed(self.state.statuses) if status["sha"] == at["ref"]]

    def repos_create_commit_status(self, at: dict[str, str], call: Call) -> Any:
        made = {"target_url": None, "description": None, "context": "default", **call.body, "sha": at["sha"]}
        self.state.statuses.append(made)
        return made

    def git_get_commit(self, at: dict[str, str], call: Call) -> Any:
        sha = at["commit_sha"]
        form = self._git("show", "--no-patch", "--format=%T%n%P%n%an%n%B", sha).split("\n", 3)
        parents = [{"sha": parent} for parent in form[1].split()]
        return {"sha": sha, "tree": {"sha": form[0]}, "parents": parents, "author": {"name": form[2]}, "message": form[3]}  # fmt: skip

    def _issue(self, number: str) -> dict[str, Any]:
        for issue in self.state.issues:
            if issue["number"] == int(number):
                return issue
        raise _Refused(404, "Not Found")

    def _comment(self, number: str) -> dict[str, Any]:
        for comment in self.state.comments:
            if comment["id"] == int(number):
                return comment
        raise _Refused(404, "Not Found")

    def _pull(self, issue: dict[str, Any]) -> dict[str, Any]:
        head = self.state.heads[issue["number"]]
        return {**issue, "head": {"ref": head["ref"], "sha": head["sha"]}}

    def _git(self, *args: str) -> str:
        assert self.state.repository is not None
        line = ["git", f"--git-dir={self.state.repository}", *args]
        done = subprocess.run(line, capture_output=True, text=True)
        if done.returncode:
            raise _Refused(422, f"Validation Failed: {done.stderr.strip()}")
        return done.stdout.strip()


class _Handler(BaseHTTPRequestHandler):
    state: State
    extra: Callable[[_Handler], bool] | None = None
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def _do(self) -> None:
        state, parts = self.state, urlsplit(self.path)
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        path = parts.path.removeprefix(state.prefix)
        body = json.loads(raw) if raw else None
        call = Call(self.command, path, dict(parse_qsl(parts.query)), body)
        state.calls.append(call)
        found = complaints(call)
        state.violations += found
        if found:
            return self._answer(500, {"message": found[0]})
        if self.headers.get("Authorization") != f"token {TOKEN}":
            return self._answer(401, {"message": "Bad credentials"})
        known = operation_of(call.method, path)
        assert known is not None
        operation, at = known
        if state.old_name and path.startswith(f"/repos/{state.old_name}"):
            location = (
                f"{state.url}{state.prefix}/repos/{state.name}{path.removeprefix(f'/repos/{state.old_name}')}"
            )
            return self._answer(301, {"message": "Moved Permanently"}, {"Location": location})
        if not path.startswith(f"/repos/{state.name}"):
            return self._answer(404, {"message": "Not Found"})
        fault = next((f for f in state.faults if f.method == call.method and re.search(f.path, path)), None)
        if fault is not None:
            state.faults.remove(fault)
            if not fault.done:
                return self._answer(fault.status, {"message": fault.message}, fault.headers)
        try:
            if len((body or {}).get("body") or "") > LONGEST:
                raise _Refused(422, f"body is too long (maximum is {LONGEST} characters)")
            name = operation["operationId"].replace("/", "_").replace("-", "_")
            answer = getattr(Answers(state), name)(at, call)
        except _Refused as refusal:
            return self._answer(refusal.status, {"message": str(refusal)})
        if fault is not None:
            return self._answer(fault.status, {"message": fault.message}, fault.headers)
        status = next(code for code in operation["responses"] if code.startswith("2"))
        headers = {}
        if isinstance(answer, list):
            answer, headers = self._page(call, answer)
        schema = operation["responses"][status]
        if schema is not None:
            errors = Draft202012Validator(_json_schema(schema)).iter_errors(answer)
            state.violations += [
                f"the server's own answer to {call.method} {path}: {e.message}" for e in errors
            ]
        return self._answer(int(status), answer, headers)

    do_GET = do_POST = do_PATCH = do_DELETE = _do

    def _page(self, call: Call, entries: list[Any]) -> tuple[list[Any], dict[str, str]]:
        size = min(int(call.query.get("per_page", 30)), self.state.page)
        number = int(call.query.get("page", 1))
        shown = entries[(number - 1) * size : number * size]
        if number * size >= len(entries):
            return shown, {}
        query = "&".join(f"{k}={v}" for k, v in {**call.query, "page": str(number + 1)}.items())
        link = f'<{self.state.url}{self.state.prefix}{call.path}?{query}>; rel="next"'
        return shown, {"Link": link}

    def _answer(self, status: int, body: Any, headers: dict[str, str] | None = None) -> None:
        raw = b"" if body is None else json.dumps(body).encode()
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Type", "application/json; charset=utf-8")
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)


@contextmanager
def serving(state: State) -> Iterator[State]:
    """A GitHub with this state, at ``state.url``. What broke GitHub's description fails the test."""
    handler = type("Handler", (_Handler,), {"state": state})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    state.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
    assert state.violations == []
