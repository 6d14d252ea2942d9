"""Where a project's build finds its packages, as each build tool is told."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath

from syncbot.project_metadata.documents import Documents, at, literal, texts


@dataclass(frozen=True, slots=True)
class Declared:
    """A package, a module's file, or a folder of them, below the project; its dotted name begins at
    ``base``."""

    path: str
    base: str


def declared(root: Path) -> tuple[Declared, ...]:
    """Return what a project's metadata names as its packages, each once; nothing where it names none. Of two
    build tools that do, the first one counts."""
    documents = Documents(root)
    for read in (_hatch, _poetry, _others, _setuptools, _setup_cfg, _setup_py):
        found = dict.fromkeys(place for place in read(documents) if (root / place.path).exists())
        if found:
            return tuple(found)
    return ()


def is_project(root: Path) -> bool:
    """Whether a folder says of itself that something is built from it."""
    if not any((root / name).is_file() for name in ("pyproject.toml", "setup.cfg", "setup.py")):
        return False
    documents = Documents(root)
    tables = (("project",), ("tool", "poetry"), ("tool", "flit"))
    return (
        any(at(documents.pyproject, *table) for table in tables)
        or documents.setup_cfg.has_section("metadata")
        or (root / "setup.py").is_file()
    )


def _place(path: str, name: str = "") -> Iterator[Declared]:
    """The package, or module, at a path; a dotted ``name`` stands for folders at the end of it."""
    inside = PurePosixPath(path)
    if path and not inside.is_absolute() and ".." not in inside.parts and inside.parts:
        parts = tuple(name.split("."))
        folders = parts if inside.parts[-len(parts) :] == parts else parts[:1]
        yield Declared(inside.as_posix(), PurePosixPath(*inside.parts[: -len(folders)]).as_posix())


def _below(folder: str) -> Iterator[Declared]:
    """All that is in a folder."""
    inside = PurePosixPath(folder)
    if not inside.is_absolute() and ".." not in inside.parts and inside.parts:
        yield Declared(inside.as_posix(), inside.as_posix())


def _hatch(documents: Documents) -> Iterator[Declared]:
    build = at(documents.pyproject, "tool", "hatch", "build")
    for table in (at(build, "targets", "wheel"), build):
        for path in [*texts(at(table, "packages")), *texts(at(table, "only-include"))]:
            yield from _place(path)


def _poetry(documents: Documents) -> Iterator[Declared]:
    listed = at(documents.pyproject, "tool", "poetry", "packages")
    for entry in listed if isinstance(listed, list) else ():
        name, base = at(entry, "include"), at(entry, "from") or ""
        if isinstance(name, str) and isinstance(base, str) and "*" not in name:
            yield from _place(str(PurePosixPath(base, name)), ".".join(PurePosixPath(name).parts))


def _others(documents: Documents) -> Iterator[Declared]:
    """flit, maturin, PDM, scikit-build, and uv's own."""
    tool = at(documents.pyproject, "tool")
    for path in texts(at(tool, "scikit-build", "wheel", "packages")):
        yield from _place(path)
    for folder in (at(tool, "maturin", "python-source"), at(tool, "pdm", "build", "package-dir")):
        if isinstance(folder, str):
            yield from _below(folder)
    for name, base in (
        (at(tool, "flit", "module", "name"), ""),
        (at(tool, "uv", "build-backend", "module-name"), at(tool, "uv", "build-backend", "module-root")),
    ):
        if isinstance(name, str):
            for folder in dict.fromkeys((base if isinstance(base, str) and base else "src", "")):
                yield from _place(str(PurePosixPath(folder, *name.split("."))), name)


