"""The operations of GitHub's REST API that are used, taken from GitHub's own OpenAPI description.

The description comes in the npm package ``@octokit/openapi`` (MIT licence). To take a new version of it:

    npm pack @octokit/openapi@VERSION
    python -m tests.publish.openapi octokit-openapi-VERSION.tgz

and, where the package's integrity is another one, put that here first. What is kept is what a test holds
requests and answers against: parameters, bodies, statuses; of answers, the fields that are read.
"""

from __future__ import annotations

import base64
import hashlib
import json
import sys
import tarfile
from pathlib import Path
from typing import Any

VERSION = "23.0.2"
INTEGRITY = "sha512-pV8M7L9GY23AybNvTmo2nyjmpmnt6+2sRE/tqr0ZLQcPS4lnw7u5eZGNmwRNkBC3D7gZXbFx5AHzLUVRBXGDhg=="
EXTRACT = Path(__file__).parent / "data" / "github-openapi.json"

_REPO = "/repos/{owner}/{repo}"
# Of each operation, the fields of its answer that are read.
_ISSUE = ("number", "title", "body", "state", "html_url", "labels", "user")
_COMMENT = ("id", "body", "user")
_PULL = ("number", "state", "title", "body", "html_url", "user", "head")
_STATUS = ("state", "context", "description", "target_url")
OPERATIONS: dict[tuple[str, str], tuple[str, ...]] = {
    ("get", _REPO): ("full_name", "default_branch", "archived"),
    ("get", f"{_REPO}/issues"): _ISSUE,
    ("post", f"{_REPO}/issues"): _ISSUE,
    ("patch", f"{_REPO}/issues/{{issue_number}}"): _ISSUE,
    ("get", f"{_REPO}/issues/{{issue_number}}/comments"): _COMMENT,
    ("post", f"{_REPO}/issues/{{issue_number}}/comments"): _COMMENT,
    ("patch", f"{_REPO}/issues/comments/{{comment_id}}"): _COMMENT,
    ("delete", f"{_REPO}/issues/comments/{{comment_id}}"): (),
    ("get", f"{_REPO}/labels/{{name}}"): ("name",),
    ("post", f"{_REPO}/labels"): ("name",),
    ("get", f"{_REPO}/pulls"): _PULL,
    ("post", f"{_REPO}/pulls"): _PULL,
    ("patch", f"{_REPO}/pulls/{{pull_number}}"): _PULL,
    ("get", f"{_REPO}/commits/{{ref}}/statuses"): _STATUS,
    ("post", f"{_REPO}/statuses/{{sha}}"): _STATUS,
    ("get", f"{_REPO}/git/commits/{{commit_sha}}"): ("sha", "message", "tree", "parents", "author"),
}
_DROPPED = {"description", "example", "examples", "x-github", "title", "externalDocs"}


def extract(document: dict[str, Any]) -> dict[str, Any]:
    """The operations, with every reference replaced by what it refers to."""
    paths: dict[str, Any] = {}
    for (method, path), fields in OPERATIONS.items():
        operation = document["paths"][path][method]
        kept: dict[str, Any] = {
            "operationId": operation["operationId"],
            "parameters": [
                {key: value for key, value in _whole(document, p, ()).items() if key != "x-multi-segment"}
                for p in operation["parameters"]
            ],
            "responses": {
                status: _answer(document, _whole_once(document, answer), fields)
                for status, answer in operation["responses"].items()
            },
        }
        if "requestBody" in operation:
            body = operation["requestBody"]
            schema = body["content"]["application/json"]["schema"]
            kept["requestBody"] = {
                "required": body.get("required", False),
                "schema": _whole(document, schema, ()),
            }
        paths.setdefault(path, {})[method] = kept
    info = {"package": "@octokit/openapi", "version": VERSION, "integrity": INTEGRITY, "license": "MIT"}
    return {"info": info, "paths": paths}


def _answer(document: dict[str, Any], answer: dict[str, Any], fields: tuple[str, ...]) -> Any:
    schema = answer.get("content", {}).get("application/json", {}).get("schema")
    if schema is None or not fields:
        return None
    schema = _whole_once(document, schema)
    if schema.get("type") == "array":
        return {"type": "array", "items": _fields(document, schema["items"], fields)}
    return _fields(document, schema, fields)


def _fields(document: dict[str, Any], schema: dict[str, Any], fields: tuple[str, ...]) -> dict[str, Any]:
    schema = _whole_once(document, schema)
    for inner in schema.get("allOf", ()):
        return _fields(document, inner, fields)
    known = schema.get("properties", {})
    if not set(fields) <= known.keys():
        # An answer to an error; nothing of it but the message is read.
        return {"type": "object"}
    required = [field for field in fields if field in schema.get("required", ())]
    properties = {field: _shallow(document, known[field], field) for field in fields}
    return {"type": "object", "required": required, "properties": properties}


def _shallow(document: dict[str, Any], schema: dict[str, Any], field: str) -> Any:
    """A field of an answer; of objects within it, the names that are read."""
    inner = {"user": ("login",), "head": ("ref", "sha"), "tree": ("sha",), "author": ("name",)}.get(field)
    schema = _whole_once(document, schema)
    if inner is not None:
        for choice in schema.get("anyOf", ()):
            found = _whole_once(document, choice)
            if "properties" in found:
                return {"nullable": True, **_fields(document, found, inner)}
        return {"nullable": schema.get("nullable", False), **_fields(document, schema, inner)}
    if field == "parents":
        return {"type": "array", "items": _fields(document, schema["items"], ("sha",))}
    if field == "labels":
        return {"type": "array"}
    return _whole(document, schema, ())


def _whole_once(document: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in schema:
        found: Any = document
        for step in schema["$ref"].removeprefix("#/").split("/"):
            found = found[step]
        schema = found
    return schema


def _whole(document: dict[str, Any], schema: Any, around: tuple[str, ...]) -> Any:
    if isinstance(schema, list):
        return [_whole(document, item, around) for item in schema]
    if not isinstance(schema, dict):
        return schema
    schema = _whole_once(document, schema)
    # Below `properties` a key is a name, whatever it is called.
    names = bool(around) and around[-1] == "properties"
    return {
        key: _whole(document, value, (*around, "" if names else key))
        for key, value in schema.items()
        if names or key not in _DROPPED
    }


def main(package: Path) -> None:
    raw = package.read_bytes()
    integrity = "sha512-" + base64.b64encode(hashlib.sha512(raw).digest()).decode()
    if integrity != INTEGRITY:
        sys.exit(f"{package} has the integrity {integrity}, expected {INTEGRITY}")
    with tarfile.open(package) as archive:
        member = archive.extractfile("package/generated/api.github.com.json")
        assert member is not None
        document = json.load(member)
    EXTRACT.write_text(json.dumps(extract(document), indent=1, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
