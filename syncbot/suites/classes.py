"""The class of each group of differences: by a rule that shows it, or by a person with a reason."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from syncbot.api.syntax import syntax_tree
from syncbot.limits import document_text
from syncbot.patching import yaml_documents
from syncbot.patching.yaml_documents import Document
from syncbot.suites.differences import Group
from syncbot.verify.suite.outcomes import Asked, Frame

#: ``lane``: the lane is wrong; ``pins``: what the test made or expects is of the old upstream;
#: ``environment``: what is installed, or where it ran; ``undecided``: nobody knows yet.
Class = Literal["lane", "pins", "environment", "undecided"]
CLASSES: tuple[Class, ...] = ("lane", "undecided", "pins", "environment")

_OUTSIDE = ("ConnectionError", "ConnectionRefusedError", "gaierror", "FileNotFoundError", "PermissionError")
_MISSING_MODULE = re.compile(r"No module named '([\w.]+)'")
_MISSING_NAME = re.compile(r"cannot import name '\w+' from '([\w.]+)'")
_MISFIT = re.compile(
    r"^(?P<called>[\w.<>]+)\(\) (?:got an unexpected keyword argument|got multiple values for"
    r"|got some positional-only|missing \d+ required|takes (?:from )?\d+ )"
)
_NATURES = {
    "namespace": "a SimpleNamespace of the test",
    "mock": "a mock of the test",
    "test": "an object of a class of the test",
}


class Decision(Document):
    """What a person says of a group."""

    cause: str
    where: str = ""
    decided: Literal["lane", "pins", "environment"]
    reason: str


class Decisions(Document):
    """All that people decided."""

    differences: tuple[Decision, ...] = ()


@dataclass(frozen=True, slots=True)
class Classed:
    """A group, its class and why it is of that."""

    group: Group
    class_: Class
    reason: str = ""
    by_person: bool = False


class Sources(Protocol):
    """What the lane and its upstream are, as texts."""

    packages: Collection[str]
    upstream: Collection[str]

    def text(self, file: str) -> bytes | None:
        """The text of a file of the lane, of its tests or of upstream."""

    def member(self, class_: str, name: str) -> bool | None:
        """Whether objects of a class have a member; None where that cannot be seen."""

    def class_asked(self, frame: Frame, name: str) -> str | None:
        """The class of what an expression asks for a member, as sources declare it; None if they do not."""


def load(file: Path) -> Decisions:
    """What people decided, in a file; nothing where there is none. Raises ConfigurationError."""
    if not file.is_file():
        return Decisions()
    return yaml_documents.parse(document_text(file), Decisions, "classes of differences", str(file))


def classed(
    groups: Sequence[Group], decisions: Decisions, sources: Sources, folders: Collection[str]
) -> list[Classed]:
    """Return each group with its class. What a person decided counts more than a rule."""
    known = {(each.cause, each.where): each for each in decisions.differences}
    found = []
    for group in groups:
        decision = known.get((group.message, group.where))
        if decision is not None:
            found.append(Classed(group, decision.decided, decision.reason, by_person=True))
            continue
        class_, reason = _by_rule(group, sources, folders)
        found.append(Classed(group, class_, reason))
    return found


def unused(groups: Sequence[Group], decisions: Decisions) -> list[Decision]:
    """What people decided of groups that are there no more."""
    there = {(group.message, group.where) for group in groups}
    return [each for each in decisions.differences if (each.cause, each.where) not in there]


def counted(found: Sequence[Classed]) -> dict[Class, int]:
    """How many differences there are of each class."""
    counts: dict[Class, int] = {}
    for class_ in CLASSES:
        number = sum(len(each.group.differences) for each in found if each.class_ == class_)
        if number:
            counts[class_] = number
    return counts


def _by_rule(group: Group, sources: Sources, folders: Collection[str]) -> tuple[Class, str]:
    cause, frame = group.cause, group.frame
    kind = cause.type.rpartition(".")[2]
    ours = {*sources.packages, *sources.upstream}
    missing = _MISSING_MODULE.search(cause.message)
    if kind == "ModuleNotFoundError" and missing and missing[1].partition(".")[0] not in ours:
        return "environment", f"{missing[1].partition('.')[0]} is not installed"
    if kind in _OUTSIDE:
        return "environment", "it looked for a file or a machine"
    if frame is None:
        return "undecided", ""
    by_lane = frame.file.partition("/")[0] in sources.packages
    if kind in ("ImportError", "ModuleNotFoundError") and by_lane:
        named = missing or _MISSING_NAME.search(cause.message)
        if named and named[1].partition(".")[0] in sources.upstream:
            return "lane", f"{frame.file} imports what is no more"
    asked = cause.asked
    if kind == "AttributeError" and asked is not None:
        return _of_attribute(group, frame, asked, sources, folders)
    called = _MISFIT.match(cause.message) if kind == "TypeError" else None
    if called is not None:
        return _of_call(group, frame, called["called"], sources, folders)
    if "has no setter" in cause.message and by_lane:
        return "lane", f"{frame.file} sets what upstream computes"
    return "undecided", ""


def _of_attribute(
    group: Group, frame: Frame, asked: Asked, sources: Sources, folders: Collection[str]
) -> tuple[Class, str]:
    """Of what was missing: whether a real object has it."""
    top = frame.file.partition("/")[0]
    if top not in sources.packages and top not in sources.upstream:
        return "undecided", ""
    if asked.nature == "module":
        return ("lane", f"{frame.file} asks a module for what is no more") if top in sources.packages else (
            "undecided", "",
        )  # fmt: skip
    if asked.nature in ("namespace", "test"):
        real = sources.class_asked(frame, asked.name)
    else:
        real = asked.classes[0] if asked.classes else None
    if real is None:
        return "undecided", ""
    has = sources.member(real, asked.name)
    if has is None:
        return "undecided", ""
    if not has:
        return ("lane", f"{real} has no {asked.name}") if top in sources.packages else ("undecided", "")
    if asked.nature in _NATURES:
        return "pins", f"{_NATURES[asked.nature]} has no {asked.name}, which {real} has"
    if _is_made_bare(group, real, sources, folders):
        return "pins", f"the test makes a {real} without its constructor, and sets no {asked.name}"
    return "undecided", ""


def _is_made_bare(group: Group, real: str, sources: Sources, folders: Collection[str]) -> bool:
    """Whether all tests of a group make objects of a class by ``__new__`` alone, in no constructor."""
    name = real.rpartition(".")[2]
    pattern = re.compile(rf"\b{re.escape(name)}\.__new__\(|\bobject\.__new__\(".encode())
    running = any(frame.function in ("__init__", "__new__") for frame in group.cause.frames)
    files = {each.node.partition("::")[0] for each in group.differences}
    texts = [sources.text(file) or b"" for file in files]
    return not running and all(pattern.search(text) for text in texts)


def _of_call(
    group: Group, frame: Frame, called: str, sources: Sources, folders: Collection[str]
) -> tuple[Class, str]:
    """Of a call that does not fit: the lane is wrong where it writes down what it passes, or where upstream
    calls what only the lane defines."""
    top = frame.file.partition("/")[0]
    name = called.replace("<locals>.", "")
    tests = {each.node.partition("::")[0] for each in group.differences}
    if ".<locals>." in called or any(_defines(sources.text(file) or b"", name) for file in tests):
        # The test's own: whether the real one takes the call is for a person to say.
        return "undecided", ""
    call = _call_at(sources.text(frame.file), frame)
    plain = call is not None and not any(isinstance(each, ast.Starred) for each in call.args)
    plain = plain and call is not None and all(keyword.arg for keyword in call.keywords)
    if top in sources.packages and plain:
        return "lane", f"{frame.file} calls {called} in a way that it does not take"
    return "undecided", ""


def _call_at(text: bytes | None, frame: Frame) -> ast.Call | None:
    """The call that a frame was doing."""
    if text is None or frame.expression is None:
        return None
    place = (frame.line, *frame.expression)
    tree = parsed(text)
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.Call) and position(node) == place:
            return node
    return None


def position(node: ast.expr) -> tuple[int, int, int, int]:
    """The first line, the last, and the columns of an expression."""
    return node.lineno, node.end_lineno or 0, node.col_offset, node.end_col_offset or 0


def parsed(text: bytes) -> ast.Module | None:
    """The tree of a source, None where it cannot be parsed."""
    try:
        return syntax_tree(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _defines(text: bytes, dotted: str) -> bool:
    """Whether a module defines the class or function at the head of a dotted name, at its top."""
    tree = parsed(text)
    head = dotted.partition(".")[0]
    body = tree.body if tree is not None else []
    kinds = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    return any(isinstance(node, kinds) and node.name == head for node in body)
