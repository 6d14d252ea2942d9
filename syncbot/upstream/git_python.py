"""The used parts of GitPython. Its import runs git: if that cannot start, an EnvironmentFailure says so."""

from __future__ import annotations

import os
import shutil

from syncbot.errors import EnvironmentFailure
from syncbot.isolation.variables import absolute_only

# GitPython would fail to be imported where there is no git; here the first command says so.
os.environ.setdefault("GIT_PYTHON_REFRESH", "quiet")
# It asks git for its version, and a relative place on PATH may be that of somebody else's program.
if _git := shutil.which("git", path=absolute_only(os.environ.get("PATH", os.defpath))):
    os.environ.setdefault("GIT_PYTHON_GIT_EXECUTABLE", _git)

try:
    from git import Actor, Commit, Diff, Git, GitCmdObjectDB, GitCommandError, Repo
    from git.exc import InvalidGitRepositoryError, NoSuchPathError
except ImportError as error:
    raise EnvironmentFailure(f"cannot start git: {error}") from error

__all__ = [
    "Actor",
    "Commit",
    "Diff",
    "Git",
    "GitCmdObjectDB",
    "GitCommandError",
    "InvalidGitRepositoryError",
    "NoSuchPathError",
    "Repo",
]
