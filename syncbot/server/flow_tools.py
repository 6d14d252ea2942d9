"""The tools that a public upgrade flow asks its oracle for, by the same names and in the same shapes:
docs/mcp.md names the flow."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from mcp.server import MCPServer

from syncbot.contracts.surface import Row
from syncbot.errors import SyncbotError, UsageError
from syncbot.patching.model import Patch
from syncbot.report.untrusted_text import code, one_line, prose
from syncbot.server.answers import PAGE, Answers
from syncbot.server.tools import telling, text
from syncbot.steps.model import JudgedCommit, Standing
from syncbot.workflows.contracts import ContractsOptions, list_contracts
from syncbot.workflows.project import configured, patches_of
from syncbot.workflows.steps import known_commits

_GUIDE = 30_000


def add_flow_tools(made: MCPServer, answers: Answers, affected: str) -> None:
    """Add the flow's tools to a server; ``affected`` is the name of the field that says so of a commit."""

    def get_commit_impact_batch(shas: list[str]) -> str:
        """Of each commit, whether it affects the backend; false is proven."""
        return text({"results": batch(answers, shas, affected)})

    def get_adaptation_guide(sha: str) -> str:
        """Explain what a commit breaks in the backend, with a task for each impact."""
        return guide(answers, sha)

    def get_cross_project_mapping() -> str:
        """Of each upstream module, the files of the backend that rely on it."""
        return text(mapping(_rows(answers)))

    def get_interface_surface(repo: str = "") -> str:
        """The upstream classes and functions that the backend overrides, and what it relies on, counted."""
        return text(interface(_rows(answers)))

    def get_patch_catalog(category: str | None = None) -> str:
        """List the upstream names that the backend replaces, by file; of one category, in files with it."""
        return text(catalogue(_rows(answers), category))

    def get_pending_adaptations() -> str:
        """The commits of all ranges asked for until now that break something that is not mended yet."""
        return text(pending(answers))

    def get_adaptation_lessons(
        keywords: list[str] | None = None, tags: list[str] | None = None, limit: int = 3
    ) -> str:
        """The patches of this project whose reason or symbol has one of the words."""
        patches = patches_of(configured(answers.backend))
        return text(lessons(patches, [*(keywords or []), *(tags or [])], limit))

    for tool in (
        get_commit_impact_batch,
        get_adaptation_guide,
        get_cross_project_mapping,
        get_interface_surface,
        get_patch_catalog,
        get_pending_adaptations,
        get_adaptation_lessons,
    ):
        made.add_tool(telling(tool), structured_output=False)


def batch(answers: Answers, shas: Sequence[str], affected: str) -> list[dict[str, Any]]:
    """An entry for each commit, in the given order. They are judged as the one range that they span, oldest
    or newest first; what is not in it is not analysed."""
    known = known_commits(answers.backend, answers.upstream, shas)
    for first, last in ((known[0], known[-1]), (known[-1], known[0])) if known else ():
        try:
            found = answers.range(f"{first}~1", last)
        except UsageError:
            continue
        judged = {each.commit.sha: each for each in found.commits}
        if judged:
            return [_entry(sha, judged.get(sha), affected, found.contracts) for sha in shas]
    return [_entry(sha, None, affected, 0) for sha in shas]


def _entry(sha: str, judged: JudgedCommit | None, affected: str, contracts: int) -> dict[str, Any]:
    if judged is None:
        return {"sha": sha, "analyzed": False}
    tests = [impact for impact in judged.impacts if impact.tests_only]
    told = "; ".join(f"{i.verdict.value}: {one_line(i.message)}" for i in judged.impacts[:PAGE])
    proof = f"none of the {contracts} contracts is about the {len(judged.modules)} modules that changed"
    unsaid = "no impact was found; that it is harmless is not proven"
    return {
        "sha": sha,
        "analyzed": True,
        affected: judged.standing is not Standing.HARMLESS,
        "tags": [judged.standing.value, *sorted({str(impact.kind) for impact in judged.impacts})],
        "needs_test_update": bool(tests),
        "suggested_test_areas": sorted({place.file for impact in tests for place in impact.locations}),
        "functionality": told or (proof if judged.standing is Standing.HARMLESS else unsaid),
        "testing": "",
    }


