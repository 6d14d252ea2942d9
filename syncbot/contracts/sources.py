"""The backend's own sources: its files, each with the module that it is."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from sys import intern

from syncbot.api.blobs_with_text import Mentions
from syncbot.api.names import defined_names
from syncbot.api.read_tree import ReadTree
from syncbot.api.tree import Tables
from syncbot.errors import UsageError

_VERSION = re.compile(
    rb"[\"']v?\d+(\.\d+)+[^\"'\n]*[\"']|__version_|find_spec\(|_available\(|[vV]ersion(?:s|_info)?\("
)
# https://packaging.python.org/en/latest/guides/packaging-namespace-packages/
_SHARED = re.compile(rb"\b(?:extend_path|declare_namespace)\(")
_WORD = re.compile(rb"[A-Za-z_]\w*")
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


@dataclass(frozen=True)
class SourceFile:
    """One Python file of the backend: its path below the root, its module name, its text."""

    path: str
    module: str
    text: bytes
    is_test: bool

    @cached_property
    def blob(self) -> str:
        """The id that git gives a blob of this text."""
        header = b"blob %d\0" % len(self.text)
        return hashlib.sha1(header + self.text, usedforsecurity=False).hexdigest()

    @property
    def package(self) -> str:
        """The package that relative imports in it begin at."""
        return self.module if self.path.endswith("__init__.py") else self.module.rpartition(".")[0]

    @cached_property
    def words(self) -> frozenset[str]:
        """The words in it."""
        # Most stand in many files: they are kept once.
        return frozenset(intern(word.decode()) for word in set(_WORD.findall(self.text)))

    @cached_property
    def names_versions(self) -> bool:
        """Whether a string in it is a version, or something there may ask for one."""
        return _VERSION.search(self.text) is not None

    @cached_property
    def functions(self) -> frozenset[str]:
        """The functions at its top level."""
        return _names(_FUNCTION, b"\n" + self.text)

    @cached_property
    def untyped(self) -> frozenset[str]:
        """The functions at its top level that may leave out the type of a parameter, and the classes whose
        constructors may."""
        found, around, text = set[bytes](), b"", b"\n" + self.text
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

    @cached_property
    def imported_names(self) -> frozenset[str]:
        """The names that its imports say, each the last part of a dotted one."""
        lines = b"\n" + self.text
        said = [several or line for several, line in _FROM.findall(lines)] + _IMPORT.findall(lines)
        names = (name for text in said for name in _COMMENT.sub(b"", text).split(b","))
        words = (name.split() for name in names)
        return frozenset(w[0].rpartition(b".")[2].decode(errors="replace") for w in words if w)

    @cached_property
    def given_names(self) -> frozenset[str]:
        """The dotted names that it gives to attributes of others than ``self``, also through a function that
        is given owner, name and value, and those of the functions that make what it gives to classes."""
        lines = b"\n" + self.text
        patterns = (_ASSIGNED, _SETATTR, _HANDED, _MADE, _SETATTR_MADE)
        return frozenset[str]().union(*(_names(pattern, lines) for pattern in patterns))


def _leaves_out(text: bytes, start: int, method: bool) -> bool:
    """Whether the parameters that are written from a place on may be without a type: a comma in the type of
    one, or in its default, counts as one."""
    opened = text.find(b"(", start)
    found = _PARAMETERS.match(text, opened + 1) if opened >= 0 else None
    parts = _COMMENT.sub(b"", found[0]).split(b",")[method:] if found is not None else []
    return any(part.strip() not in (b"", b"*", b"/") and b":" not in part for part in parts)


def _names(pattern: re.Pattern[bytes], text: bytes) -> frozenset[str]:
    return frozenset(name.decode(errors="replace") for name in pattern.findall(text))


@dataclass(frozen=True)
class Backend:
    """The backend's Python files below ``root``; ``skipped`` are those not analysed, with the reasons;
    ``loaded`` the dotted names by which other programs load it, empty where none is known to; ``required``
    the canonical names of the distributions that it asks for; ``apart`` are files beside that are not read,
    with the packages that they import."""

    root: Path
    files: tuple[SourceFile, ...]
    skipped: tuple[tuple[str, str], ...] = ()
    loaded: frozenset[str] = frozenset()
    required: frozenset[str] = frozenset()
    apart: tuple[tuple[str, frozenset[str]], ...] = ()

    @cached_property
    def packages(self) -> tuple[str, ...]:
        """The top-level names of its modules."""
        return tuple(sorted({f.module.partition(".")[0] for f in self.files}))

    @cached_property
    def test_modules(self) -> frozenset[str]:
        """Its modules that run in its tests alone."""
        return frozenset(f.module for f in self.files if f.is_test)

    def defined(self) -> frozenset[str]:
        """The names that its files define anywhere."""
        return frozenset[str]().union(*(defined_names(file.text) for file in self.files))

    def tree(self, tables: Tables, mentions: Mentions | None = None) -> ReadTree:
        """The backend's modules as a module tree."""
        texts = {f.blob: f.text for f in self.files}
        return ReadTree.of_modules(
            {f.module: (f.path, f.blob) for f in self.files}, tables, texts.__getitem__, mentions
        )

    def without_copies(self, packages: Collection[str]) -> Backend:
        """The backend where its folder holds upstream's own packages too, as that of a fork does: these are
        left out. A folder of that name that is no package hides no installed one (PEP 420): modules in it
        are reached otherwise, and known without it. A package that says that others share its name is no
        copy. Raises UsageError where nothing else is left."""
        inits = [f for f in self.files if f.module in packages and f.path.endswith("/__init__.py")]
        copied = {f.module for f in inits if not _SHARED.search(f.text)}
        if not inits:
            return self._without_folder(packages)
        if not copied:
            return self
        files = tuple(f for f in self.files if f.module.partition(".")[0] not in copied)
        names = ", ".join(sorted(copied))
        if all(file.is_test for file in files):
            raise UsageError(
                f"{self.root} holds {names} itself and no plugin: name its folder with --backend"
            )
        folders = sorted(f.path for f in self.files if f.module in copied)
        left_out = tuple(
            (path, f"upstream's own package {names} is no part of the plugin") for path in folders
        )
        return replace(self, files=files, skipped=(*self.skipped, *left_out))

    def _without_folder(self, packages: Collection[str]) -> Backend:
        """The backend where modules in plain folders of these names are known without the folder."""
        loose = {
            f.path: parts[1]
            for f in self.files
            if len(parts := f.module.split(".")) == 2
            and parts[0] in packages
            and not f.path.endswith("__init__.py")
        }
        renamed = (replace(f, module=loose.get(f.path, f.module)) for f in self.files)
        return replace(self, files=tuple(renamed)) if loose else self

    @cached_property
    def digest(self) -> str:
        """A digest over all paths and texts."""
        digest = hashlib.sha256()
        for file in self.files:
            digest.update(f"{file.path}\0{file.blob}\n".encode())
        apart = [(path, sorted(names)) for path, names in self.apart]
        digest.update(repr((self.skipped, sorted(self.loaded), sorted(self.required), apart)).encode())
        return digest.hexdigest()


def in_memory(files: Mapping[str, str]) -> Backend:
    """A backend made of texts by path, for analyses of sources that are not on disk."""
    return Backend(
        Path(),
        tuple(SourceFile(p, module_name(p), t.encode(), False) for p, t in sorted(files.items())),
    )


def module_name(path: str) -> str:
    """``pkg/a/b.py`` is ``pkg.a.b``, ``pkg/a/__init__.py`` is ``pkg.a``; a leading ``src/`` falls away."""
    name = path.removeprefix("src/").removesuffix(".py").replace("/", ".")
    return name.removesuffix(".__init__")
