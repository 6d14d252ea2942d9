"""``compat_matrix.yaml``: the lanes, their pinned stacks, the patches each needs, and a line for each check.

The long part of the evidence stands in files beside it (`syncbot.lanes.evidence_files`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from packaging.version import InvalidVersion, Version
from pydantic import AfterValidator, Field, model_validator

from syncbot.config import Config
from syncbot.errors import ConfigurationError, UsageError
from syncbot.lanes import evidence_files
from syncbot.lanes.dependence import Present
from syncbot.lanes.evidence import Evidence, without
from syncbot.limits import Limits, document_text
from syncbot.patching import yaml_documents
from syncbot.patching.yaml_documents import Document
from syncbot.setting_values import specifier

Shown = Literal["pass", "fail", "unknown", "stale", "unsupported"]

_HEAD = """\
# Which upstream versions the backend runs on. Of each check: its status, what it depends on, the day; how it
# is known stands in evidence/, a line a check. Written by `syncbot apply` (patches, sources, what is stale)
# and `syncbot verify` (checks); the rest is edited by hand.
"""

#: What rows had until checks told what they execute.
_FORMER = ("beside", "parts")
#: Begins a pattern of a tier whose checks it leaves out.
_NOT = "!"


def _tag(text: str) -> str:
    if not re.fullmatch(r"\S+", text):
        raise ValueError(f"{text!r} is not a version tag such as v0.32.0")
    try:
        Version(text.removeprefix("v"))
    except InvalidVersion as error:
        raise ValueError(f"{text!r} is not a version tag such as v0.32.0") from error
    return text


class Lane(Document):
    """One upstream version that the backend is generated for. ``wheel`` is its wheel's version: upstream's
    with ``.postN`` for a correction, or that of an overlay's package with upstream's behind a ``+``.
    ``stack`` holds the versions around it, null if nobody said; ``simulated_with`` what a simulated run has
    instead; ``requires`` further requirements. ``simulate`` are models and their model runners, if not all;
    ``unsupported`` those that upstream refuses. ``claimed`` names the tier of checks that are claimed, all
    if none is named. ``sources`` is the lane's digest, ``checks`` the evidence."""

    tag: Annotated[str, AfterValidator(_tag)]
    wheel: str
    python: Annotated[str, specifier("a PEP 440 specifier such as >=3.10,<3.13")]
    stack: dict[str, str | None] = Field(default_factory=dict)
    simulated_with: dict[str, str] | None = None
    requires: tuple[str, ...] | None = None
    simulate: dict[str, tuple[str, ...]] | None = None
    unsupported: dict[str, tuple[str, ...]] | None = None
    note: str | None = None
    patches: tuple[str, ...] = ()
    sources: str | None = None
    claimed: str | None = None
    checks: dict[str, Evidence] = Field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _as_it_was_written(cls, found: Any) -> Any:
        """Read a row of an earlier version: its evidence is stale, because its sources are not known."""
        row = without(found, _FORMER)
        if isinstance(row, dict) and isinstance(row.get("checks"), dict):
            known = row["checks"].items()
            checks = {
                name: {**each, "stale": True} if isinstance(each, dict) else each for name, each in known
            }
            return {**row, "checks": checks}
        return row

    @model_validator(mode="after")
    def _wheel_fits(self) -> Self:
        own, local = re.escape(str(self.version)), re.escape(str(self.version).replace("+", "."))
        if not re.fullmatch(rf"{own}(\.post\d+)?|[\w.!]+\+[a-z]*{local}(\.post\d+)?", self.wheel):
            raise ValueError(
                f"wheel {self.wheel!r} of lane {self.tag} must be {self.version} or {self.version}.postN, or "
                f"another version with it behind a +, such as 1.0+for{self.version}"
            )
        return self

    @model_validator(mode="after")
    def _simulated_with_is_of_the_stack(self) -> Self:
        if other := [name for name in self.simulated_with or () if name not in self.stack]:
            raise ValueError(f"simulated_with of lane {self.tag} names {other[0]}, which its stack does not")
        return self

    @property
    def simulated(self) -> dict[str, str | None]:
        """The stack as simulated runs have it."""
        return {**self.stack, **(self.simulated_with or {})}

    @property
    def version(self) -> Version:
        """The upstream version."""
        return Version(self.tag.removeprefix("v"))

    def shown(self, check: str) -> Shown:
        """``stale`` if what it depends on has changed since, ``unsupported`` where upstream refuses."""
        if check not in self.checks and self.refuses(check):
            return "unsupported"
        evidence = self.checks.get(check, Evidence())
        return "stale" if evidence.stale else evidence.status

    def marked(self, present: Present) -> Self:
        """The lane with what is stale now among its evidence."""
        checks = {name: evidence.marked(present) for name, evidence in self.checks.items()}
        return self.model_copy(update={"checks": checks})

    def completed(self, folder: Path) -> Self:
        """The lane with all that a folder says of the checks that it has in short. Raises
        ConfigurationError."""
        checks = evidence_files.completed(self.checks, folder / evidence_files.name(self.tag))
        return self.model_copy(update={"checks": checks})

    def refuses(self, check: str) -> bool:
        """Return whether the check is a simulated run that upstream itself refuses in this version."""
        refused = (self.unsupported or {}).items()
        return any(check == f"simulate-{case}-{runner}" for case, runners in refused for runner in runners)


