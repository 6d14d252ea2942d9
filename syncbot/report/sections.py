"""The sections of one commit, written from facts alone: summary, scope, insight, risks, advice.

Each sentence says what the diff shows. What the diff does not show (speed, results, intent) is left to the
words of the commit's author, which are quoted.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from syncbot.impact.facts.collect import module_name
from syncbot.impact.facts.model import BREAKING_PARTS, Change
from syncbot.report.model import ReportCommit
from syncbot.report.phrase import Line, Piece, line, listed, literal
from syncbot.report.prose.model import Reason, Wording
from syncbot.report.safe import one_line
from syncbot.report.words import Words

_BODY = 360
_FILES, _NAMES, _LINES, _USERS = 4, 6, 8, 4
_CUT = 120

# One sentence for all changes of a kind, in this order.
_TOGETHER = (
    *("class-added", "function-added", "method-added", "class-removed", "function-removed"),
    *("method-removed", "export-removed", "kernel-added", "kernel-changed", "kernel-removed"),
    *("operator-added", "operator-removed", "registration-added", "registration-removed"),
    *("assignment-removed", "body"),
)
# One sentence for each change.
_SINGLE = (
    *("symbol-moved", "symbol-renamed", "bases", "decorators"),
    *(
        f"{what}-{how}"
        for what in ("field", "attribute", "variable")
        for how in ("added", "value", "removed")
    ),
    *(f"{what}-{how}" for what in ("environment", "option") for how in ("added", "changed", "removed")),
    *("operator-changed", "registry-added", "registry-changed", "registry-removed", "registration-changed"),
    *(f"requirement-{how}" for how in ("added", "changed", "removed")),
)
_ENTRIES = ("registry-added", "registry-removed")
_NAMED = ("environment-removed", "option-removed")
_VALUED = ("field", "attribute", "variable", "environment", "option")
_INHERITED = ("field-removed", "attribute-removed")
_VALUES = ("field-value", "attribute-value", "variable-value", "environment-changed", "option-changed")
PARTS = (
    *("removed", "absorbed", "required", "now-required", "keyword-only"),
    *("optional", "default", "reordered"),
)
#: Every kind of change that has a sentence of its own, for the catalogues.
KINDS = (*_TOGETHER, *_SINGLE, "module-added", "module-removed", "module-moved", "signature")


def quoted(body: str) -> str:
    """The first paragraph of a message that is prose, shortened; templates, lists and trailers are none."""
    text = re.sub(r"<!--.*?-->", "", body, flags=re.DOTALL)
    for paragraph in re.split(r"\n\s*\n", text):
        shown = one_line(paragraph)
        if shown and not re.match(r"[#>*|`-]|[\w-]+-by:|https?:", shown, re.IGNORECASE):
            return shown if len(shown) <= _BODY else f"{shown[:_BODY].rsplit(' ', 1)[0]} …"
    return ""


def counted(commit: ReportCommit, words: Words) -> Line:
    """How much of what changes, in one sentence; empty where the facts are not known or none."""
    if commit.facts is None:
        return ()
    counts = Counter(_counted_as(c) for c in _without_doubles(commit.facts.changes))
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
    """Why a commit has the factual text alone; empty where the model was not asked about it."""
    reason = wording.reason
    if reason is None or reason.why == "unasked":
        return ()
    return (Piece(words("prose_factual", reason=_told(reason, words))),)


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
    told = [_told(reason, words) for reason in sorted(unasked, key=lambda r: r.key)]
    return (Piece(" ".join([text, *(words("prose_unasked", reason=each) for each in told)])),)


def _told(reason: Reason, words: Words) -> str:
    return words(reason.key, **{name: one_line(value) for name, value in reason.values})


def scope(commit: ReportCommit, words: Words) -> Line:
    """How many files of which kind, how many lines of each, and in which folders."""
    kinds = []
    for kind, count in commit.kinds.items():
        lines = commit.lines.get(kind)
        counted = f" +{lines[0]} \u2212{lines[1]}" if lines and any(lines) else ""
        kinds.append(f"{words(f'kind_{kind}')} {count}{counted}")
    files = words.count("files", len(commit.files))
    if not kinds:
        return line(files)
    folders = Counter(path.rpartition("/")[0] or "." for path in commit.files)
    names = [literal(f"{folder}/") for folder, _ in folders.most_common()]
    return line(f"{files} ({words('list_and').join(kinds)}): {listed(names, words)}")


def insight(commit: ReportCommit, words: Words) -> Iterator[Line]:
    """What changes technically, worst first; one sentence that says so where nothing visible does."""
    if commit.facts is None:
        return
    changes = _without_doubles(commit.facts.changes)
    yield from _modules(changes, words)
    yield from _each(changes, ("symbol-moved", "symbol-renamed"), words)
    yield from _signatures([c for c in changes if c.kind == "signature"], words)
    yield from _together(changes, words)
    yield from _each(changes, [kind for kind in _SINGLE if not kind.startswith("symbol-")], words)
    if not changes:
        code = commit.kinds.get("code", 0)
        yield line(words("insight_code" if code else "insight_no_code"))


def _without_doubles(changes: Sequence[Change]) -> list[Change]:
    """A module that declares environment variables may name each once more, for type checkers."""
    names = {c.symbol for c in changes if c.kind.startswith("environment-")}
    return [
        c for c in changes if not (c.kind.startswith("variable-") and c.symbol.rpartition(".")[2] in names)
    ]


def _modules(changes: Sequence[Change], words: Words) -> Iterator[Line]:
    for kind in ("module-added", "module-removed", "module-moved"):
        defines = "which_defined" if kind == "module-removed" else "which_defines"
        found = [c for c in changes if c.kind == kind]
        for change in found[:_NAMES]:
            names = listed([literal(name) for _, name in change.parts], words, _NAMES)
            text = _sentence(change, words)
            yield line(text + words("gap") + words(defines, names=names) if names else text)
        yield from _rest(len(found) - _NAMES, words)


def _signatures(changes: Sequence[Change], words: Words) -> Iterator[Line]:
    """Functions whose parameters change in the same way are told together."""
    alike: dict[tuple[str | None, str | None], list[Change]] = {}
    for change in changes:
        alike.setdefault((change.before, change.after), []).append(change)
    groups = sorted(alike.items(), key=lambda group: -len(group[1]))
    for (before, after), group in groups[:_LINES]:
        names = _by_file(group, words)
        if max(len(before or ""), len(after or "")) > _CUT:
            yield line(words("fact_parameters", names=names, what=_parts(group[0].parts, words)))
        else:
            values = {"before": literal(before or ""), "after": literal(after or "")}
            yield line(words("fact_signature", names=names, **values))
    yield from _rest(len(groups) - _LINES, words)


def _together(changes: Sequence[Change], words: Words) -> Iterator[Line]:
    for kind in _TOGETHER:
        found = [c for c in changes if c.kind == kind]
        for kept in (False, True):
            some = [c for c in found if c.kept is kept]
            if some:
                text = words(f"fact_{kind}", names=_by_file(some, words))
                yield line(text + words("gap") + words("still_there") if kept else text)
    inherited = [c for c in changes if c.kept and c.kind in _INHERITED]
    if inherited:
        yield line(words("inherited", names=_by_file(inherited, words)))


def _each(changes: Sequence[Change], kinds: Iterable[str], words: Words) -> Iterator[Line]:
    for kind in kinds:
        found = [c for c in changes if c.kind == kind and not (c.kept and kind in _INHERITED)]
        if kind in _ENTRIES:
            yield from _tables(found, kind, words)
            found = [c for c in found if _table(c) not in _many(found)]
        if kind in _NAMED and len(found) > 2:
            names = [literal(change.symbol) for change in found]
            yield line(words(f"fact_{kind}-many", names=listed(names, words, 2 * _NAMES)))
            continue
        for change in found[:_LINES]:
            text = _sentence(change, words)
            yield line(text + words("gap") + words("still_there") if change.kept else text)
        yield from _rest(len(found) - _LINES, words)


def _tables(changes: Sequence[Change], kind: str, words: Words) -> Iterator[Line]:
    """Tables that gain or lose several entries, each in one sentence."""
    many = _many(changes)
    for table in many[:_LINES]:
        entries = [literal(_entry(c)) for c in changes if _table(c) == table]
        yield line(
            words(f"fact_{kind}-many", symbol=literal(table), names=listed(entries, words, 2 * _NAMES))
        )
    yield from _rest(len(many) - _LINES, words)


def _many(changes: Iterable[Change]) -> list[str]:
    counts = Counter(_table(change) for change in changes)
    return [table for table, count in counts.items() if count > 2]


def _table(change: Change) -> str:
    return change.symbol.partition("[")[0]


def _entry(change: Change) -> str:
    return change.symbol.partition("[")[2].removesuffix("]")


def _sentence(change: Change, words: Words) -> str:
    if change.kind == "bases":
        return _bases(change, words)
    without = words("no_value")
    what, how = change.kind.partition("-")[::2]
    key = f"fact_{change.kind}"
    if what in _VALUED:
        values = (change.before or "", change.after or "")
        bare = not (change.after if how == "added" else change.before)
        if how in ("added", "removed") and bare and f"{key}-bare" in words.entries:
            key += "-bare"
        # Both would be cut before they differ, or one of them is a wall of text.
        if how == "value" and max(map(len, values)) > _CUT:
            key += "-long"
    return words(
        key,
        symbol=literal(change.symbol),
        file=literal(change.file),
        before=literal(change.before) if change.before else without,
        after=literal(change.after) if change.after else without,
    )


def _bases(change: Change, words: Words) -> str:
    """What bases a class gains and loses; both lists where there is more to it, such as another order."""
    before, after = (_listed_bases(text) for text in (change.before, change.after))
    added = [literal(base) for base in after if base not in before]
    removed = [literal(base) for base in before if base not in after]
    kept = [base for base in before if base in after] == [base for base in after if base in before]
    if not kept or not (added or removed):
        values = {"before": change.before or "object", "after": change.after or "object"}
        return words(
            "fact_bases", symbol=literal(change.symbol), **{k: literal(v) for k, v in values.items()}
        )
    said = [
        words(f"base_{how}", names=listed(names, words))
        for how, names in (("added", added), ("removed", removed))
        if names
    ]
    return words("fact_bases-changed", symbol=literal(change.symbol), what="; ".join(said))


def _listed_bases(text: str | None) -> list[str]:
    """The bases in the parentheses of a class, as its source has them."""
    try:
        call = ast.parse(f"f({text or ''})", mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return [text or ""]
    assert isinstance(call, ast.Call)
    return [ast.unparse(node) for node in (*call.args, *call.keywords)]


def _rest(count: int, words: Words) -> Iterator[Line]:
    if count > 0:
        yield line(words.count("more_alike", count))


def _by_file(changes: Sequence[Change], words: Words) -> str:
    """Names as their modules have them, with the file that they are in."""
    files: dict[str, list[str]] = {}
    for change in changes:
        files.setdefault(change.file, []).append(literal(_short(change)))
    shown = [
        words("in_file", names=listed(names, words, _NAMES), file=literal(file))
        for file, names in list(files.items())[:_FILES]
    ]
    rest = sum(len(names) for names in list(files.values())[_FILES:])
    return "; ".join(shown) + (f" {words.count('more', rest)}" if rest else "")


def _short(change: Change) -> str:
    return change.symbol.removeprefix(f"{module_name(change.file)}.")


def risks(commit: ReportCommit, words: Words) -> Iterator[Line]:
    """What can fail a user of upstream, in the same order; one sentence that says so where nothing can."""
    if commit.facts is None:
        return
    public = [c for c in _without_doubles(commit.facts.changes) if c.public]
    found = [
        *_gone(public, words),
        *_undeclared(public, words),
        *_calls(public, words),
        *_values(public, words),
    ]
    found += [
        line(words("risk_mention", name=literal(m.name), place=literal(f"{m.place.file}:{m.place.line}")))
        for m in commit.mentions
    ]
    shown = found[: 2 * _LINES]
    yield from shown
    yield from _rest(len(found) - len(shown), words)
    if not found:
        yield line(words("risk_none"))


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
        yield line(words("risk_names", names=_by_file(loose, words)))


def _undeclared(changes: Sequence[Change], words: Words) -> Iterator[Line]:
    """Variables and options that people set, and that are gone."""
    for kind in _NAMED:
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
        yield line(words("risk_call", names=_by_file(group, words), what=_parts(parts, words)))


def _parts(parts: Iterable[tuple[str, str]], words: Words) -> str:
    """What happened to the parameters of a function."""
    found: dict[str, list[str]] = {}
    for what, name in parts:
        found.setdefault(what, []).append(literal(name))
    said = (words(f"parameter_{what}", names=listed(found[what], words)) for what in PARTS if what in found)
    return "; ".join(said)


def _values(changes: Sequence[Change], words: Words) -> Iterator[Line]:
    for change in changes:
        if change.kind in _VALUES and _is_setting(change):
            yield line(
                words(
                    "risk_default",
                    name=literal(change.symbol),
                    before=literal(change.before or "—", 60),
                    after=literal(change.after or "—", 60),
                )
            )
        elif change.kind == "signature":
            for part, text in change.parts:
                if part == "default":
                    values = {"name": literal(_short(change)), "default": literal(text)}
                    yield line(words("risk_parameter_default", **values))


def _is_setting(change: Change) -> bool:
    """Whether a changed value is one that people rely on: a default, or a literal; no type, no call."""
    if change.kind not in ("attribute-value", "variable-value"):
        return True
    try:
        return all(value is None or ast.literal_eval(value) != () for value in (change.before, change.after))
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return False


def advice(commit: ReportCommit, words: Words) -> Iterator[Line]:
    """What to do here, with the commands; one sentence that says so where nothing is to be done."""
    for item in commit.advice:
        values = {"command": literal(item.command, 400), "subject": literal(item.subject)}
        yield line(words(f"advice_{item.kind}", **values))
    if not commit.advice:
        yield line(words("advice_none"))
