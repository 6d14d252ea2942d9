"""Finds the requirements of an upstream at a commit, with the lines that state them."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

from syncbot.project_metadata.entry_points import named_targets
from syncbot.project_metadata.install_variants import always_required_files, names_requirements
from syncbot.project_metadata.stated_requirements import (
    Stated,
    StatedPython,
    metadata_requirements,
    stated_python,
)
from syncbot.upstream.git_repository import GitRepository

#: The files in which a project describes itself.
METADATA = ("pyproject.toml", "setup.cfg", "setup.py", "PKG-INFO")


@dataclass(frozen=True, slots=True)
class Requirements:
    """The distributions that a project asks for, its versions of Python, and its entry points: their groups,
    each with a line ``name = module:attribute``."""

    stated: tuple[Stated, ...]
    python: StatedPython | None
    entry_points: tuple[tuple[str, str], ...] = ()


def requirements_at(repository: GitRepository, commit: str) -> Requirements:
    """Return what a project asks for at a commit in each of the ways to install it. Raises
    EnvironmentFailure."""
    wanted = {
        entry.blob: path
        for path, entry in repository.tree(commit).items()
        if (path in METADATA or names_requirements(path)) and entry.mode != "120000"
    }
    texts = {wanted[blob]: text.decode("utf-8", "replace") for blob, text in repository.blobs(wanted)}
    common = always_required_files(texts)
    with tempfile.TemporaryDirectory(prefix="syncbot-") as folder:
        for path, text in texts.items():
            if path in METADATA or path in common:
                file = Path(folder) / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text, encoding="utf-8")
        stated = metadata_requirements(Path(folder))
        always = tuple(s for s in stated if s.extra is None)
        return Requirements(always, stated_python(Path(folder)), named_targets(Path(folder)))
