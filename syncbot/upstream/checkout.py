"""The Python files of a commit as a folder, switched in place from commit to commit."""

from __future__ import annotations

import hashlib
import os
import posixpath
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from syncbot.atomic import replacing
from syncbot.errors import EnvironmentFailure
from syncbot.upstream.git_repository import GitRepository
from syncbot.upstream.model import TreeEntry

MARKER = ".syncbot-tree"
_SUFFIXES = (".py", ".pyi", "py.typed")
_REGULAR = ("100644", "100755")
_LINK = "120000"
# Nothing else names more than a few hundred bytes; file systems refuse more than 255 a component.
_LONGEST_NAME = 240


@dataclass(frozen=True, slots=True)
class Form:
    """How file contents are written: ``name`` tells two forms apart, ``rewrite`` maps the bytes."""

    name: str = "verbatim"
    rewrite: Callable[[bytes], bytes] | None = None


def python_files(repository: GitRepository, commit: str, prefixes: Sequence[str] = ()) -> dict[str, str]:
    """Path → blob of every Python file of a commit that may be written to a folder. A symbolic link stands
    for its target in the tree. Submodules, other links and paths that leave the folder or enter ``.git`` are
    left out."""
    return _files(repository, commit, prefixes, _SUFFIXES)


def every_file(repository: GitRepository, commit: str) -> dict[str, str]:
    """As `python_files` for all files whose content the repository has or can fetch."""
    files = _files(repository, commit, (), ("",))
    repository.prefetch(files.values())
    present = repository.present(files.values())
    return {path: blob for path, blob in files.items() if blob in present}


def _files(
    repository: GitRepository, commit: str, prefixes: Sequence[str], suffixes: tuple[str, ...]
) -> dict[str, str]:
    tree = repository.tree(commit, prefixes)
    files: dict[str, str] = {}
    for path, entry in tree.items():
        if path.endswith(suffixes) and _is_plain(path):
            blob = entry.blob if entry.mode in _REGULAR else _link_target(repository, tree, entry)
            if blob is not None:
                files[path] = blob
    # A forged tree can hold a file and a folder of one name.
    return {path: blob for path, blob in files.items() if not any(p in files for p in _parents(path))}


def digest(files: Mapping[str, str]) -> str:
    """A digest over paths and blobs: equal for commits whose Python files are equal."""
    lines = "".join(f"{path}\0{files[path]}\n" for path in sorted(files))
    return hashlib.sha256(lines.encode("utf-8", "surrogateescape")).hexdigest()


@dataclass(frozen=True, slots=True)
class _State:
    prefixes: tuple[str, ...]
    form: str
    commit: str | None
    files: Mapping[str, str]


class TreeFolder:
    """A folder with the Python files of one commit. Its marker names the commit and is written last: after an
    interrupted switch all is written anew. Hold a lock while you switch. Raises EnvironmentFailure where the
    folder holds something that was not written here."""

    def __init__(
        self,
        folder: Path,
        repository: GitRepository,
        prefixes: Sequence[str] = (),
        form: Form | None = None,
    ) -> None:
        self.folder = folder
        self._repository = repository
        self._prefixes = tuple(prefixes)
        self._form = form or Form()

    @property
    def commit(self) -> str | None:
        """The commit the folder holds in full, None where a switch was interrupted or none was made."""
        state = self._state()
        return state.commit if state else None

    def switch(self, commit: str, files: Mapping[str, str] | None = None) -> int:
        """Make the folder hold ``commit``; the number of files written or removed. ``files`` are those of
        `python_files`. Raises EnvironmentFailure for a missing blob or a folder that cannot be written."""
        wanted = dict(python_files(self._repository, commit, self._prefixes) if files is None else files)
        try:
            present = self._present()
            stale = [path for path in present if path not in wanted]
            fresh = [path for path, blob in wanted.items() if present.get(path) != blob]
            if not stale and not fresh and self.commit == commit:
                return 0
            self._mark(None, {})
            for path in stale:
                self._remove(path)
            self._write(fresh, wanted)
            self._mark(commit, wanted)
        except OSError as error:
            raise EnvironmentFailure(
                f"cannot write {error.filename or self.folder}: {error.strerror}; "
                "free space or set SYNCBOT_CACHE to another folder"
            ) from error
        return len(stale) + len(fresh)

    def _present(self) -> dict[str, str]:
        """Return the files that the folder surely holds; an interrupted or foreign form is wiped first."""
        state = self._state()
        if state is not None:
            return dict(state.files)
        if self.folder.is_symlink() or (self.folder.exists() and not self.folder.is_dir()):
            raise EnvironmentFailure(f"{self.folder} is not a folder: remove it")
        if self.folder.is_dir() and any(self.folder.iterdir()):
            if not (self.folder / MARKER).is_file():
                raise EnvironmentFailure(
                    f"{self.folder} holds files that syncbot did not write: name an empty folder"
                )
            shutil.rmtree(self.folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        return {}

    def _state(self) -> _State | None:
        try:
            state = msgspec.json.decode((self.folder / MARKER).read_bytes(), type=_State)
        except (OSError, msgspec.MsgspecError):
            return None
        ours = state.prefixes == self._prefixes and state.form == self._form.name
        return state if ours and state.commit else None

    def _mark(self, commit: str | None, files: Mapping[str, str]) -> None:
        with replacing(self.folder / MARKER) as marker:
            marker.write(msgspec.json.encode(_State(self._prefixes, self._form.name, commit, files)))

    def _remove(self, path: str) -> None:
        target = self.folder / path
        target.unlink(missing_ok=True)
        parent = target.parent
        # An empty folder would still be found as a namespace package.
        while parent != self.folder:
            try:
                parent.rmdir()
            except OSError:
                return
            parent = parent.parent

    def _write(self, paths: Sequence[str], blobs: Mapping[str, str]) -> None:
        self._repository.prefetch(blobs[path] for path in paths)
        rewrite = self._form.rewrite
        made: set[Path] = set()
        contents = self._repository.blobs([blobs[path] for path in paths])
        for path, (_, content) in zip(paths, contents, strict=True):
            target = self.folder / path
            if target.parent not in made:
                target.parent.mkdir(parents=True, exist_ok=True)
                made.add(target.parent)
            flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW
            with open(os.open(target, flags, 0o644), "wb") as file:
                file.write(content if rewrite is None else rewrite(content))


def _parents(path: str) -> Iterator[str]:
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path


def _is_plain(path: str) -> bool:
    parts = path.split("/")
    return not any(
        part in ("", ".", "..") or part.lower() == ".git" or "\0" in part or len(part) > _LONGEST_NAME
        for part in parts
    )


def _link_target(repository: GitRepository, tree: Mapping[str, TreeEntry], entry: TreeEntry) -> str | None:
    if entry.mode != _LINK:
        return None
    text = repository.blob(entry.blob).decode("utf-8", "surrogateescape")
    target = tree.get(posixpath.normpath(posixpath.join(posixpath.dirname(entry.path), text)))
    return target.blob if target is not None and target.mode in _REGULAR else None
