"""GitHub's REST API as far as publishing needs it: asked for real by :class:`GitHub` (through PyGithub and
:mod:`syncbot.publish.retry`), or only printed by :class:`DryRun`."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import urlencode, urlsplit

import github
import requests
from github import Auth, GithubException
from github.Requester import HTTPRequestsConnectionClass, HTTPSRequestsConnectionClass, Requester
from requests.utils import parse_header_links

import syncbot
from syncbot.errors import ConfigurationError, EnvironmentFailure, UsageError
from syncbot.publish.retry import Patience
from syncbot.publish.token import Token
from syncbot.report.untrusted_text import json_text
from syncbot.upstream.bounded_answers import BoundedAdapter

PUBLIC = "https://api.github.com"
VERSION = "2022-11-28"
_LOOPBACK = {"localhost", "127.0.0.1", "::1"}
_PAGE = "100"
_TRIES = 3
# The pages of a list at most: 100,000 entries, with 100 a page.
_PAGES = 1_000
# The fields that are read, and what GitHub documents them to be.
_FIELDS: dict[str, type] = {
    "number": int, "id": int, "title": str, "body": str, "html_url": str, "full_name": str, "state": str,
    "default_branch": str, "description": str, "context": str, "labels": list, "user": dict,
}  # fmt: skip

Document = dict[str, Any]


class Unclear(EnvironmentFailure):
    """A request that creates something broke off: nobody knows whether it was carried out."""


def create(api: Api, path: str, body: Document, look: Callable[[], Document | None]) -> Document:
    """POST, and return what was made. If a failure leaves it open, ``look`` says what was, so that nothing is
    made twice. Raises EnvironmentFailure."""
    for _ in range(_TRIES - 1):
        try:
            return api.send("POST", path, body)
        except Unclear:
            found = look()
            if found is not None:
                return found
    return api.send("POST", path, body)


class _Https(HTTPSRequestsConnectionClass):
    def __init__(self, *given: Any, **options: Any) -> None:
        super().__init__(*given, **options)
        self.session.mount("https://", BoundedAdapter(max_retries=self.retry))


class _Http(HTTPRequestsConnectionClass):
    def __init__(self, *given: Any, **options: Any) -> None:
        super().__init__(*given, **options)
        self.session.mount("http://", BoundedAdapter(max_retries=self.retry))


Requester.injectConnectionClasses(_Http, _Https)
# Errors say in one line what PyGithub, left alone, prints besides.
if logging.getLogger("github").level == logging.INFO:
    github.set_log_level(logging.WARNING)


class GitHub:
    """The API at a URL, asked with a token. ``pause`` are the least seconds between two writes."""

    def __init__(
        self, token: Token, url: str = PUBLIC, patience: Patience | None = None, pause: float = 1.0
    ) -> None:
        self._token = token
        self._requester = github.Github(
            auth=Auth.Token(token.secret),
            base_url=checked(url),
            retry=patience if patience is not None else Patience(),
            seconds_between_requests=0,
            seconds_between_writes=pause,
            user_agent=f"syncbot/{syncbot.__version__}",
            timeout=60,
            api_version=VERSION,
        ).requester

    def get(self, path: str) -> Document:
        """Return what is there. Raises EnvironmentFailure if nothing is."""
        _, _, found = self._request("GET", path)
        return _mapping(found)

    def find(self, path: str) -> Document | None:
        """Return what is there, None if nothing is. Raises EnvironmentFailure."""
        status, _, found = self._request("GET", path, missing=404)
        return None if status == 404 else _mapping(found)

    def pages(self, path: str, query: Mapping[str, str]) -> Iterator[Document]:
        """Yield the entries of a list, page after page. Raises EnvironmentFailure."""
        url: str | None = _with_query(path, query)
        for _ in range(_PAGES):
            if url is None:
                return
            _, headers, found = self._request("GET", url)
            yield from (_mapping(entry) for entry in found or ())
            links = parse_header_links(headers.get("link", ""))
            url = next((link["url"] for link in links if link.get("rel") == "next"), None)
        raise EnvironmentFailure(f"GitHub's list {path} has no end: check GITHUB_API_URL")

    def send(self, method: str, path: str, body: Document | None = None) -> Document:
        """Change something and return the answer. Raises EnvironmentFailure; Unclear for a POST."""
        # What a repeated DELETE does not find any more is deleted.
        missing = 404 if method == "DELETE" else None
        status, _, found = self._request(method, path, body, missing)
        return {} if status == missing else _mapping(found or {})

    def _request(
        self, method: str, path: str, body: Document | None = None, missing: int | None = None
    ) -> tuple[int, dict[str, Any], Any]:
        what = f"{method} {urlsplit(path).path}"
        # PyGithub does not send a body of None; its exceptions hold what the server said, no more.
        try:
            status, headers, text = self._requester.requestJson(method, path, input=body)
        except GithubException as error:
            raise self._refused(what, error.status, error.headers or {}, error.data) from None
        except requests.RequestException as error:
            kind = Unclear if method == "POST" else EnvironmentFailure
            raise kind(self._token.hidden(f"GitHub cannot be asked ({what}): {_root(error)}")) from None
        except (AssertionError, RuntimeError) as error:
            raise EnvironmentFailure(
                self._token.hidden(f"GitHub sent {what} to another address, which is not followed: {error}")
            ) from None
        found = _parsed(text)
        if status == missing or 200 <= status < 300:
            return status, headers, found
        if status >= 500 and method == "POST":
            raise Unclear(f"GitHub failed: {status} for {what}; try again, nothing is made twice")
        raise self._refused(what, status, headers, found)

    def _refused(self, what: str, status: int, headers: Mapping[str, Any], data: Any) -> EnvironmentFailure:
        said = data.get("message", "") if isinstance(data, dict) else ""
        details = data.get("errors", ()) if isinstance(data, dict) else ()
        reasons = [str(e.get("message") or e) if isinstance(e, dict) else str(e) for e in details or ()]
        lower = {name.lower(): value for name, value in headers.items()}
        needed = lower.get("x-accepted-github-permissions")
        mend = {
            401: "set GITHUB_TOKEN to a valid token",
            403: f"the token lacks a right{f': {needed}' if needed else ''}",
            404: "check OWNER/NAME, and that the token may see it",
            410: "the repository has issues turned off",
            301: "the repository has moved: give its new OWNER/NAME",
            307: "the repository has moved: give its new OWNER/NAME",
        }.get(status, "")
        text = " ".join(f"{status} {said}".split()) + "".join(f" ({reason})" for reason in reasons)
        return EnvironmentFailure(
            self._token.hidden(f"GitHub refused {what}: {text}{f'; {mend}' if mend else ''}")
        )


class DryRun:
    """Prints what would be sent, as if nothing was published yet; GitHub would fill in ``{number}``."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say

    def get(self, path: str) -> Document:
        """Print the request; nothing is known of what is there."""
        self._say(f"GET {path}")
        return {}

    def find(self, path: str) -> Document | None:
        """Print the request; nothing is there."""
        self._say(f"GET {path}")
        return None

    def pages(self, path: str, query: Mapping[str, str]) -> Iterator[Document]:
        """Print the request; the list is empty."""
        self._say(f"GET {_with_query(path, query)}")
        return iter(())

    def send(self, method: str, path: str, body: Document | None = None) -> Document:
        """Print the request and its body."""
        self._say(f"{method} {path}")
        if body is not None:
            self._say(json_text(body))
        return {"number": "{number}", "id": "{id}"}


