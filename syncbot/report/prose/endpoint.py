"""One request to an OpenAI-compatible endpoint. No message shows the key, a body, a header or a URL."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import requests
import urllib3

from syncbot.config import LanguageModelConfig
from syncbot.report.prose.model import Reason

_LARGEST = 1 << 20
_LATER = (429, 503)
# What a reasoning model thinks aloud, where its server does not take it out.
_THOUGHTS = re.compile(r"^\s*<think>.*?</think>\s*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Reply:
    """The model's text or why there is none, and the tokens counted. ``cut``: it stopped for lack of room."""

    text: str = ""
    tokens: int | None = None
    cut: bool = False
    failure: Reason | None = None


class _Key(requests.auth.AuthBase):
    """The key as a header; an authentication of its own, so that no file of passwords is asked."""

    def __init__(self, key: str | None) -> None:
        self._key = key

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        if self._key:
            request.headers["Authorization"] = f"Bearer {self._key}"
        return request


class Endpoint:
    """The endpoint that is configured, asked with a key if there is one."""

    def __init__(self, settings: LanguageModelConfig, key: str | None) -> None:
        self._settings = settings
        self._session = requests.Session()
        self._session.auth = _Key(key)

    def close(self) -> None:
        """Close its connections."""
        self._session.close()

    def ask(self, messages: Sequence[Mapping[str, str]]) -> Reply:
        """The answer, or the failure, within the configured time; asked once more if the server says so."""
        deadline = time.monotonic() + self._settings.timeout
        try:
            return self._ask(body(self._settings, messages), deadline)
        except (requests.Timeout, urllib3.exceptions.TimeoutError):
            return Reply(failure=_late(self._settings))
        except (requests.RequestException, urllib3.exceptions.HTTPError) as error:
            return Reply(failure=_failed(_sort(error)))
        except ValueError:
            # Such an error's text has the key in it.
            return Reply(failure=_failed("a key that no header can hold"))

    def _ask(self, asked: Mapping[str, Any], deadline: float) -> Reply:
        url = f"{self._settings.base_url.rstrip('/')}/chat/completions"
        for again in (True, False):
            left = deadline - time.monotonic()
            if left <= 0:
                break
            with self._session.post(
                url, json=asked, timeout=left, stream=True, allow_redirects=False
            ) as response:
                wait = response.headers.get("Retry-After", "")
                if again and response.status_code in _LATER and wait.isdigit() and int(wait) < left:
                    time.sleep(int(wait))
                    continue
                if response.status_code != 200:
                    return Reply(failure=_failed(f"HTTP {response.status_code}"))
                content = _read(response, deadline)
            return Reply(failure=_late(self._settings)) if content is None else _understood(content)
        return Reply(failure=_late(self._settings))


def body(settings: LanguageModelConfig, messages: Sequence[Mapping[str, str]]) -> dict[str, Any]:
    """The body of a request. The configured options outweigh what is set here."""
    limits = {} if "max_completion_tokens" in settings.options else {"max_tokens": settings.reply}
    return {
        "model": settings.model,
        "messages": list(messages),
        "temperature": 0,
        **limits,
        **settings.options,
    }


def _read(response: requests.Response, deadline: float) -> bytes | None:
    """The body; None where it does not end in time. A body without end is cut, and then no JSON."""
    found = b""
    # What has arrived, be it a byte: a server that sends slowly must not hold up the report.
    while chunk := response.raw.read1(8192, decode_content=True):
        found += chunk
        if time.monotonic() > deadline:
            return None
        if len(found) > _LARGEST:
            break
    return found


def _understood(content: bytes) -> Reply:
    try:
        answer = json.loads(content)
        choice = answer["choices"][0]
        text = choice["message"]["content"] or ""
        counted = (answer.get("usage") or {}).get("total_tokens")
        if not isinstance(text, str):
            raise TypeError
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError):
        return Reply(failure=_failed("no answer of the OpenAI protocol"))
    tokens = counted if isinstance(counted, int) and counted >= 0 else None
    return Reply(_THOUGHTS.sub("", text, count=1), tokens, choice.get("finish_reason") == "length")


def _late(settings: LanguageModelConfig) -> Reason:
    return Reason("failed", "prose_late", (("what", f"{settings.timeout:g}"),))


def _failed(what: str) -> Reason:
    return Reason("failed", "prose_failed", (("what", what),))


def _sort(error: Exception) -> str:
    """The sort of a network error; its text could have anything of the request in it."""
    sorts = (
        (requests.exceptions.SSLError, "TLS"),
        (requests.exceptions.ProxyError, "proxy"),
        (requests.exceptions.ConnectionError, "no connection"),
    )
    return next((text for kind, text in sorts if isinstance(error, kind)), "broken answer")