def _setuptools(documents: Documents) -> Iterator[Declared]:
    table = at(documents.pyproject, "tool", "setuptools")
    folders = at(table, "package-dir")
    packages = at(table, "packages")
    yield from _named(texts(packages), folders)
    yield from _modules(texts(at(table, "py-modules")), folders)
    find = at(packages, "find")
    if find is not None:
        where = texts(at(find, "where")) or ["."]
        yield from _found(documents.root, where, texts(at(find, "include")), texts(at(find, "exclude")))


def _setup_cfg(documents: Documents) -> Iterator[Declared]:
    config = documents.setup_cfg
    pairs = (line.split("=", 1) for line in _lines(config.get("options", "package_dir", fallback="")))
    folders = {pair[0].strip(): pair[1].strip() for pair in pairs if len(pair) == 2}
    packages = _lines(config.get("options", "packages", fallback=""))
    if packages[:1] in (["find:"], ["find_namespace:"]):
        section = "options.packages.find"
        where = config.get(section, "where", fallback=folders.get("", "."))
        include = _lines(config.get(section, "include", fallback=""))
        yield from _found(
            documents.root, [where], include, _lines(config.get(section, "exclude", fallback=""))
        )
    else:
        yield from _named(packages, folders)
    yield from _modules(_lines(config.get("options", "py_modules", fallback="")), folders)


def _setup_py(documents: Documents) -> Iterator[Declared]:
    arguments = documents.setup_arguments
    folders = literal(arguments.get("package_dir"))
    packages = arguments.get("packages")
    listed = literal(packages)
    yield from _named(texts(listed), folders)
    yield from _modules(texts(literal(arguments.get("py_modules"))), folders)
    if isinstance(packages, ast.Call):
        named = {keyword.arg: literal(keyword.value) for keyword in packages.keywords}
        first = literal(packages.args[0]) if packages.args else None
        where = named.get("where") or first or at(folders, "") or "."
        if isinstance(where, str):
            yield from _found(
                documents.root, [where], texts(named.get("include")), texts(named.get("exclude"))
            )


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.replace(",", "\n").splitlines() if line.strip()]


def _named(packages: Sequence[str], folders: object) -> Iterator[Declared]:
    """The packages of a list; those inside another one come with it."""
    mapped = folders if isinstance(folders, Mapping) else {}
    for name in packages:
        if name.rpartition(".")[0] in packages or not all(part.isidentifier() for part in name.split(".")):
            continue
        own = mapped.get(name)
        if isinstance(own, str):
            yield from _place(own, name)
        else:
            base = mapped.get("", "")
            inside = PurePosixPath(base if isinstance(base, str) else "", *name.split("."))
            for place in _place(inside.as_posix()):
                yield Declared(place.path, PurePosixPath(base if isinstance(base, str) else "").as_posix())


def _modules(names: Sequence[str], folders: object) -> Iterator[Declared]:
    base = at(folders, "") or ""
    for name in names:
        if isinstance(base, str):
            yield from _place(str(PurePosixPath(base, f"{name.replace('.', '/')}.py")))


def _found(
    root: Path, where: Sequence[str], include: Sequence[str], exclude: Sequence[str]
) -> Iterator[Declared]:
    """Yield the packages that setuptools' search finds: those in folders whose names fit patterns."""
    for folder in where:
        base = root / folder
        if ".." in PurePosixPath(folder).parts or PurePosixPath(folder).is_absolute() or not base.is_dir():
            continue
        if PurePosixPath(folder).parts and not include and not exclude:
            yield from _below(folder)
            continue
        for inner in sorted(base.iterdir()):
            fits = not include or any(_fits(inner.name, pattern) for pattern in include)
            package = (inner / "__init__.py").exists() or (include and inner.is_dir())
            if fits and package and not any(fnmatchcase(inner.name, pattern) for pattern in exclude):
                yield from _place(str(PurePosixPath(folder, inner.name)))


def _fits(name: str, pattern: str) -> bool:
    """Whether a top-level package fits a pattern, or may hold what does."""
    return fnmatchcase(name, pattern) or fnmatchcase(name, pattern.partition(".")[0])
