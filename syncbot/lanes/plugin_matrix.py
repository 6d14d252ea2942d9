"""The matrix of somebody else's plugin: its releases, what each was made for, and the evidence."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from syncbot.atomic import write_file
from syncbot.errors import ConfigurationError, UsageError
from syncbot.lanes import evidence_files
from syncbot.lanes.dependence import Present
from syncbot.lanes.evidence import Evidence
from syncbot.lanes.matrix import Lane
from syncbot.patching import yaml_documents
from syncbot.patching.yaml_documents import Document

_HEAD = """\
# Which releases of the plugin run, as published, on a simulated device, and how that is known.
# Written by `syncbot verify-plugin` (sources, checks); the rest is edited by hand.
"""


class Release(Lane):
    """A release of the plugin: its tag is that of the plugin, ``upstream`` the version that it was made for.
    ``sources`` is the digest of its source distribution, and of what is written into it."""

    upstream: str

    @property
    def environment(self) -> Lane:
        """The lane of upstream that the release runs in."""
        return Lane(
            tag=f"v{self.upstream}",
            wheel=self.upstream,
            python=self.python,
            stack=self.stack,
            simulated_with=self.simulated_with,
            requires=self.requires,
        )


class PluginMatrix(Document):
    """All releases of a plugin that are run."""

    schema_version: Literal[1] = 1
    upstream: str
    releases: tuple[Release, ...] = ()

    def release(self, name: str) -> Release:
        """The release of that tag or version. Raises UsageError that lists the releases."""
        for each in self.releases:
            if name in (each.tag, str(each.version)):
                return each
        known = ", ".join(each.tag for each in self.releases) or "none"
        raise UsageError(f"no release {name!r} in the plugin's matrix; it has {known}")

    def with_evidence(self, tag: str, check: str, evidence: Evidence, present: Present) -> PluginMatrix:
        """The matrix with what a check said of a release; the old evidence stays if it says the same."""
        current = self.release(tag)
        before = current.checks.get(check)
        if (
            before is not None
            and before.model_copy(update={"date": evidence.date, "stale": False}) == evidence
        ):
            evidence = before
        new = {"sources": present.published, "checks": {**current.checks, check: evidence}}
        row = current.model_copy(update=new).marked(present)
        rows = tuple(row if each.tag == tag else each for each in self.releases)
        return self.model_copy(update={"releases": rows})


def load(path: Path) -> PluginMatrix:
    """The matrix in a file. Raises ConfigurationError in one line."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(
            f"{path} cannot be read: {error}: list the plugin's releases in it, as docs/plugin.md says"
        ) from error
    found = yaml_documents.parse(text, PluginMatrix, "a plugin's matrix", str(path))
    releases = tuple(release.completed(_folder(path)) for release in found.releases)
    return found.model_copy(update={"releases": releases})


def save(matrix: PluginMatrix, path: Path) -> None:
    """Write the matrix, newest release first, and its evidence; each file whole or not at all. Raises
    EnvironmentFailure."""
    evidence = {release.tag: release.checks for release in matrix.releases}
    for name, content in evidence_files.files(evidence, str(_folder(path))).items():
        evidence_files.write_changed(Path(name), content)
    rows = []
    for release in sorted(matrix.releases, key=lambda each: each.version, reverse=True):
        checks = {check: release.checks[check].line for check in sorted(release.checks)}
        row = release.model_dump(mode="json", exclude_none=True, exclude={"patches", "checks"})
        rows.append({**row, "stack": dict(release.stack), "checks": checks})
    head = matrix.model_dump(mode="json", exclude={"releases"})
    write_file(path, (_HEAD + yaml_documents.to_yaml({**head, "releases": rows})).encode())


def _folder(path: Path) -> Path:
    """Where the evidence stands: apart from that of lanes, whose tags may be the same."""
    return path.parent / evidence_files.FOLDER / "plugin"
