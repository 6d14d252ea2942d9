"""The files of the backend project, and digests of files."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath

from syncbot.errors import ConfigurationError

# Products of building, testing and caching, which are no sources.
_LEFT_OUT = frozenset({"__pycache__", "build", "dist", "node_modules"})
# What no run reads: edits of it leave the evidence of runs as it is.
_UNREAD_FOLDERS = frozenset({"tests", "test", "docs"})
_DOCUMENTS = frozenset({".md", ".rst"})


def read(folder: Path, left_out: Collection[Path] = ()) -> dict[str, bytes]:
    """The source files below a folder by path, sorted, without hidden files, caches, build products,
    ``left_out`` and symbolic links, which could lead outside. Raises ConfigurationError if the folder is no
    Python project."""
    if not (folder / "pyproject.toml").is_file():
        raise ConfigurationError(
            f"{folder} holds no pyproject.toml: set 'backend' in [tool.syncbot] to the backend's folder"
        )
    return below(folder, left_out)


def below(folder: Path, left_out: Collection[Path] = ()) -> dict[str, bytes]:
    """As `read` of any folder, a Python project or not."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(_files(folder, left_out))
    }


def of_packages(folder: Path, packages: Sequence[str]) -> dict[str, bytes]:
    """The source files of packages below a folder, by their path below that folder."""
    return {f"{name}/{path}": content for name in packages for path, content in below(folder / name).items()}


def _files(folder: Path, left_out: Collection[Path]) -> Iterator[Path]:
    for path in folder.iterdir():
        skipped = path.name.startswith(".") or path.name in _LEFT_OUT or path.suffix in (".pyc", ".pyo")
        if skipped or path.is_symlink() or path.name.endswith(".egg-info") or path in left_out:
            continue
        if path.is_dir():
            yield from _files(path, left_out)
        elif path.is_file():
            yield path


def digest(files: Mapping[str, bytes]) -> str:
    """Return the SHA-256 of files: of their paths and contents, in any order."""
    total = hashlib.sha256()
    for path, content in sorted(files.items()):
        total.update(f"{path}\0{len(content)}\0".encode("utf-8", "surrogateescape"))
        total.update(content)
    return total.hexdigest()


def is_code(path: PurePosixPath) -> bool:
    """Whether runs read a file: a document and a test they do not."""
    return path.suffix.lower() not in _DOCUMENTS and not _UNREAD_FOLDERS.intersection(path.parts[:-1])
