"""Which files of a folder are the backend's, and as which modules."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from syncbot.api.bounded_source import bounded
from syncbot.contracts.sources import Backend, SourceFile, module_name
from syncbot.errors import UsageError
from syncbot.limits import Limits, read
from syncbot.project_metadata.entry_points import loaded_names
from syncbot.project_metadata.requirements import needed
from syncbot.project_metadata.source_folders import declared, is_project
from syncbot.upstream.git_log import decoded

_DEFAULTS = Limits()
# Files of build tools and of pytest that lie beside the modules of a project.
_NOT_SHIPPED = {"setup.py", "conftest.py", "noxfile.py", "tasks.py", "fabfile.py"}
# Folders whose packages are for those who work on a project.
_NO_SOURCES = {"tests", "test", "docs", "doc", "examples", "example", "benchmarks", "tools", "scripts"}
_IMPORTED = re.compile(rb"^[ \t]*(?:from|import)[ \t]+(\w+)", re.MULTILINE)
_SKIPPED = {"build", "dist", "node_modules", "venv", "env", "__pycache__", "site-packages"}


def read_backend(
    root: Path, sources: Sequence[str], tests: Sequence[str], limits: Limits = _DEFAULTS
) -> Backend:
    """All Python files of the backend in ``sources`` (below ``root``; without any, what the project's
    metadata names, else ``src``; if none of these holds any, each package at its top and, where it is no
    project, the modules beside them and the projects below, else its modules and the packages below; all of
    ``root`` where it is a package and no project) and in ``tests``. Raises UsageError where there is none."""
    test_folders = [root / t for t in tests if (root / t).is_dir() and not _holds_sources(root, t, sources)]
    package = (root / "__init__.py").exists()
    alone = package and not sources and not is_project(root)
    folders = [] if alone else _source_folders(root, sources, test_folders, limits)
    if package and not folders:
        return _package(root, test_folders, limits)
    files: dict[str, SourceFile | None] = {}
    for folder, base in folders:
        _collect(root, folder, base, False, test_folders, files, limits)
    if folders and not sources:
        files = _beside(root, folders, test_folders, limits) | files
    elif not folders:
        files = _without_sources(root, test_folders, limits)
    if not sources:
        _add_imported(root, {base for _, base in folders} | {root}, test_folders, files, limits)
    for folder in test_folders:
        _collect(root, folder, root, True, [], files, limits)
    if not any(files.values()):
        raise UsageError(
            f"{root} holds no Python package: name the backend's folder with --backend, "
            "or its source folders in [tool.syncbot] sources"
        )
    backend = _backend(root, files)
    guessed = not sources and not declared(root)
    return replace(backend, apart=tuple(_apart(root, files, limits))) if guessed else backend


def _holds_sources(root: Path, folder: str, sources: Sequence[str]) -> bool:
    """Whether a folder of tests, or one in it, is one of the sources by the configuration; or one in it by
    what the project says."""
    inside = Path(folder)
    named = any(Path(source).is_relative_to(inside) for source in sources)
    return named or any(inside in Path(place.path).parents for place in declared(root))


def _beside(
    root: Path, folders: Sequence[tuple[Path, Path]], tests: Sequence[Path], limits: Limits
) -> dict[str, SourceFile | None]:
    """Return what lies beside sources where nothing is built, which whoever runs it there has on the path:
    modules beside packages, and folders of modules beside those and beside the projects below."""
    if _says_sources(root):
        return {}
    at_top = all(folder.parent == base == root for folder, base in folders)
    files = dict(_loose_modules(root, root, limits)) if at_top else {}
    taken = [*tests, *(folder for folder, _ in folders), *_folders_below(root, tests, is_project)]
    for folder in _folders_below(root, taken, _holds_modules):
        base = _namespace_base(root, folder, limits)
        _collect(root, folder, base, False, [*taken, *(folder / name for name in _NO_SOURCES)], files, limits)
    return {path: file and replace(file, is_test=_is_test(file.path)) for path, file in files.items()}


def _add_imported(
    root: Path,
    bases: Collection[Path],
    tests: Sequence[Path],
    files: dict[str, SourceFile | None],
    limits: Limits,
) -> None:
    """Add the modules and packages that lie beside sources and that these import, whatever is built of them:
    who runs a project where it lies has them on the path."""
    fresh = list(files.values())
    known: set[str] = {file.module.partition(".")[0] for file in fresh if file is not None}
    while fresh:
        texts = [file.text for file in fresh if file is not None and not file.is_test]
        names = {name.decode() for text in texts for name in _IMPORTED.findall(text)} - known
        known |= names
        before = set(files)
        for base in sorted(bases):
            for place in (place for name in sorted(names) for place in (base / f"{name}.py", base / name)):
                if place not in tests and place.name not in _NOT_SHIPPED:
                    _collect(root, place, base, False, tests, files, limits)
        fresh = [files[path] for path in files.keys() - before]


def _says_sources(root: Path) -> bool:
    return is_project(root) or bool(declared(root))


def _without_sources(root: Path, tests: Sequence[Path], limits: Limits) -> dict[str, SourceFile | None]:
    """The modules at the top and the packages below, with the modules beside those."""
    files = dict(_loose_modules(root, root, limits))
    packages = list(_folders_below(root, tests, _is_package))
    if not packages:
        packages = list(_folders_below(root, tests, _holds_modules))
    for folder in packages:
        base = _namespace_base(root, folder, limits)
        # Of a package without ``__init__.py`` its own modules count as well, not only what lies below.
        whole = base / folder.relative_to(base).parts[0]
        apart = [whole / name for name in _NO_SOURCES] if whole != folder else []
        _collect(root, whole, base, False, [*tests, *apart], files, limits)
        if whole.parent == base != root:
            files = dict(_loose_modules(root, base, limits)) | files
    return files


def _apart(root: Path, files: Collection[str], limits: Limits) -> Iterator[tuple[str, frozenset[str]]]:
    """The Python files below a folder that are not read, where only its looks tell which are, each with the
    packages that it imports. Those of tests, documents and the like are no part of it."""
    for path in _python_files(root):
        shown = path.relative_to(root)
        inside = not _NO_SOURCES.isdisjoint(shown.parts) or path.name in _NOT_SHIPPED
        if not inside and shown.as_posix() not in files:
            names = (name.decode() for name in _IMPORTED.findall(read(path, limits)))
            yield decoded(os.fsencode(shown.as_posix())), frozenset(names)


def _source_folders(
    root: Path, sources: Sequence[str], tests: Sequence[Path], limits: Limits
) -> list[tuple[Path, Path]]:
    """The folders, and modules, of sources that hold Python, each with the folder where its names begin."""
    named = [] if sources else [(root / place.path, root / place.base) for place in declared(root)]
    if not named:
        named = [(root / name, _base(root / name, limits)) for name in sources or ("src",)]
    found = [(folder, base) for folder, base in named if any(True for _ in _python_files(folder))]
    if not found:
        packages = [d for d in sorted(root.iterdir()) if _is_package(d) and d not in tests]
        found = [(folder, root) for folder in packages]
    if not sources and not is_project(root):
        nested = (
            _source_folders(folder, (), tests, limits) for folder in _folders_below(root, tests, is_project)
        )
        found += [place for places in nested for place in places if place not in found]
    return found


def _namespace_base(root: Path, folder: Path, limits: Limits) -> Path:
    """The folder where the names of a package begin that lies below others which are none: these are packages
    without ``__init__.py`` (PEP 420) where its own files call it by their names too, or mean another package
    by its name alone."""
    parts = folder.relative_to(root).parts
    for start in range(len(parts) - 1):
        name = re.compile(rb"\b%s\b" % re.escape(".".join(parts[start:])).encode())
        if any(name.search(read(path, limits)) for path in _python_files(folder)):
            return root.joinpath(*parts[:start])
    return root if len(parts) > 1 and _names_another(folder, limits) else folder.parent


def _names_another(folder: Path, limits: Limits) -> bool:
    """Whether the files of a package import what is not in it from a package of the same name."""
    said = re.compile(
        rb"^[ \t]*(?:from|import)[ \t]+%s\.(\w+)" % re.escape(folder.name).encode(), re.MULTILINE
    )
    names = {n.decode() for path in _python_files(folder) for n in said.findall(read(path, limits))}
    inside = {path.name.partition(".")[0] for path in folder.iterdir()}
    return not names <= inside


def _base(folder: Path, limits: Limits) -> Path:
    """Where the names of what is in a folder begin: above a package, and those that it lies in where its
    own files call it by their names too."""
    if not (folder / "__init__.py").exists():
        return folder
    top = folder.parent
    while (top / "__init__.py").exists() and top != top.parent:
        top = top.parent
        name = re.compile(rb"\b%s\b" % re.escape(".".join(folder.relative_to(top).parts)).encode())
        if any(name.search(read(path, limits)) for path in _python_files(folder)):
            return top
    return folder.parent


def _backend(root: Path, files: Mapping[str, SourceFile | None]) -> Backend:
    """The backend of these files, None for one whose name is not UTF-8: no module can be called so."""
    found = tuple(file for _, file in sorted(files.items()) if file is not None)
    odd = (decoded(os.fsencode(path)) for path in sorted(files) if files[path] is None)
    skipped = tuple((path, "its name is not UTF-8") for path in odd)
    required = frozenset(each.name for each in needed(root))
    return Backend(root, found, skipped, loaded_names(root), required)


def _loose_modules(root: Path, folder: Path, limits: Limits) -> Iterator[tuple[str, SourceFile | None]]:
    """The modules that lie in a folder that is no package, by path."""
    for path in sorted(folder.glob("*.py")):
        if path.is_file() and path.name not in _NOT_SHIPPED:
            shown = path.relative_to(root).as_posix()
            yield shown, _file(shown, path.name, path, _is_test(shown), limits)


def _is_test(shown: str) -> bool:
    """Whether a file is called as pytest's are."""
    name = shown.rpartition("/")[2]
    return name.startswith("test_") or name.endswith("_test.py")


