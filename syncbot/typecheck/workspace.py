"""Prepares a checker's files: a copy of the backend's sources, and folders with one upstream commit each."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from filelock import FileLock, Timeout

from syncbot.api.tree import package_roots
from syncbot.contracts.sources import Backend
from syncbot.typecheck.hidden_signatures import blank_decorators
from syncbot.upstream.checkout import Form, TreeFolder
from syncbot.upstream.git_repository import GitRepository

_IMPORT = re.compile(rb"^\s*(?:from|import)\s+(\w+)", re.MULTILINE)
_OTHERS = ("test", "doc", "example", "benchmark", "tool", "script", "ci")
_KEPT_COPIES = 6
# A copy is only removed when nobody can be using it any more; a check takes minutes at most.
_FORM = Form("undecorated", blank_decorators)


@dataclass(frozen=True, slots=True)
class Layout:
    """Which packages of an upstream the backend uses, in which folders, and what to write of a tree."""

    packages: tuple[str, ...]
    roots: tuple[str, ...]
    prefixes: tuple[str, ...]


def layout(backend: Backend, trees: Sequence[Mapping[str, str]], packages: Sequence[str] | None) -> Layout:
    """The layout of upstream trees (path → blob), by default of the packages that the backend imports."""
    wanted = list(packages) if packages is not None else sorted(_imported(backend))
    roots: dict[str, set[str]] = {}
    for files in trees:
        for package, root in package_roots(files, wanted).items():
            if packages is not None or _is_top_level(package, root, files):
                roots.setdefault(package, set()).add(root)
    pairs = sorted((root, package) for package, found in roots.items() for root in found)
    prefixes = [f"{root}{package}{end}" for root, package in pairs for end in ("/", ".py", ".pyi")]
    return Layout(tuple(sorted(roots)), tuple(sorted({root for root, _ in pairs})), tuple(prefixes))


def backend_roots(backend: Backend) -> tuple[str, ...]:
    """The folders below the backend's root that its imports start from."""
    roots = set()
    for file in backend.files:
        path = file.path.removesuffix(".py").removesuffix("/__init__")
        if path.endswith(file.module.replace(".", "/")):
            roots.add(path[: len(path) - len(file.module)])
    return tuple(sorted(roots))


def copy_of(backend: Backend, cache: Path) -> Path:
    """A folder with the backend's Python files as checkers read them, made once per digest."""
    folder = cache / "backends" / backend.digest[:20]
    if (folder / "complete").exists():
        (folder / "complete").touch()
        return folder / "files"
    folder.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(cache / "backends.lock"):
        if not (folder / "complete").exists():
            shutil.rmtree(folder, ignore_errors=True)
            for file in backend.files:
                target = folder / "files" / file.path
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(blank_decorators(file.text))
            (folder / "complete").touch()
            _prune(folder.parent)
    return folder / "files"


@contextmanager
def tree_folder(repository: GitRepository, prefixes: Sequence[str], cache: Path) -> Iterator[TreeFolder]:
    """A folder of one's own for trees of a repository: the first that no other thread or process holds."""
    name = hashlib.sha256(os.fsencode(f"{repository.store}\0{prefixes}")).hexdigest()[:16]
    parent = cache / "trees" / name
    parent.mkdir(parents=True, exist_ok=True)
    for number in count():
        lock = FileLock(parent / f"{number}.lock", thread_local=False)
        try:
            lock.acquire(timeout=0)
        except Timeout:
            continue
        try:
            yield TreeFolder(parent / str(number), repository, prefixes, _FORM)
        finally:
            lock.release()
        return


def _imported(backend: Backend) -> set[str]:
    names = {name.decode() for file in backend.files for name in _IMPORT.findall(file.text)}
    return names - set(backend.packages) - set(sys.stdlib_module_names)


def _is_top_level(package: str, root: str, files: Mapping[str, str]) -> bool:
    """Whether a package stands at the top of the tree or one folder below, and in no other package."""
    present = f"{root}{package}/__init__.py" in files or f"{root}{package}.py" in files
    outside = f"{root}__init__.py" not in files and root.count("/") <= 1
    return present and outside and not root.lower().startswith(_OTHERS)


def _prune(folder: Path) -> None:
    copies = [p for p in folder.iterdir() if (p / "complete").exists()]
    for old in sorted(copies, key=lambda p: (p / "complete").stat().st_mtime)[:-_KEPT_COPIES]:
        shutil.rmtree(old, ignore_errors=True)
