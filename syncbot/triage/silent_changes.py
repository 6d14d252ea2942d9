"""Who is suspected of a difference between two runs: findings of static analysis, and commits."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

from syncbot.api.every_node import children
from syncbot.api.remembered_answers import remembered
from syncbot.api.syntax import syntax_tree
from syncbot.contracts.sources import Backend
from syncbot.impact.model import Impact, Verdict
from syncbot.impact.trees import Trees
from syncbot.triage.range_history import RangeHistory
from syncbot.upstream.commit_range import Span
from syncbot.upstream.model import Commit
from syncbot.verify.recording.differences import Difference, What

_ORDER = (Verdict.BREAKS, Verdict.AT_RISK, Verdict.DRIFT, Verdict.NONE)
_Function = ast.FunctionDef | ast.AsyncFunctionDef
#: The functions of upstream that called each.
Led = Mapping[str, Collection[str]]
#: So many callers of callers are looked at.
_DEEPEST = 6
#: So many commits of a file are read at most.
_READ = 50
#: So many commits are named for a difference, the newest first.
_MOST = 3


@dataclass(frozen=True, slots=True)
class Suspect:
    """Why a difference may be there. ``commit`` is upstream's, None where a lane's own sources differ."""

    reason: str
    commit: Commit | None = None
    impact: Impact | None = None

    def __str__(self) -> str:
        if self.commit is None:
            return self.reason
        finding = f"{self.impact.verdict} {self.impact.id}: " if self.impact is not None else ""
        return f"{self.commit.sha[:12]} {self.commit.subject}: {finding}{self.reason}"


@dataclass
class SilentChanges:
    """Looks for suspects in the range between two lanes: their sources, the older one's first, and the
    impacts of the range on the older one."""

    trees: Trees
    span: Span
    impacts: Sequence[Impact]
    before: Backend
    after: Backend

    @cached_property
    def history(self) -> RangeHistory:
        """Git's history of the range."""
        return RangeHistory(self.trees.repository, self.span)

    @cached_property
    def commits(self) -> Mapping[str, Commit]:
        """The commits of the range by sha."""
        return {commit.sha: commit for commit in self.span.commits}

    def suspects(
        self, difference: Difference, callers: Collection[str], led: Led = MappingProxyType({})
    ) -> tuple[Suspect, ...]:
        """Who is suspected: the lanes' own sources, then findings, then the commits that changed the nearest
        of upstream's ``callers`` and of those that ``led`` to them. None where nobody is."""
        functions = self._functions(difference)
        found = [*self._sources(functions), *self._findings(functions, callers)]
        known = {each.commit.sha for each in found if each.commit is not None and each.impact is not None}
        word = difference.name.rpartition(".")[2].rpartition(":")[2]
        for suspect in self._upstream(word, callers, led):
            if suspect.commit is not None and suspect.commit.sha not in known:
                found.append(suspect)
        return tuple(dict.fromkeys(found))

    def _functions(self, difference: Difference) -> list[str]:
        """The plugin's functions that a difference is about; of an operator, those that name it."""
        if "::" not in difference.name and difference.what is not What.COUNT:
            return [difference.name]
        word = re.compile(rf"\b{re.escape(difference.name.rpartition('::')[2])}\b")
        files = {f.path: f for backend in (self.before, self.after) for f in backend.files}
        return sorted(
            f"{file.module}:{name}"
            for file in files.values()
            if not file.is_test and word.search(file.text.decode("utf-8", "replace"))
            for name, (first, last) in _functions(file.text).items()
            if word.search(_lines(file.text, first, last))
        )

    def _sources(self, functions: Sequence[str]) -> Iterator[Suspect]:
        for name in functions:
            before, after = (_text(backend, name) for backend in (self.before, self.after))
            if before is None and after is None:
                continue
            if before is None or after is None:
                yield Suspect(f"only the {'newer' if before is None else 'older'} lane's sources have {name}")
            elif before != after:
                yield Suspect(f"the lanes' own sources differ in {name}")

    def _findings(self, functions: Sequence[str], callers: Collection[str]) -> Iterator[Suspect]:
        theirs = {each.replace(":", ".") for each in callers}
        ranked = sorted(self.impacts, key=lambda impact: _ORDER.index(impact.verdict))
        for impact in ranked:
            commit = self.commits.get(impact.commit)
            if commit is not None and (impact.symbol in theirs or self._meets(impact, functions)):
                yield Suspect(impact.message, commit, impact)

    def _meets(self, impact: Impact, functions: Sequence[str]) -> bool:
        """Whether an impact stands in one of the functions, or is about what one of them overrides."""
        places = {(at.file, at.line) for at in impact.locations}
        for name in functions:
            for file in self.before.files:
                if file.module == name.partition(":")[0]:
                    first, last = _functions(file.text).get(name.partition(":")[2], (0, -1))
                    if any(path == file.path and first <= line <= last for path, line in places):
                        return True
            owner, _, method = name.replace(":", ".").rpartition(".")
            if owner in impact.classes and impact.symbol.rpartition(".")[2] == method:
                return True
        return False

    def _upstream(self, word: str, callers: Collection[str], led: Led) -> list[Suspect]:
        """The commits that changed the bodies of callers: the nearest ones that changed."""
        seen = set(callers)
        for _ in range(_DEEPEST):
            found = [suspect for caller in sorted(callers) for suspect in self._of_caller(caller, word)]
            if found or not callers:
                return found
            # What they are called for may be another function's doing.
            callers = {above for caller in callers for above in led.get(caller, ())} - seen
            seen |= callers
        return []

    def _of_caller(self, caller: str, word: str) -> Iterator[Suspect]:
        """The commits that changed a function of upstream: first those that changed how often it names us."""
        module, _, function = caller.partition(":")
        old, new = (self.trees.tree(sha) for sha in (self.span.old, self.span.new))
        texts = [tree.source(module) or b"" for tree in (old, new)]
        bodies = [_body(text, function) for text in texts]
        if bodies[0] == bodies[1]:
            return
        path = new.path(module) or old.path(module) or ""
        named = self.history.changing(word, [path]) if word else []
        reason = f"{caller} {_became(bodies[0], bodies[1], word)}"
        for sha in (named or self._wrote(path, texts[1], function))[:_MOST]:
            if sha in self.commits:
                yield Suspect(reason, self.commits[sha])

    def _wrote(self, path: str, text: bytes, function: str) -> list[str]:
        """The commits of the range that changed a function, newest first: those that wrote lines of it, else
        those that took some out."""
        first, last = _functions(text).get(function, (0, -1))
        wrote = set(self.history.wrote(path, range(first, last + 1)).values()) if first else set()
        touching = [commit for commit in self.span.commits if path in commit.paths]
        return [each.sha for each in touching if each.sha in wrote] or [
            each.sha for each in touching[:_READ] if self._changes(each, path, function)
        ]

    def _changes(self, commit: Commit, path: str, function: str) -> bool:
        blobs = [(f.old_blob, f.new_blob) for f in commit.files if path in (f.old_path, f.new_path)]
        bodies = [
            [_body(self.trees.read(blob), function) if blob else None for blob in pair] for pair in blobs
        ]
        return any(before != after for before, after in bodies)


