"""Facts about an upstream from the metadata of its releases."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from email.parser import HeaderParser

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

from syncbot.starting_files.model import FollowedRelease
from syncbot.upstream.named_repository import named_repository
from syncbot.upstream.opening import Upstream
from syncbot.upstream.releases import listed_versions

_PYTHON = ">=3.10"


@dataclass(frozen=True)
class UpstreamFacts:
    """Facts about an opened upstream: its import packages, the versions that the package index has, and the
    address of its repository."""

    packages: Sequence[str]
    versions: Sequence[Version]
    repository: str | None

    @classmethod
    def of(cls, opened: Upstream) -> UpstreamFacts:
        """Return what the newest release says, and what the index listed."""
        head = _metadata(opened, opened.head)
        told = (line.partition(",")[::2] for line in head.get("project-url", ()))
        urls = {label.strip(): url.strip() for label, url in told}
        home = next(iter(head.get("home-page", ())), None)
        versions = listed_versions(opened.repository.git_dir) if opened.kind == "release" else ()
        return cls(opened.packages, versions, named_repository(urls, home))


def _metadata(opened: Upstream, commit: str) -> Mapping[str, list[str]]:
    """The fields of the metadata of a release, by lower-case names."""
    entry = opened.repository.tree(commit).get("PKG-INFO")
    if entry is None:
        return {}
    message = HeaderParser().parsestr(opened.repository.blob(entry.blob).decode("utf-8", "replace"))
    fields: dict[str, list[str]] = {}
    for name, value in message.items():
        fields.setdefault(name.lower(), []).append(str(value))
    return fields


def release(opened: Upstream, version: Version, imported: Collection[str]) -> FollowedRelease:
    """Return a release with what it requires of those distributions that are imported."""
    fields = _metadata(opened, opened.repository.resolve(f"refs/tags/v{version}"))
    pinned: dict[str, str] = {}
    for line in fields.get("requires-dist", ()):
        try:
            wanted = Requirement(line)
        except InvalidRequirement:
            continue
        exact = [one.version for one in wanted.specifier if one.operator == "=="]
        if canonicalize_name(wanted.name) in imported and len(exact) == 1 and wanted.marker is None:
            pinned[canonicalize_name(wanted.name)] = exact[0]
    python = next(iter(fields.get("requires-python", ())), _PYTHON)
    try:
        SpecifierSet(python)
    except InvalidSpecifier:
        python = _PYTHON
    return FollowedRelease(version, python, pinned)