class Matrix(Document):
    """The whole matrix. ``pinned`` names the parts of the stack that wheels require exactly, ``tiers`` are
    the checks that lanes claim: names, or patterns such as ``simulate-*``; after a ``!`` what is left out."""

    schema_version: Literal[1] = Field(default=1, alias="schema")
    upstream: str
    baseline: Annotated[str, AfterValidator(_tag)]
    pinned: tuple[str, ...] = ()
    tiers: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    lanes: tuple[Lane, ...] = ()

    @model_validator(mode="after")
    def _tiers_are_there(self) -> Self:
        for lane in self.lanes:
            if lane.claimed is not None and lane.claimed not in self.tiers:
                known = ", ".join(self.tiers) or "there are none"
                raise ValueError(f"lane {lane.tag} claims the tier {lane.claimed!r}; known: {known}")
        return self

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        tags = [lane.tag for lane in self.lanes]
        if twice := [tag for tag, count in Counter(tags).items() if count > 1]:
            raise ValueError(f"lane {twice[0]} is listed twice")
        if self.baseline not in tags:
            known = ", ".join(tags) or "none"
            raise ValueError(f"the baseline {self.baseline} is not one of the lanes ({known})")
        return self

    def lane(self, name: str) -> Lane:
        """Return the lane of that tag or version. Raises UsageError that lists the lanes."""
        for lane in self.lanes:
            if name == lane.tag or name == str(lane.version):
                return lane
        known = ", ".join(lane.tag for lane in self.lanes)
        raise UsageError(f"no lane {name!r} in the matrix; it has {known}")

    @property
    def baseline_lane(self) -> Lane:
        """The lane that the backend's sources are written for."""
        return self.lane(self.baseline)

    def checks(self) -> list[str]:
        """Return the names of all checks that any lane has evidence of, sorted."""
        return sorted({name for lane in self.lanes for name in lane.checks})

    def claims(self, lane: Lane, check: str) -> bool:
        """Whether a lane claims a check: those of its tier, all where it has none."""
        patterns = self.tiers.get(lane.claimed or "", ("*",))
        named = [each for each in patterns if fnmatchcase(check, each.removeprefix(_NOT))]
        return bool(named) and not any(each.startswith(_NOT) for each in named)

    def claimed(self, lane: Lane, known: Iterable[str] = ()) -> list[str]:
        """The checks that a lane claims, sorted: of its tier those that any lane has evidence of and those
        that are ``known``."""
        names = {*self.checks(), *(known if lane.claimed is not None else ())}
        return sorted(name for name in names if self.claims(lane, name))

    def only_claimed(self) -> Matrix:
        """The matrix without evidence that no lane claims."""
        lanes = []
        for lane in self.lanes:
            checks = {name: found for name, found in lane.checks.items() if self.claims(lane, name)}
            lanes.append(lane.model_copy(update={"checks": checks}))
        return self.model_copy(update={"lanes": tuple(lanes)})

    def with_lane(self, lane: Lane) -> Matrix:
        """Return the matrix with that lane in place of the one with the same tag."""
        return self.model_copy(update={"lanes": tuple(lane if x.tag == lane.tag else x for x in self.lanes)})

    def with_evidence(self, tag: str, check: str, evidence: Evidence) -> Matrix:
        """Return the matrix with the outcome of a check noted. Raises UsageError for an unknown lane."""
        lane = self.lane(tag)
        return self.with_lane(lane.model_copy(update={"checks": {**lane.checks, check: evidence}}))

    def with_evidence_of(self, other: Matrix) -> Matrix:
        """The matrix with newer evidence of a copy of it; lanes that only the copy has do not count."""
        known = {lane.tag for lane in self.lanes}
        found = self
        for lane in other.lanes:
            for check, evidence in lane.checks.items():
                mine = self.lane(lane.tag).checks.get(check) if lane.tag in known else evidence
                if mine is None or (evidence.date or "") > (mine.date or ""):
                    found = found.with_evidence(lane.tag, check, evidence)
        return found

    def __iter__(self) -> Iterator[Lane]:  # type: ignore[override]
        return iter(self.lanes)


