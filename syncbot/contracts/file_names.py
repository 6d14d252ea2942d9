"""The names that a file of the backend says in places that matter, told from its text alone."""

from __future__ import annotations

import re
from dataclasses import dataclass

_VERSION = re.compile(
    rb"[\"']v?\d+(\.\d+)+[^\"'\n]*[\"']|__version_|find_spec\(|_available\(|[vV]ersion(?:s|_info)?\("
)
_DEFINITION = re.compile(rb"\n([ \t]*)(?:async[ \t]+)?(class|def)[ \t]+(\w+)")
_PARAMETERS = re.compile(rb"[^()]*(?:\([^()]*\)[^()]*)*")
_FROM = re.compile(rb"\n[ \t]*from[ \t]+[\w.]+[ \t]+import[ \t]*(?:\(([^()]*)\)|([^\n(]*))")
_IMPORT = re.compile(rb"\n[ \t]*import[ \t]+([^\n#]*)")
_COMMENT = re.compile(rb"#[^\n]*")
# Searched for behind a line's end: what begins with a letter of its own is found many times faster.
_FUNCTION = re.compile(rb"\n(?:async[ \t]+)?def[ \t]+(\w+)")
_NAME_GIVEN = rb"[ \t\\\r\n]*(?:[\w.]+\([ \t\r\n]*)?([\w.]+)(?![\w.]|[ \t]*[(\[])"
_ASSIGNED = re.compile(rb"\n[ \t]*(?!self\.)\w[\w.]*\.\w+[ \t]*=" + _NAME_GIVEN)
_SETATTR = re.compile(rb"setattr\([^()]*," + _NAME_GIVEN)
_HANDED = re.compile(
    rb"\([ \t\r\n]*\w[\w.]*,[ \t\r\n]*[\"']\w+[\"'],[ \t\r\n]*([A-Za-z_][\w.]*)[ \t\r\n]*[,)]"
)
# What a function makes is put into a class: elsewhere that is a value as any other.
_MADE = re.compile(rb"\n[ \t]*(?:\w+\.)*[A-Z]\w*\.\w+[ \t]*=[ \t\\\r\n]*([\w.]+)\(")
_SETATTR_MADE = re.compile(rb"setattr\([ \t\r\n]*(?:\w+\.)*[A-Z]\w*,[^()]*,[ \t\\\r\n]*([\w.]+)\(")


@dataclass(frozen=True, slots=True)
class FileNames:
    """Names in one file. ``functions`` are those at its top level; ``untyped`` the functions there that may
    leave out the type of a parameter, and the classes whose constructors may; ``imported`` the names that its
    imports say, each the last part of a dotted one; ``given`` the dotted names that it gives to attributes of
    others than ``self``, also through a function that is given owner, name and value, and those of the
    functions that make what it gives to classes. ``versions``: a string in it is a version, or something
    there may ask for one."""

    functions: frozenset[str]
    untyped: frozenset[str]
    imported: frozenset[str]
    given: frozenset[str]
    versions: bool


def file_names(source: bytes) -> FileNames:
    """The names in a text."""
    lines = b"\n" + source
    given = (_names(pattern, lines) for pattern in (_ASSIGNED, _SETATTR, _HANDED, _MADE, _SETATTR_MADE))
    return FileNames(
        functions=_names(_FUNCTION, lines),
        untyped=_untyped(lines),
        imported=_imported(lines),
        given=frozenset[str]().union(*given),
        versions=_VERSION.search(source) is not None,
    )


def _untyped(text: bytes) -> frozenset[str]:
    found, around = set[bytes](), b""
    for match in _DEFINITION.finditer(text):
        indented, kind, name = match.groups()
        if kind == b"class" and not indented:
            around = name
        elif kind == b"def" and (not indented or name == b"__init__"):
            owner = around if indented else name
            if owner and _leaves_out(text, match.end(3), bool(indented)):
                found.add(owner)
            around = around if indented else b""
    return frozenset(name.decode(errors="replace") for name in found)


def _imported(lines: bytes) -> frozenset[str]:
    said = [several or line for several, line in _FROM.findall(lines)] + _IMPORT.findall(lines)
    names = (name for text in said for name in _COMMENT.sub(b"", text).split(b","))
    words = (name.split() for name in names)
    return frozenset(w[0].rpartition(b".")[2].decode(errors="replace") for w in words if w)


def _leaves_out(text: bytes, start: int, method: bool) -> bool:
    """Whether the parameters that are written from a place on may be without a type: a comma in the type of
    one, or in its default, counts as one."""
    opened = text.find(b"(", start)
    found = _PARAMETERS.match(text, opened + 1) if opened >= 0 else None
    parts = _COMMENT.sub(b"", found[0]).split(b",")[method:] if found is not None else []
    return any(part.strip() not in (b"", b"*", b"/") and b":" not in part for part in parts)


def _names(pattern: re.Pattern[bytes], text: bytes) -> frozenset[str]:
    return frozenset(name.decode(errors="replace") for name in pattern.findall(text))