def guide(answers: Answers, sha: str) -> str:
    """Markdown on a commit: the proof, or a task for each of its impacts."""
    try:
        found, judged = answers.judged(sha)
    except SyncbotError as error:
        return f"# {code(sha[:12])}\n\nnot covered: {prose(str(error))}"
    lines = [f"# {code(sha[:12])} {prose(judged.commit.subject)}"]
    if not judged.impacts:
        entry = _entry(sha, judged, "affected", found.contracts)
        return "\n\n".join([*lines, f"{judged.standing.value}: {prose(entry['functionality'])}"])
    size = 0
    for number, impact in enumerate(judged.impacts):
        task = answers.task(impact.id)
        size += len(task)
        if size > _GUIDE:
            left = ", ".join(each.id for each in judged.impacts[number:])
            lines.append(f"more impacts, each to be asked for with the tool task: {left}")
            break
        lines.append(task)
    return "\n\n".join(lines)


def mapping(rows: Iterable[Row]) -> dict[str, Any]:
    """Upstream's modules, as far as a symbol's name tells them, with the files that rely on each."""
    found: dict[str, set[str]] = {}
    for row in rows:
        found.setdefault(row.symbol.rpartition(".")[0], set()).update(place.file for place in row.places)
    return {
        "mappings": [{"upstream": name, "backend": sorted(files)} for name, files in sorted(found.items())]
    }


def interface(rows: Sequence[Row]) -> dict[str, Any]:
    """Return the names that are overridden or subclassed, and how often each kind of reliance occurs."""
    kinds: dict[str, int] = {}
    for row in rows:
        kinds[row.kind] = kinds.get(row.kind, 0) + len(row.places)
    inherited = [row for row in rows if row.kind in ("override", "subclass")]
    return {
        "inheritable_interfaces": [
            {"symbol": row.symbol, "kind": row.kind, "files": sorted({place.file for place in row.places})}
            for row in inherited
        ],
        "contracts": dict(sorted(kinds.items())),
    }


def catalogue(rows: Iterable[Row], category: str | None) -> dict[str, Any]:
    """The monkey-patches; of one category, those in files whose path has that word."""
    patched = [
        {"target": row.symbol, "file": place.file, "line": place.line}
        for row in rows
        if row.kind == "patch"
        for place in row.places
        if category is None or category in place.file
    ]
    return {"patches": sorted(patched, key=lambda each: (str(each["file"]), str(each["target"])))}


def pending(answers: Answers) -> dict[str, Any]:
    """The commits of the ranges known here that break something."""
    found = {
        each.commit.sha: each
        for judged in answers.ranges
        for each in judged.commits
        if each.standing is Standing.BREAKS
    }
    entries = [
        {
            "sha": sha,
            "status": "pending",
            "message": one_line(each.commit.subject),
            "upstream_date": each.commit.date.date().isoformat(),
            "impacts": [impact.id for impact in each.impacts],
        }
        for sha, each in found.items()
    ]
    stats = {"total": len(entries), "pending": len(entries), "adapted": 0}
    return {"stats": stats, "pending_count": len(entries), "pending_commits": entries[:100]}


def lessons(patches: Sequence[Patch], words: Sequence[str], limit: int) -> dict[str, Any]:
    """The patches that mention most of the words, as lessons."""
    asked = [word.lower() for word in words if word]
    scored = []
    for patch in patches:
        haystack = f"{patch.id} {patch.reason} {patch.symbol}".lower()
        score = sum(word in haystack for word in asked)
        if score or not asked:
            scored.append((-score, patch.id, patch))
    top = [patch for _, _, patch in sorted(scored, key=lambda each: each[:2])[: max(1, limit)]]
    return {
        "match": bool(top),
        "lessons": [
            {"id": patch.id, "title": one_line(patch.reason), "keywords": [patch.symbol]} for patch in top
        ],
        "hit_ids": [patch.id for patch in top],
    }


def _rows(answers: Answers) -> Sequence[Row]:
    asked = ContractsOptions(backend=answers.backend, upstream=answers.upstream, at=answers.written_for)
    return list_contracts(asked).rows