def distribution_of(config: Config, listed: Matrix) -> str:
    """Return the name of a matrix's upstream in the package index. Raises ConfigurationError."""
    upstream = config.upstreams.get(listed.upstream)
    if upstream is None:
        known = ", ".join(config.upstreams) or "none is"
        raise ConfigurationError(
            f"{config.matrix}: upstream {listed.upstream!r} is not configured ({known}): name another, or "
            f"add [tool.syncbot.upstreams.{listed.upstream}]"
        )
    return upstream.release or listed.upstream


def parse(text: str, name: str = "compat_matrix.yaml") -> Matrix:
    """Return the matrix in a YAML text. Raises ConfigurationError in one line."""
    return yaml_documents.parse(text, Matrix, "a matrix", name)


def load(path: Path, most: int = Limits().lanes) -> Matrix:
    """Return the matrix in a file, with all its evidence. Raises ConfigurationError, also for more than
    ``most`` lanes."""
    found = in_short(path, most)
    folder = path.parent / evidence_files.FOLDER
    lanes = (lane.completed(folder) for lane in found.lanes)
    return found.model_copy(update={"lanes": tuple(lanes)})


def in_short(path: Path, most: int = Limits().lanes) -> Matrix:
    """Return the matrix with as much of its evidence as the file itself has: status, digest and day. Raises
    what `load` does."""
    try:
        text = document_text(path)
    except FileNotFoundError as error:
        raise ConfigurationError(
            f"there is no matrix {path}: check, lint, migrate, plan, explain, contracts, triage "
            "and bisect need none; for lanes, syncbot init --at VERSION writes one"
        ) from error
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"{path} is not UTF-8 text: save it as UTF-8") from error
    found = parse(text, str(path))
    if len(found.lanes) > most:
        raise ConfigurationError(
            f"{path} has {len(found.lanes):,} lanes, more than limits.lanes allows ({most:,}): see "
            "docs/configuration.md"
        )
    return found


def dump(matrix: Matrix) -> str:
    """Return the text of a matrix: newest lane first, checks by name, the same for the same matrix."""
    lanes = []
    for lane in sorted(matrix.lanes, key=lambda lane: lane.version, reverse=True):
        row = lane.model_dump(mode="json", exclude_none=True, exclude={"checks"})
        row["stack"] = dict(lane.stack)
        row["checks"] = {name: lane.checks[name].line for name in sorted(lane.checks)}
        lanes.append(row)
    head = matrix.model_dump(mode="json", by_alias=True, exclude={"lanes"})
    if not matrix.tiers:
        del head["tiers"]
    return _HEAD + yaml_documents.to_yaml({**head, "lanes": lanes})


def files(matrix: Matrix, path: str) -> dict[str, bytes]:
    """The files of a matrix by path, the matrix last: what it says in short stands in full before."""
    checks = {lane.tag: lane.checks for lane in matrix.lanes}
    folder = (Path(path).parent / evidence_files.FOLDER).as_posix()
    return evidence_files.files(checks, folder) | {path: dump(matrix).encode()}


def save(matrix: Matrix, path: Path) -> None:
    """Write the matrix and its evidence, each file whole or not at all. Raises EnvironmentFailure."""
    for name, content in files(matrix, path.name).items():
        evidence_files.write_changed(path.parent / name, content)