def _package(root: Path, tests: Sequence[Path], limits: Limits) -> Backend:
    """The backend where ``root`` itself is the package, or lies in one."""
    files: dict[str, SourceFile | None] = {}
    whole = root.absolute()
    base = _base(whole, limits)
    for folder, is_test in ((whole, False), *((test.absolute(), True) for test in tests)):
        _collect(
            whole, folder, base, is_test, () if is_test else [t.absolute() for t in tests], files, limits
        )
    return _backend(root, files)


def _collect(
    root: Path,
    folder: Path,
    base: Path,
    tests: bool,
    excluded: Sequence[Path],
    files: dict[str, SourceFile | None],
    limits: Limits,
) -> None:
    for path in _python_files(folder):
        if any(path.is_relative_to(e) for e in excluded):
            continue
        shown = path.relative_to(root).as_posix()
        inside = path.relative_to(base).as_posix()
        if shown not in files:
            files[shown] = _file(shown, inside, path, tests, limits)


def _file(shown: str, inside: str, path: Path, is_test: bool, limits: Limits) -> SourceFile | None:
    if any("\ud800" <= character <= "\udfff" for character in shown):
        return None
    return SourceFile(shown, module_name(inside), bounded(read(path, limits), limits), is_test)


def _python_files(folder: Path) -> Iterator[Path]:
    if folder.suffix == ".py" and folder.is_file():
        yield folder
    for parent, names, files in os.walk(folder):
        names[:] = sorted(n for n in names if n not in _SKIPPED and not n.startswith("."))
        for name in sorted(files):
            path = Path(parent, name)
            if name.endswith(".py") and path.is_file():
                yield path


def _folders_below(folder: Path, excluded: Sequence[Path], wanted: Callable[[Path], bool]) -> Iterator[Path]:
    """The folders below one that are wanted and in no other such."""
    for inner in sorted(folder.iterdir()):
        if not inner.is_dir() or inner.is_symlink() or inner in excluded or inner.name in _NO_SOURCES:
            continue
        if wanted(inner):
            yield inner
        elif inner.name not in _SKIPPED and not inner.name.startswith("."):
            yield from _folders_below(inner, excluded, wanted)


def _holds_modules(folder: Path) -> bool:
    return folder.name not in _SKIPPED and any(folder.glob("*.py"))


def _is_package(folder: Path) -> bool:
    return folder.is_dir() and folder.name not in _SKIPPED and (folder / "__init__.py").exists()
