"""Commits of tests cost two processes of git each: one for what changed, one for the commit."""

from __future__ import annotations

from pathlib import Path

#: git itself would start another process after each commit, which looks whether there is anything to clean up.
GIT = ("git", "-c", "maintenance.auto=false")


def head(repository: Path) -> str:
    """Return the commit that is checked out, right after it was made."""
    said = (repository / ".git/HEAD").read_text().strip()
    branch = said.removeprefix("ref: ")
    return said if branch == said else (repository / ".git" / branch).read_text().strip()
