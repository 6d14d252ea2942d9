"""A made-up upstream with two commits and a plugin of it, compared by the real engine."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path

from syncbot.api import extract, model, usage
from syncbot.api.cache import TableCache
from syncbot.contracts.model import Finding
from syncbot.contracts.sources import in_memory
from syncbot.impact.contract_findings import findings
from syncbot.impact.trees import Trees
from syncbot.upstream.git_repository import GitRepository

Files = Mapping[str, str]


def compare(folder: Path, old: Files, new: Files, plugin: Files) -> list[Finding]:
    """Return the findings on the plugin when the package ``lib`` moves from ``old`` to ``new``."""
    repository = folder / "upstream"
    repository.mkdir()
    _git(repository, "init", "-q")
    shas = [_commit(repository, files) for files in (old, new)]
    tables = TableCache(folder / "cache", "modules", "1", extract.extract, model.ModuleTable)
    usages = TableCache(folder / "cache", "usages", "1", usage.extract_usage, model.UsageTable)
    try:
        with GitRepository(repository / ".git") as upstream:
            trees = Trees(upstream, ("lib",), in_memory(plugin), tables, usages)
            return findings(trees, *shas)
    finally:
        tables.close()
        usages.close()


def _commit(repository: Path, files: Files) -> str:
    for path in repository.glob("lib/**/*.py"):
        path.unlink()
    for name, text in files.items():
        path = repository / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    _git(repository, "add", "-A")
    author = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    _git(repository, *author, "commit", "-q", "--allow-empty", "-m", "change")
    return _git(repository, "rev-parse", "HEAD").strip()


def _git(repository: Path, *arguments: str) -> str:
    command = ["git", "-C", str(repository), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout
