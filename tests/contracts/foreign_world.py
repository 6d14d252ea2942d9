"""A made-up upstream with two commits and a plugin of it, compared by the real engine."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Mapping
from functools import cache
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
    shas = _committed(repository, old, new)
    with GitRepository(repository) as upstream:
        return findings(Trees(upstream, ("lib",), in_memory(plugin), *_tables()), *shas)


@cache
def _tables() -> tuple[TableCache[model.ModuleTable], TableCache[model.UsageTable]]:
    """The tables of what is read of upstream, once for all tests."""
    return (
        TableCache(None, "modules", "1", extract.extract, model.ModuleTable),
        TableCache(None, "usages", "1", usage.extract_usage, model.UsageTable),
    )


def _committed(repository: Path, *states: Files) -> list[str]:
    """Make a bare repository with a commit for each state, in one process of git."""
    for name in ("objects", "refs"):
        (repository / name).mkdir(parents=True)
    (repository / "HEAD").write_text("ref: refs/heads/main\n")
    marks = repository / "marks"
    subprocess.run(
        ["git", f"--git-dir={repository}", "fast-import", "--quiet", f"--export-marks={marks}"],
        input=b"".join(_stream(states)), check=True,
    )  # fmt: skip
    return [line.split()[1] for line in sorted(marks.read_text().splitlines())]


def _stream(states: tuple[Files, ...]) -> Iterator[bytes]:
    for number, files in enumerate(states, start=1):
        yield f"commit refs/heads/main\nmark :{number}\ncommitter A <a@example.org> {number} +0000\n".encode()
        yield b"data 6\nchange\ndeleteall\n"
        for path, text in files.items():
            yield f"M 644 inline {path}\ndata {len(text.encode())}\n{text}\n".encode()
