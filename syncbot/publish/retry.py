"""When a request is sent again, and after how long, as GitHub documents it ("Rate limits for the REST API").
A client that is too fast gets 403 or 429. It waits ``retry-after`` seconds; else, at ``x-ratelimit-remaining:
0``, until ``x-ratelimit-reset``; else a minute, and longer each time."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, Self, cast

from github.GithubRetry import GithubRetry
from urllib3 import Retry
from urllib3.connectionpool import ConnectionPool
from urllib3.response import HTTPResponse

from syncbot.errors import EnvironmentFailure

_TOO_FAST = (403, 429)
# A second time these change nothing. What POST made before the connection broke would be made twice.
_REPEATABLE = frozenset({"GET", "HEAD", "PATCH", "PUT", "DELETE"})


class Patience(GithubRetry):
    """PyGithub's retries, completed: 429, unknown rate limits, PATCH, no second POST. ``tell`` hears of each
    wait; none is longer than ``longest`` seconds."""

    def __init__(
        self,
        tell: Callable[[str], None] = lambda line: None,
        longest: float = 3600,
        wait: float | None = None,
        **others: Any,
    ) -> None:
        defaults: dict[str, Any] = {"total": 6, "backoff_factor": 1.0, "allowed_methods": _REPEATABLE}
        super().__init__(**defaults | others)
        self._tell, self._longest, self._wait = tell, longest, wait

    def new(self, **changes: Any) -> Self:
        """Return a copy with these changes, as urllib3 makes one after each try."""
        return super().new(tell=self._tell, longest=self._longest, **changes)

    def is_retry(self, method: str, status_code: int, has_retry_after: bool = False) -> bool:
        """Whether to look at trying again; a request that a rate limit stopped did nothing, even POST."""
        return status_code in _TOO_FAST or super().is_retry(method, status_code, has_retry_after)

    def get_backoff_time(self) -> float:
        """Seconds to wait before the next try, where no ``retry-after`` says so."""
        return super().get_backoff_time() if self._wait is None else self._wait

    def increment(
        self,
        method: str | None = None,
        url: str | None = None,
        response: HTTPResponse | None = None,  # type: ignore[override]
        error: Exception | None = None,
        _pool: ConnectionPool | None = None,
        _stacktrace: TracebackType | None = None,
    ) -> Self:
        """Return the retries that are left. Raises EnvironmentFailure for too long a wait,
        github.GithubException for another refusal, MaxRetryError after the last try."""
        given = (method, url, response, error, _pool, _stacktrace)
        if response is None or response.status not in _TOO_FAST:
            again = Retry.increment(self, *given)
            what = "does not answer" if response is None else f"answers {response.status}"
            self._tell(f"GitHub {what}; trying again in {max(Retry.get_backoff_time(again), 0):.0f} s")
            return again
        wait = self._wait_told(response.headers)
        if wait is None and response.status == 429:
            wait = self.secondary_rate_wait
        if wait is not None:
            left = Retry.increment(self, *given)
        else:
            # A 403 without such headers: PyGithub reads what the body says.
            left = cast(Self, super().increment(*given))
            wait = left.get_backoff_time()
        left._wait = max(wait, Retry.get_backoff_time(left))
        if left._wait > self._longest:
            raise EnvironmentFailure(
                f"GitHub's rate limit is used up for {left._wait:.0f} s: try again then, or use another token"
            )
        self._tell(f"GitHub asks to wait {left._wait:.0f} s (rate limit)")
        return left

    def _wait_told(self, headers: Mapping[str, str]) -> float | None:
        """The seconds that the headers name, None where they name none."""
        told = headers.get("Retry-After")
        if told is not None:
            return self.parse_retry_after(told)
        reset = headers.get("X-RateLimit-Reset", "")
        if headers.get("X-RateLimit-Remaining") == "0" and reset.isdecimal():
            # The limit is lifted somewhere in that second.
            return max(float(reset) - time.time(), 0) + 1
        return None
