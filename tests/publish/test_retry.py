"""The limits and failures that GitHub documents, on a real server."""

from __future__ import annotations

import socket
import time

import pytest

from syncbot.errors import ConfigurationError, EnvironmentFailure
from syncbot.publish.api import GitHub, Unclear, checked
from syncbot.publish.retry import Patience
from syncbot.publish.token import Token

from .github_server import TOKEN, Fault, State, serving

REPO = "/repos/octocat/backend"
ISSUES = f"{REPO}/issues"
SECONDARY = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."


def impatient(state: State, told: list[str], **limits: float) -> GitHub:
    return GitHub(Token(TOKEN), state.url, Patience(tell=told.append, backoff_factor=0.01, **limits), pause=0)


@pytest.mark.parametrize("status", [403, 429])
@pytest.mark.parametrize("method", ["GET", "POST", "PATCH"])
def test_retry_after(state: State, api: GitHub, told: list[str], status: int, method: str) -> None:
    state.add("x", "", [])
    fault = Fault(method, "/issues", status, {"Retry-After": "0"}, "Slow down")
    state.faults += [fault, Fault(method, "/issues", status, {"Retry-After": "1"}, "Slow down")]
    if method == "GET":
        assert len([*api.pages(ISSUES, {})]) == 1
    elif method == "POST":
        assert api.send("POST", ISSUES, {"title": "t"})["number"] == 2
    else:
        assert api.send("PATCH", f"{ISSUES}/1", {"title": "t"})["title"] == "t"
    assert [call.method for call in state.calls] == [method] * 3
    assert told == ["GitHub asks to wait 0 s (rate limit)", "GitHub asks to wait 1 s (rate limit)"]


@pytest.mark.parametrize("status", [403, 429])
def test_the_moment_of_the_reset(state: State, api: GitHub, told: list[str], status: int) -> None:
    headers = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(int(time.time()) - 5)}
    state.faults.append(Fault("POST", "/issues$", status, headers, "A message of another year"))
    assert api.send("POST", ISSUES, {"title": "t"})["number"] == 1
    assert told == ["GitHub asks to wait 1 s (rate limit)"]


def test_a_minute_where_nothing_is_said(state: State, told: list[str]) -> None:
    for status in (403, 429):
        state.faults = [Fault("POST", "/issues$", status, {}, SECONDARY)]
        with pytest.raises(EnvironmentFailure, match="used up for 60 s"):
            impatient(state, told, longest=59).send("POST", ISSUES, {"title": "t"})
    api = impatient(state, told, secondary_rate_wait=0.01)
    state.faults = [Fault("POST", "/issues$", s, {}, SECONDARY) for s in (403, 429)]
    assert api.send("POST", ISSUES, {"title": "t"})["number"] == 1


@pytest.mark.parametrize(
    "headers",
    [
        {"Retry-After": "3601"},
        {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "99999999999"},
    ],
)
def test_a_wait_that_is_too_long(state: State, api: GitHub, told: list[str], headers: dict[str, str]) -> None:
    state.faults.append(Fault("POST", "/issues$", 403, headers))
    with pytest.raises(EnvironmentFailure, match="rate limit is used up for"):
        api.send("POST", ISSUES, {"title": "t"})
    assert told == []
    assert len(state.calls) == 1


def test_a_limit_that_stays(state: State, told: list[str]) -> None:
    state.faults += [Fault("GET", "/issues$", 429, {"Retry-After": "0"}) for _ in range(9)]
    with pytest.raises(EnvironmentFailure, match=r"GitHub cannot be asked \(GET .*too many 429"):
        [*impatient(state, told, total=2).pages(ISSUES, {})]
    assert len(state.calls) == 3


def test_a_refusal_is_not_repeated(state: State, api: GitHub) -> None:
    right = {"X-Accepted-GitHub-Permissions": "issues=write"}
    state.faults.append(Fault("POST", "/issues$", 403, right, "Resource not accessible by integration"))
    with pytest.raises(EnvironmentFailure) as refused:
        api.send("POST", ISSUES, {"title": "t"})
    assert str(refused.value) == (
        f"GitHub refused POST {ISSUES}: 403 Resource not accessible by integration; "
        "the token lacks a right: issues=write"
    )
    assert len(state.calls) == 1


def test_server_errors(state: State, api: GitHub) -> None:
    state.add("x", "", [])
    state.faults += [Fault("PATCH", "/issues/1$", status) for status in (500, 502, 503)]
    assert api.send("PATCH", f"{ISSUES}/1", {"title": "t"})["title"] == "t"
    assert len(state.calls) == 4
    # What makes something is not repeated blindly.
    state.faults.append(Fault("POST", "/issues$", 500))
    with pytest.raises(Unclear):
        api.send("POST", ISSUES, {"title": "t"})
    assert len(state.calls) == 5


def test_what_is_gone_is_deleted(state: State, api: GitHub) -> None:
    assert api.send("DELETE", f"{ISSUES}/comments/7") == {}


def test_nobody_there(told: list[str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        api = GitHub(Token(TOKEN), url, Patience(tell=told.append, total=1, backoff_factor=0.01), pause=0)
        with pytest.raises(EnvironmentFailure, match="GitHub cannot be asked"):
            api.get(REPO)
    # Whoever waits is told why.
    assert told == ["GitHub does not answer; trying again in 0 s"]


@pytest.mark.parametrize(
    ("status", "message"),
    [(404, "404 Not Found; check OWNER/NAME"), (410, "410 Gone; the repository has issues turned off")],
)
def test_refusals_say_what_mends_them(state: State, api: GitHub, status: int, message: str) -> None:
    state.faults.append(Fault("POST", "/issues$", status, {}, message[4:].partition(";")[0]))
    with pytest.raises(EnvironmentFailure, match=message):
        api.send("POST", ISSUES, {"title": "t"})


def test_an_answer_that_is_none(state: State, api: GitHub) -> None:
    state.faults.append(Fault("POST", "/issues$", 307, {"Location": "/elsewhere"}, "Temporary Redirect"))
    with pytest.raises(EnvironmentFailure, match=r"307 .*has moved"):
        api.send("POST", ISSUES, {"title": "t"})


@pytest.mark.parametrize(
    "url", ["https://api.github.com/", "https://ghe.example/api/v3", "http://127.0.0.1:80"]
)
def test_addresses(url: str) -> None:
    assert checked(url) == url.rstrip("/")


@pytest.mark.parametrize(
    "url",
    ["api.github.com", "ftp://x", "http://ghe.example/api/v3", "https://a:b@c", "https://", "http://[::1", "https://x:y"],
)  # fmt: skip
def test_what_is_no_address(url: str) -> None:
    with pytest.raises(ConfigurationError, match="GITHUB_API_URL"):
        checked(url)


def test_an_enterprise_server_has_its_api_below_a_path(told: list[str]) -> None:
    with serving(State(prefix="/api/v3")) as state:
        state.page = 1
        for number in range(3):
            state.add(f"{number}", "", [])
        api = GitHub(Token(TOKEN), f"{state.url}/api/v3", Patience(), pause=0)
        assert [issue["title"] for issue in api.pages(ISSUES, {})] == ["2", "1", "0"]