def outermost(callers: Collection[str], led: Led) -> tuple[str, ...]:
    """The functions that led to calls, and that nothing known led to, sorted."""
    seen, left = set(callers), list(callers)
    while left:
        further = set(led.get(left.pop(), ())) - seen
        seen |= further
        left += further
    return tuple(sorted(name for name in seen if not led.get(name)))


def _became(before: str | None, after: str | None, word: str) -> str:
    if before is None or after is None:
        return "is new" if before is None else "is gone"
    named = re.compile(rf"\b{re.escape(word)}\b")
    if word and bool(named.search(before)) != bool(named.search(after)):
        return f"names {word} {'no more' if named.search(before) else 'now'}"
    return "changed"


def _text(backend: Backend, name: str) -> str | None:
    module, _, qualname = name.partition(":")
    for file in backend.files:
        if file.module == module:
            return _body(file.text, qualname)
    return None


def _body(text: bytes, qualname: str) -> str | None:
    """A function's normalised text, None where the file has no such one."""
    node = _nodes(text).get(qualname)
    return ast.unparse(node) if node is not None else None


def _functions(text: bytes) -> dict[str, tuple[int, int]]:
    """The lines of each function of a file, by its qualified name."""
    return {name: (node.lineno, node.end_lineno or node.lineno) for name, node in _nodes(text).items()}


@remembered(32)
def _nodes(text: bytes) -> dict[str, _Function]:
    """The functions of a file by their qualified names; of two with one name, the last."""
    found: dict[str, _Function] = {}
    try:
        left: list[tuple[str, ast.AST]] = [("", syntax_tree(text))]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return found
    while left:
        prefix, parent = left.pop()
        for node in children(parent):
            inner = prefix
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                found[f"{prefix}{node.name}"] = node
                inner = f"{prefix}{node.name}.<locals>."
            elif isinstance(node, ast.ClassDef):
                inner = f"{prefix}{node.name}."
            left.append((inner, node))
    return found


def _lines(text: bytes, first: int, last: int) -> str:
    return "\n".join(text.decode("utf-8", "replace").splitlines()[first - 1 : last])
