"""The report as SARIF 2.1.0, for code scanning: one result for each of our lines that an impact names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import syncbot
from syncbot.contracts.change_codes import codes
from syncbot.contracts.change_texts import explained
from syncbot.contracts.changes import ChangeKind
from syncbot.impact.model import Impact, Verdict
from syncbot.report import names, view
from syncbot.report.catalogue import Words
from syncbot.report.formats import Reports, renderer
from syncbot.report.links import kind_url
from syncbot.report.model import Report
from syncbot.report.runs import ran
from syncbot.report.untrusted_text import json_text, one_line

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS = {Verdict.BREAKS: "error", Verdict.AT_RISK: "warning", Verdict.DRIFT: "note"}


@renderer("sarif")
def as_sarif(reports: Reports, words: Words) -> str:
    """The harmful impacts as a SARIF log in ASCII, one run an upstream; paths from the repository's root."""
    runs = [_run(report, words) for report in reports]
    if len(runs) > 1:
        # Code scanning tells the runs of one file apart by their categories.
        for run, report in zip(runs, reports, strict=True):
            run["automationDetails"] = {"id": f"syncbot/{one_line(report.upstream)}/"}
    return json_text({"$schema": _SCHEMA, "version": "2.1.0", "runs": runs}) + "\n"


def _run(report: Report, words: Words) -> dict[str, Any]:
    known = [i for i in view.known(report) if i.verdict in _LEVELS]
    impacts = [*(i for i in report.impacts if i.verdict in _LEVELS), *known]
    kinds = sorted({i.kind for i in impacts})
    driver = {
        "name": "syncbot",
        "version": syncbot.__version__,
        "rules": [_rule(kind, kind_url(report, kind)) for kind in kinds],
    }
    return {
        "tool": {"driver": driver},
        **({"invocations": [_lacking(report, words)]} if _is_lacking(report) else {}),
        "language": words.language,
        "columnKind": "unicodeCodePoints",
        "results": [
            result | _state(report, impact in known)
            for impact in impacts
            for result in _results(report, impact, kinds, words)
        ],
    }


def _state(report: Report, known: bool) -> dict[str, str]:
    """Return whether a result is in the file of known findings; empty without such a file."""
    if report.acceptance is None or report.acceptance.known_by is None:
        return {}
    return {"baselineState": "unchanged" if known else "new"}


def _is_lacking(report: Report) -> bool:
    return bool(report.unanalysed or report.unfinished) or report.misfit is not None


def _lacking(report: Report, words: Words) -> dict[str, Any]:
    """Return the gaps of the analysis: unread files, unfinished engines, a misfit with the older end."""
    unfit = view.misfit(report, words)
    unread = [f"{words('unanalysed')}: {file}: {reason}" for file, reason in view.unread(report, words)]
    warnings = [*([unfit] if unfit is not None else []), *unread]
    told = [
        *(("error", text) for text in view.unfinished(report, words)),
        *(("warning", t) for t in warnings),
    ]
    notes = [{"level": level, "message": {"text": _without_links(one_line(text))}} for level, text in told]
    return {"executionSuccessful": not report.unfinished, "toolExecutionNotifications": notes}


def _results(
    report: Report, impact: Impact, kinds: list[ChangeKind], words: Words
) -> Iterator[dict[str, Any]]:
    commit = report.by_sha.get(impact.commit)
    upstream = f" ({names.named(commit)})" if commit is not None else ""
    fix = f" {words('fix')}: {view.mend(impact, words)}."
    known = one_line(ran(impact, words))
    shown = f" {known}." if known else ""
    mend = fix if impact.verdict is Verdict.BREAKS else ""
    text = f"{one_line(view.happens(impact, words))}{upstream}.{shown}{mend}"
    seen: Counter[str] = Counter()
    for place in impact.locations:
        seen[place.file] += 1
        file = {"uri": quote(report.folder + place.file), "uriBaseId": "%SRCROOT%"}
        region = {"startLine": place.line, "startColumn": place.column}
        yield {
            "ruleId": impact.kind,
            "ruleIndex": kinds.index(impact.kind),
            "level": _LEVELS[impact.verdict],
            "message": {"text": _without_links(text)},
            "locations": [{"physicalLocation": {"artifactLocation": file, "region": region}}],
            # The same finding keeps its identity when lines above it come and go.
            "partialFingerprints": {"syncbot/v1": f"{impact.id}:{place.file}:{seen[place.file]}"},
            "properties": {
                "commit": impact.commit,
                "pullRequest": impact.pr,
                "release": (commit.release or None) if commit is not None else None,
                "symbol": impact.symbol,
                "verdict": impact.verdict.value,
                "testsOnly": impact.tests_only,
                "confidence": impact.confidence,
                "evidence": impact.evidence.value,
            },
        }


def _rule(kind: ChangeKind, url: str) -> dict[str, Any]:
    told, more = explained()[kind], f"docs/kinds.md#{kind}"
    return {
        "id": kind,
        "name": codes()[kind],
        "shortDescription": {"text": f"Upstream: {kind.replace('-', ' ')}"},
        "fullDescription": {"text": told.did},
        "help": {"text": f"{told.todo} More: {more} of syncbot."},
        **({"helpUri": url} if url else {}),
    }


def _without_links(text: str) -> str:
    """SARIF reads ``[text](target)`` in messages as links and takes a backslash as their escape."""
    return text.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")