#: GitHub, asked for real or not. Paths begin with ``/``; bodies become JSON.
Api = GitHub | DryRun


def checked(url: str) -> str:
    """The API's URL. Raises ConfigurationError for none, or one that sends the token unencrypted."""
    url = url.rstrip("/")
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        host, parts = None, urlsplit("")
    if not host or parts.query or parts.username or parts.scheme not in ("http", "https"):
        raise ConfigurationError(
            f"GITHUB_API_URL is no URL of an API such as {PUBLIC} or https://HOST/api/v3"
        )
    if parts.scheme == "http" and host not in _LOOPBACK:
        raise ConfigurationError(f"GITHUB_API_URL has to begin with https://, or the token for {host} leaks")
    return url


def repository(api: Api, name: str, asked: str | None = None) -> tuple[str, str]:
    """Return the present OWNER/NAME and the branch to merge into. Raises UsageError, EnvironmentFailure."""
    found = api.get(f"/repos/{name}")
    if found.get("archived"):
        raise UsageError(f"{name} is archived: nothing can be published there")
    return str(found.get("full_name") or name), asked or str(found.get("default_branch") or "main")


def _with_query(path: str, query: Mapping[str, str]) -> str:
    return f"{path}?{urlencode({**query, 'per_page': _PAGE}, safe=':/,')}"


def _parsed(text: Any) -> Any:
    try:
        return json.loads(text) if text else None
    except (ValueError, RecursionError):
        return None


class _Answer(Document):
    """An object in GitHub's answer; a missing key raises EnvironmentFailure."""

    def __missing__(self, key: str) -> Any:
        raise _strange()


def _mapping(found: Any) -> Document:
    """The answer, whose fields are of their type or null. Raises EnvironmentFailure."""
    if not isinstance(found, dict) or any(
        found.get(key) is not None and type(found[key]) is not kind for key, kind in _FIELDS.items()
    ):
        raise _strange()
    return _Answer(found)


def _strange() -> EnvironmentFailure:
    return EnvironmentFailure("GitHub's answer is not what its API describes: check GITHUB_API_URL")


def _root(error: BaseException) -> str:
    inner = error.args[0] if error.args else error
    reason = getattr(inner, "reason", None)
    if isinstance(reason, BaseException):
        return _root(reason) if reason.args else type(reason).__name__
    return " ".join(str(inner).split())
