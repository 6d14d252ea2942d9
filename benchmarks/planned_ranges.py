"""Ranges of upstream that a backend's maintainers adapted to, each ready to be planned or judged.

A line of the file is a range, as for truth.py; ``backend_commit`` is the adaptation, where that is asked for.
"""

from __future__ import annotations

import argparse
import json
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from truth import check_out

from syncbot.upstream.git_repository import GitRepository
from syncbot.workflows.steps import PlanOptions


@dataclass(frozen=True, slots=True)
class PlannedRange:
    """A line of the file, and what to plan: the backend as it was before the adaptation, in a folder."""

    record: dict[str, Any]
    options: PlanOptions

    @property
    def id(self) -> str:
        """The date and the adaptation, as the file calls them."""
        return str(self.record["id"])


def parser(usage: str | None) -> argparse.ArgumentParser:
    """A parser of what ``planned_ranges`` asks for; ``usage`` is the text of its help."""
    made = argparse.ArgumentParser(description=usage, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("ranges", type=Path)
    made.add_argument("--upstream", required=True)
    made.add_argument("--backend-repository", type=Path, required=True)
    made.add_argument("--work", type=Path, required=True)
    made.add_argument("--only", action="append", default=[])
    return made


def planned_ranges(asked: argparse.Namespace) -> Iterator[PlannedRange]:
    """The ranges that were asked for, or all, in the order of the file; each backend is checked out into a
    repository of its own below ``--work``."""
    repository = GitRepository(asked.backend_repository)
    for record in map(json.loads, asked.ranges.read_text().splitlines()):
        if asked.only and record["id"] not in asked.only:
            continue
        folder = asked.work / record["id"]
        folder.mkdir(parents=True, exist_ok=True)
        check_out(repository, record["backend_parent"], folder)
        subprocess.run(["git", "init", "-q", folder], check=True)
        ends = {"old": record["upstream_old"], "new": record["upstream_new"]}
        yield PlannedRange(record, PlanOptions(**ends, backend=folder, upstream=asked.upstream))
