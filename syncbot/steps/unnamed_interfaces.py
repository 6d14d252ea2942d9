"""What a backend may meet of upstream without a contract: requirements, operators, options of commands."""

from __future__ import annotations

import re

from syncbot.impact.changed_files import Kind, kind_of, path_of, requires
from syncbot.impact.facts.native import is_native
from syncbot.upstream.git_repository import GitRepository
from syncbot.upstream.model import Commit, FileChange

_PYTHON = (".py", ".pyi")
# Requirements that no user of a package installs, told from a word of their path.
_FOR_DEVELOPERS = re.compile(r"(?:^|[-_./])(?:test|tests|lint|docs?|dev|develop)(?=[-_./])")
# Where C++ gives something to Python: an operator, a method or a module.
_GIVES = re.compile(rb"\.def\w*\(|TORCH_LIBRARY|PYBIND11_|PyInit_|PyModuleDef|PyMethodDef")
# Options of a command that people and tests start in a shell.
_OPTIONS = re.compile(rb"\.add_argument\(")


def may_be_met_unnamed(repository: GitRepository, commit: Commit) -> bool:
    """Whether a commit changes requirements of users, a file that gives compiled code to Python, other code
    that is not Python, or a module with the options of a command. Raises EnvironmentFailure."""
    required = (path for path in commit.paths if requires(path) and not _FOR_DEVELOPERS.search(path))
    return any(required) or any(_met(repository, file) for file in commit.files)


def _met(repository: GitRepository, file: FileChange) -> bool:
    path = path_of(file)
    if not _installed(path):
        return False
    if not (path.endswith(_PYTHON) or is_native(path)):
        return kind_of(path) is Kind.CODE
    wanted = _OPTIONS if path.endswith(_PYTHON) else _GIVES
    blobs = [blob for blob in (file.old_blob, file.new_blob) if blob]
    return any(wanted.search(text) for _, text in repository.blobs(blobs))


def _installed(path: str) -> bool:
    """Whether a file may be what a user of upstream runs: its code, and tools inside of a package of it."""
    top = path.partition("/")[0]
    return kind_of(path) is Kind.CODE or (kind_of(path) is Kind.TOOLS and kind_of(f"{top}/x.py") is Kind.CODE)
