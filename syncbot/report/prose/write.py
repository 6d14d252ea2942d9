"""The facts of reports worded by the configured model, within its budget."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from syncbot.config import LanguageModelConfig
from syncbot.impact.importance import LEVELS
from syncbot.report.catalogue import Words
from syncbot.report.model import Report, ReportCommit
from syncbot.report.prose.check import complaint
from syncbot.report.prose.endpoint import Endpoint, Reply, body
from syncbot.report.prose.model import Reason, Wording
from syncbot.report.prose.statement import Statement, messages, statement
from syncbot.sealed_values import keep, recall

_GIVE_UP = 2

Ask = Callable[[Sequence[Mapping[str, str]]], Reply]


def with_prose(
    reports: Sequence[Report],
    settings: LanguageModelConfig,
    words: Words,
    environment: Mapping[str, str],
    cache: Path,
) -> list[Report]:
    """The reports with a wording, or why there is none, of each commit with facts; the most important first.
    Answers are kept by the digest of what was asked, and checked each time. Raises EnvironmentFailure."""
    key = environment.get(settings.key, "").strip() if settings.key else None
    usable = key is None or (bool(key) and all("!" <= letter <= "~" for letter in key))
    with closing(Endpoint(settings, key)) as endpoint:
        writer = _Writer(settings, words, cache / "prose", endpoint.ask if usable else None)
        wordings = {
            (id(report), commit.sha): wording
            for report, commit in _by_importance(reports)
            if (wording := writer.wording(commit)) is not None
        }
    return [
        replace(
            report,
            commits=tuple(replace(c, wording=wordings.get((id(report), c.sha))) for c in report.commits),
        )
        for report in reports
    ]


def _by_importance(reports: Iterable[Report]) -> list[tuple[Report, ReportCommit]]:
    pairs = [(report, commit) for report in reports for commit in report.commits]
    concerned = {(id(report), impact.commit) for report in reports for impact in report.impacts}
    return sorted(pairs, key=lambda p: ((id(p[0]), p[1].sha) not in concerned, LEVELS.index(p[1].level)))


class _Writer:
    def __init__(self, settings: LanguageModelConfig, words: Words, folder: Path, ask: Ask | None) -> None:
        self._settings, self._words, self._folder, self._ask = settings, words, folder, ask
        self._tokens, self._requests = settings.tokens, settings.requests
        self._failures = 0

    def wording(self, commit: ReportCommit) -> Wording | None:
        known = statement(commit, self._words)
        if known is None:
            return None
        asked = body(self._settings, messages(known, self._words))
        file = self._folder / f"{_digest(asked)}.json"
        reply = _kept(file) or self._fresh(asked, file)
        return self._judged(reply, known)

    def _fresh(self, asked: Mapping[str, Any], file: Path) -> Reply:
        """The answer of the endpoint, if there is a budget left for it; counted, and kept if it is one."""
        # More than a token has letters; what the endpoint counts is known afterwards alone.
        expected = len(json.dumps(asked["messages"], ensure_ascii=False)) // 2 + self._settings.reply
        if self._ask is None:
            return Reply(failure=Reason("unasked", "prose_no_key", (("what", self._settings.key or ""),)))
        if self._failures >= _GIVE_UP:
            return Reply(failure=Reason("unasked", "prose_given_up"))
        if self._requests < 1 or expected > self._tokens:
            return Reply(failure=Reason("unasked", "prose_budget"))
        self._requests -= 1
        reply = self._ask(asked["messages"])
        self._tokens -= expected if reply.tokens is None else reply.tokens
        if reply.failure is not None:
            self._failures += 1
            return reply
        self._failures = 0
        _keep(file, reply)
        return reply

    def _judged(self, reply: Reply, known: Statement) -> Wording:
        model = self._settings.model
        if reply.failure is not None:
            return Wording(model, reason=reply.failure)
        if reply.cut:
            return Wording(model, reason=Reason("refused", "prose_cut"))
        text = " ".join(reply.text.split())
        wrong = complaint(reply.text.strip(), known, self._words)
        return Wording(model, reason=wrong) if wrong is not None else Wording(model, text)


def _digest(asked: Mapping[str, Any]) -> str:
    text = json.dumps(asked, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _kept(file: Path) -> Reply | None:
    known = recall(file.parents[1], file)
    try:
        found = json.loads(known or b"")
        return Reply(str(found["text"]), int(found["tokens"] or 0), bool(found["cut"]))
    except (ValueError, KeyError, TypeError):
        # None yet; a damaged one is asked for again.
        return None


def _keep(file: Path, reply: Reply) -> None:
    kept = {"text": reply.text, "tokens": reply.tokens, "cut": reply.cut}
    keep(file.parents[1], file, json.dumps(kept).encode())
