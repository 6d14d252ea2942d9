"""The backend's project as a copy that foreign code may write to, importable as if it were installed."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from syncbot.api.import_lines import import_lines
from syncbot.contracts.sources import Backend, SourceFile
from syncbot.project_metadata.documents import Documents, at
from syncbot.project_metadata.entry_points import named_targets

_LEFT_OUT = {"node_modules", "venv", "env", "build", "dist", "__pycache__", "site-packages"}
#: Data of this size is none that a test needs.
_MOST_BYTES = 64 << 20


@dataclass(frozen=True, slots=True)
class Project:
    """A project on disk: ``root``, and what stands before the backend's paths in it, empty or with a slash
    (where the backend is a package alone, the folder around it is the project)."""

    backend: Backend
    root: Path
    prefix: str
    files: tuple[str, ...]
    digest: str

    @property
    def bases(self) -> tuple[str, ...]:
        """The folders that its packages are imported from, below the root."""
        found = {_base(file, self.prefix) for file in self.backend.files if not file.is_test}
        return tuple(sorted({base for base in found if base is not None}, key=lambda b: (b.count("/"), b)))

    @property
    def test_files(self) -> tuple[str, ...]:
        """The files that pytest would look into, by its own names for them."""
        return tuple(f for f in self.files if f.endswith(".py") and _is_called_test(PurePosixPath(f).name))

    @property
    def modules(self) -> tuple[str, ...]:
        """The modules of its packages that are imported and not started."""
        tops = {f.module for f in self.backend.files if f.path.endswith("/__init__.py") or "/" not in f.path}
        own = [f.module for f in self.backend.files if not f.is_test and f.module.partition(".")[0] in tops]
        return tuple(sorted(m for m in own if m.rpartition(".")[2] not in ("__main__", "setup", "conftest")))

    @property
    def imported(self) -> tuple[str, ...]:
        """The packages of others that its modules import when they are imported, without those of Python."""
        sources = [file for file in self.backend.files if not file.is_test]
        bound = (each for file in sources for each in import_lines(file.text) if not each.level)
        tops = {each.module.partition(".")[0] for each in bound}
        return tuple(sorted(tops - {*self.backend.packages} - sys.stdlib_module_names))

    def ours(self, path: str) -> str | None:
        """The backend's path of a file of the project, None for one that is not below it."""
        inside = path.removeprefix(self.prefix)
        is_below = path.startswith(self.prefix) and path in self.files
        return inside if is_below else None


def project_of(backend: Backend) -> Project:
    """The project that a backend's folder is, or that the folder around a package alone is."""
    root = backend.root.resolve()
    alone = (root / "__init__.py").is_file() and not (root / "pyproject.toml").is_file()
    top, prefix = (root.parent, f"{root.name}/") if alone else (root, "")
    files = tuple(sorted(f"{prefix}{path}" for path in _files(root)))
    digest = hashlib.sha256()
    for path in files:
        content = hashlib.sha256((top / path).read_bytes()).hexdigest()
        digest.update(f"{path}\0{content}\n".encode("utf-8", "surrogateescape"))
    return Project(backend, top, prefix, files, digest.hexdigest())


def copied(project: Project, target: Path) -> None:
    """Copy a project's files into a folder, with metadata as of an installed distribution beside them, so
    that who asks for its version or for its entry points finds them."""
    for path in project.files:
        place = target / path
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(project.root / path, place)
    documents = Documents(project.root)
    name = documents.name
    if not name:
        return
    version = at(documents.pyproject, "project", "version") or documents.built_metadata.get("Version") or "0"
    plain = re.sub(r"[-_.]+", "_", name)
    info = target / ".syncbot" / f"{plain}-{version}.dist-info"
    info.mkdir(parents=True)
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    (info / "METADATA").write_text(metadata, encoding="utf-8")
    groups: dict[str, list[str]] = {}
    for group, entry in named_targets(project.root):
        groups.setdefault(group, []).append(entry)
    text = "".join(
        f"[{group}]\n" + "".join(f"{e}\n" for e in sorted(set(es))) for group, es in groups.items()
    )
    (info / "entry_points.txt").write_text(text, encoding="utf-8")


def search_path(project: Project, copy: Path) -> list[str]:
    """The folders of a copy that Python has to look into."""
    return [*(str(copy / base) if base else str(copy) for base in project.bases), str(copy / ".syncbot")]


def _base(file: SourceFile, prefix: str) -> str | None:
    """The folder that a file's dotted name begins at; None where the name does not end its path."""
    tail = file.module.replace(".", "/")
    whole = prefix + file.path
    for end in (f"{tail}/__init__.py", f"{tail}.py"):
        if whole == end or whole.endswith(f"/{end}"):
            return whole.removesuffix(end).rstrip("/")
    return None


def _is_called_test(name: str) -> bool:
    return name.startswith("test_") or name.endswith("_test.py")


def _files(root: Path) -> Iterator[str]:
    """The regular files below a folder that are the project's: none of a virtual environment, of a build
    or of git."""
    for folder, folders, names in os.walk(root):
        here = Path(folder)
        folders[:] = sorted(
            name
            for name in folders
            if not name.startswith(".")
            and name not in _LEFT_OUT
            and not (here / name / "pyvenv.cfg").exists()
        )
        for name in sorted(names):
            file = here / name
            if file.is_file() and not file.is_symlink() and file.stat().st_size <= _MOST_BYTES:
                yield file.relative_to(root).as_posix()
