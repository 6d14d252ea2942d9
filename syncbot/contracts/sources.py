"""The backend's own sources: its files, each with the module that it is."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from sys import intern

from syncbot.api.blobs_with_text import Mentions
from syncbot.api.names import defined_names
from syncbot.api.read_tree import ReadTree
from syncbot.api.tree import BlobValues, Tables
from syncbot.contracts.file_names import FileNames, file_names
from syncbot.errors import UsageError

# https://packaging.python.org/en/latest/guides/packaging-namespace-packages/
_SHARED = re.compile(rb"\b(?:extend_path|declare_namespace)\(")
_WORD = re.compile(rb"[A-Za-z_]\w*")


@dataclass(frozen=True)
class SourceFile:
    """One Python file of the backend: its path below the root, its module name, its text, and the names in
    it where these are known."""

    path: str
    module: str
    text: bytes
    is_test: bool
    known_names: FileNames | None = field(default=None, compare=False, repr=False)

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
    def names(self) -> FileNames:
        """Names that its text says in places that matter."""
        return self.known_names or file_names(self.text)


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

    def knowing(self, names: BlobValues[FileNames]) -> Backend:
        """The same backend, with the names in its files as they are kept by blob."""
        texts = {file.blob: file.text for file in self.files}
        files = (replace(f, known_names=names.get(f.blob, texts.__getitem__)) for f in self.files)
        return replace(self, files=tuple(files))

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
