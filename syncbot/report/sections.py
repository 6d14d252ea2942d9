"""The sections of one commit, written from facts; speed, results and intent are quoted from its author."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from syncbot.impact.facts.model import BREAKING_PARTS, Change
from syncbot.report import fact_sentences, view
from syncbot.report.authors_words import authors_words
from syncbot.report.catalogue import Words
from syncbot.report.model import ReportCommit
from syncbot.report.phrases import Line, Piece, line, listed, literal
from syncbot.report.prose.model import Reason, Wording
from syncbot.report.untrusted_text import one_line

_NAMES, _LINES, _USERS, _FOLDERS = 6, 8, 4, 2

_VALUES = ("field-value", "attribute-value", "variable-value", "environment-changed", "option-changed")


def purpose(commit: ReportCommit, words: Words) -> Line:
    """Return the purpose of an important commit, in one sentence of its author's description; empty if there
    is no description, because then the subject says it all."""
    first, _ = authors_words(commit)
    return (Piece(words("purpose", text=first)),) if first and commit.level != "low" else ()


def said(commit: ReportCommit, words: Words) -> list[Line]:
    """Return the rest of the author's words, quoted."""
    first, others = authors_words(commit)
    more = others if commit.level != "low" else " ".join(filter(None, (first, others)))
    return [(Piece(words("author_says", text=more)),)] if more else []


def summary(commit: ReportCommit, words: Words) -> list[Line]:
    """Return the rest of the author's words, and the number of facts of each sort, if known."""
    return [*said(commit, words), *filter(None, [_counted(commit, words)])]


def _counted(commit: ReportCommit, words: Words) -> Line:
    """How many facts of each sort there are."""
    if commit.facts is None:
        return ()
    counts = Counter(_counted_as(c) for c in fact_sentences.without_doubles(commit.facts.changes))
    shown = [words.count(f"count_{what}", counts[what]) for what in COUNTED if counts[what]]
    return line(words("in_the_diff", counts=words("counts_and").join(shown))) if shown else ()


COUNTED = ("new", "gone", "moved", "signature", "value", "declared", "kernel", "requirement", "body")


def _counted_as(change: Change) -> str:
    what, _, how = change.kind.partition("-")
    if what in ("environment", "option", "registry", "registration", "operator"):
        return "declared"
    if what in ("kernel", "requirement", "signature", "body"):
        return what
    return {"added": "new", "removed": "gone", "moved": "moved", "renamed": "moved", "value": "value"}.get(
        how, ""
    )


def worded(wording: Wording) -> Line:
    """A model's words, the names between backticks as code; empty where there are none."""
    pieces = re.split("`([^`]*)`", one_line(wording.text))
    return tuple(Piece(part, bool(n % 2)) for n, part in enumerate(pieces) if part)


def unworded(wording: Wording, words: Words) -> Line:
    """Why a commit has only the factual text; empty where the model was not asked about it."""
    reason = wording.reason
    if reason is None or reason.why == "unasked":
        return ()
    return (Piece(words("prose_factual", reason=_why(reason, words))),)


def wordings(commits: Iterable[ReportCommit], words: Words) -> Line:
    """How many commits a model worded, and what became of the others; empty where no model was asked."""
    found = [c.wording for c in commits if c.wording is not None]
    if not found:
        return ()
    counts = Counter("worded" if w.reason is None else w.reason.why for w in found)
    numbers = {key: counts[key] for key in ("worded", "refused", "failed", "unasked")}
    everything = words.count("commits", len(found))
    text = words("prose_total", model=one_line(found[0].model), all=everything, **numbers)
    unasked = {w.reason for w in found if w.reason is not None and w.reason.why == "unasked"}
    told = [_why(reason, words) for reason in sorted(unasked, key=lambda r: r.key)]
    return (Piece(" ".join([text, *(words("prose_unasked", reason=each) for each in told)])),)


def _why(reason: Reason, words: Words) -> str:
    return words(reason.key, **{name: one_line(value) for name, value in reason.values})


def scope(commit: ReportCommit, words: Words) -> Line:
    """How many files of which kind, how many lines of each, and in which folders."""
    size = view.size(commit, words)
    if not commit.kinds:
        return line(size)
    folders = Counter(path.rpartition("/")[0] or "." for path in commit.files)
    names = [literal(f"{folder}/") for folder, _ in folders.most_common()]
    return line(f"{size}: {listed(names, words, _FOLDERS)}")


def insight(commit: ReportCommit, words: Words) -> Iterator[Line]:
    """Yield the technical changes, worst first; one sentence that says so if none is visible."""
    yield from _told(commit, words, lambda change: True)


def insight_beyond_risks(commit: ReportCommit, words: Words) -> Iterator[Line]:
    """The same without what :func:`risks` says as well."""
    yield from _told(commit, words, lambda change: not _is_told_as_risk(change))


def _told(commit: ReportCommit, words: Words, is_wanted: Callable[[Change], bool]) -> Iterator[Line]:
    if commit.facts is None:
        return
    every = fact_sentences.without_doubles(commit.facts.changes)
    changes = [change for change in every if is_wanted(change)]
    yield from fact_sentences.modules(changes, words)
    yield from fact_sentences.each(changes, ("symbol-moved", "symbol-renamed"), words)
    yield from fact_sentences.signatures([c for c in changes if c.kind == "signature"], words)
    yield from fact_sentences.together(changes, words)
    others = [kind for kind in fact_sentences.SINGLE if not kind.startswith("symbol-")]
    yield from fact_sentences.each(changes, others, words)
    if not every:
        code = commit.kinds.get("code", 0)
        yield line(words("insight_code" if code else "insight_no_code"))


def _is_told_as_risk(change: Change) -> bool:
    """Whether a sentence about a risk has all that is known of a change."""
    if not change.public:
        return False
    if change.kind == "signature":
        return change.breaking and fact_sentences.is_long(change)
    return change.breaking or change.kind in fact_sentences.NAMED or _is_setting_changed(change)


def risks(commit: ReportCommit, words: Words) -> Iterator[Line]:
    """Yield the changes that can fail a user of upstream, in the same order."""
    if commit.facts is None:
        return
    public = [c for c in fact_sentences.without_doubles(commit.facts.changes) if c.public]
    found = [risk for each in (_gone, _undeclared, _calls, _values) for risk in each(public, words)]
    for mention in commit.mentions:
        place = literal(f"{mention.place.file}:{mention.place.line}")
        found.append(line(words("risk_mention", name=literal(mention.name), place=place)))
    shown = found[: 2 * _LINES]
    yield from shown
    yield from fact_sentences.rest(len(found) - len(shown), words)


def _gone(changes: Sequence[Change], words: Words) -> Iterator[Line]:
    loose: list[Change] = []
    for change in changes:
        if not change.breaking or change.kind == "signature":
            continue
        moved = change.kind in ("module-moved", "symbol-moved", "symbol-renamed")
        if not moved and not change.users and change.kind != "module-removed":
            loose.append(change)
            continue
        old = change.before if moved and change.before else change.symbol
        key = "risk_moved" if moved else "risk_gone"
        text = words(key, old=literal(old), new=literal(change.after or ""))
        if change.users:
            users = listed([literal(u) for u in change.users], words, _USERS)
            text += words("gap") + words.count("used_by", len(change.users), users=users)
        yield line(text)
    if loose:
        yield line(words("risk_names", names=fact_sentences.by_file(loose, words)))


def _undeclared(changes: Sequence[Change], words: Words) -> Iterator[Line]:
    """Variables and options that people set, and that are gone."""
    for kind in fact_sentences.NAMED:
        names = [literal(c.symbol) for c in changes if c.kind == kind]
        if names:
            key = f"risk_{kind.partition('-')[0]}"
            yield line(words(key, names=listed(names, words, 2 * _NAMES)))


def _calls(changes: Sequence[Change], words: Words) -> Iterator[Line]:
    alike: dict[tuple[tuple[str, str], ...], list[Change]] = {}
    for change in changes:
        parts = tuple(p for p in change.parts if p[0] in BREAKING_PARTS)
        if change.kind == "signature" and parts:
            alike.setdefault(parts, []).append(change)
    for parts, group in sorted(alike.items(), key=lambda item: -len(item[1])):
        names, what = fact_sentences.by_file(group, words), fact_sentences.parameters(parts, words)
        yield line(words("risk_call", names=names, what=what))


def _values(changes: Sequence[Change], words: Words) -> Iterator[Line]:
    for change in changes:
        if _is_setting_changed(change):
            before, after = (literal(value or "—", 60) for value in (change.before, change.after))
            yield line(words("risk_default", name=literal(change.symbol), before=before, after=after))
        elif change.kind == "signature":
            for part, text in change.parts:
                if part == "default":
                    values = {"name": literal(fact_sentences.short(change)), "default": literal(text)}
                    yield line(words("risk_parameter_default", **values))


def _is_setting_changed(change: Change) -> bool:
    """Whether a value changed that people rely on: a default, or a literal; no type, no call."""
    if change.kind not in _VALUES:
        return False
    if change.kind not in ("attribute-value", "variable-value"):
        return True
    try:
        return all(value is None or ast.literal_eval(value) != () for value in (change.before, change.after))
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return False


def advice(commit: ReportCommit, words: Words) -> Iterator[Line]:
    """Yield the advice for this project, with the commands."""
    for item in commit.advice:
        values = {"command": literal(item.command, 400), "subject": literal(item.subject)}
        yield line(words(f"advice_{item.kind}", **values))
