"""Patch files: one reviewed YAML file an upstream change; docs/schemas/patch.json is made from this."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Literal, Self

from packaging.version import Version
from pydantic import AfterValidator, ConfigDict, Field, JsonValue, PrivateAttr, model_validator

from syncbot.errors import ConfigurationError, UsageError
from syncbot.patching import registry, yaml_documents
from syncbot.patching.argument_types import ReleaseVersion
from syncbot.patching.registry import Rule
from syncbot.patching.three_way.recorded_merge import Originals, RecordedMerge, bound
from syncbot.patching.yaml_documents import Document
from syncbot.project_folders import refuse_link_out
from syncbot.upstream.model import Commit

Status = Literal["active", "needs-author", "retired"]


def _slug(text: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", text):
        raise ValueError(f"{text!r} may hold letters, digits, '.', '_' and '-' only")
    return text


def _file_beside(text: str) -> str:
    path = PurePosixPath(text)
    if path.is_absolute() or ".." in path.parts or path.suffix != ".py" or not text.isprintable():
        raise ValueError(f"{text!r} is not the name of a Python file in the folder of patches")
    return text


class UpstreamChange(Document):
    """The upstream change that a patch answers. ``first_version`` is the first release that has it; ``why``
    is what upstream wanted with it, or what is known instead where no pull request is."""

    name: str
    pr: int | None = None
    commit: str | None = None
    first_version: ReleaseVersion
    why: str = ""

    @property
    def version(self) -> Version:
        """The first version, comparable."""
        return Version(self.first_version)


class Rewrite(Document):
    """One application of a rule."""

    rule: str
    arguments: dict[str, Any] = Field(default_factory=dict)

    def build(self) -> Rule:
        """Return the rule with its arguments. Raises ConfigurationError, pydantic.ValidationError."""
        return registry.find(self.rule).model_validate(self.arguments)


# What the validator of a patch says, for the published schema.
_ACTIVE_DOES_SOMETHING: dict[str, JsonValue] = {
    "anyOf": [
        {"required": ["rewrites"], "properties": {"rewrites": {"minItems": 1}}},
        {"required": ["merges"], "properties": {"merges": {"minItems": 1}}},
        {"required": ["code"], "properties": {"code": {"type": "string"}}},
        {"required": ["status"], "properties": {"status": {"not": {"const": "active"}}}},
    ]
}


class Patch(Document):
    """What upstream did, and the rewrites that follow it (forward) or undo that (backward). Those that match
    nothing are passed over where a patch that it ``builds_on`` is not active. It matters to ``lanes``, on
    which checks ``proven_by`` pass; ``merges`` bring copies of upstream functions up to date; ``code`` is a
    libcst transformer beside this file; ``sketch`` is never applied. A retired one may be ``declined``: why
    nobody wants it, though lanes lack it."""

    model_config = ConfigDict(json_schema_extra=_ACTIVE_DOES_SOMETHING)

    id: Annotated[str, AfterValidator(_slug)]
    upstream: UpstreamChange
    symbol: str
    reason: str
    status: Status = "active"
    rewrites: tuple[Rewrite, ...] = ()
    builds_on: tuple[Annotated[str, AfterValidator(_slug)], ...] = ()
    merges: tuple[RecordedMerge, ...] = ()
    code: Annotated[str, AfterValidator(_file_beside)] | None = None
    sketch: tuple[Rewrite, ...] = ()
    lanes: tuple[str, ...] = ()
    proven_by: tuple[str, ...] = ()
    notes: str = ""
    declined: str = ""
    _folder: Path | None = PrivateAttr(default=None)
    _runs_code: bool = PrivateAttr(default=False)
    _originals: Originals | None = PrivateAttr(default=None)

    @model_validator(mode="after")
    def _does_something(self) -> Self:
        if self.status == "active" and not self.acts:
            raise ValueError("an active patch needs rewrites or code: add them, or status: needs-author")
        if self.declined and self.status != "retired":
            raise ValueError("a declined patch has status: retired")
        return self

    @property
    def acts(self) -> bool:
        """Whether it says what to do."""
        return bool(self.rewrites or self.merges) or self.code is not None

    def rules(self) -> tuple[Rule, ...]:
        """Return its rules in forward order, and start its code if there is any. Raises ConfigurationError
        that names the patch; UsageError for code where none may run."""
        built = [rewrite.build() for rewrite in self.rewrites]
        built += [bound(each, self._originals) for each in self.merges]
        if self.code is not None:
            file = self._code_file()
            if not self._runs_code:
                raise UsageError(not_run([self]))
            # It needs libcst, which reading most patches does not.
            from syncbot.patching import custom_rewrite

            built.append(custom_rewrite.load(file))
        return tuple(built)

    def with_originals(self, originals: Originals) -> Self:
        """Return it with upstream's functions, which merges are made with."""
        if not self.merges:
            return self
        patch = self.model_copy()
        patch._originals = originals
        return patch

    def _code_file(self) -> Path:
        """The file of its code. Raises ConfigurationError where it lies outside the folder of patches."""
        if self._folder is None or self.code is None:
            raise ConfigurationError(f"{self.id}: 'code' needs a patch that was loaded from a folder")
        refuse_link_out(self._folder)
        folder = self._folder.resolve()
        file = (folder / self.code).resolve()
        if file.exists() and not file.is_file():
            raise ConfigurationError(f"{self._folder / self.code}: cannot be read: it is no file")
        if not file.is_relative_to(folder):
            raise ConfigurationError(
                f"{self._folder / self.code}: leads out of the folder of patches: put a file there"
            )
        return file

    @property
    def order(self) -> tuple[Version, int, int, str]:
        """The key that sorts patches oldest first; of one version, what goes by exact text comes last."""
        exact = any(rewrite.rule == "difference" for rewrite in self.rewrites)
        last = 2 if exact else 1 if self.merges else 0
        return (self.upstream.version, last, self.upstream.pr or 0, self.id)

    def answers(self, commit: Commit, symbols: Iterable[str]) -> bool:
        """Whether it names a commit by number or sha, or one of the symbols that the commit changed."""
        if self.status == "retired":
            return False
        same_pr = self.upstream.pr is not None and self.upstream.pr == commit.pr
        same_commit = self.upstream.commit and commit.sha.startswith(self.upstream.commit)
        return same_pr or bool(same_commit) or self.symbol in symbols

    def sources(self) -> Iterable[str]:
        """Yield the texts that decide what the patch does, for digests."""
        yield self.model_dump_json(exclude={"lanes", "proven_by"}, exclude_defaults=True)
        if self.code is not None and self._folder is not None:
            try:
                yield self._code_file().read_text(encoding="utf-8")
            except (OSError, UnicodeDecodeError) as error:
                raise ConfigurationError(f"{self._folder / self.code}: cannot be read: {error}") from error


def load(folder: Path, runs_code: bool = False) -> list[Patch]:
    """Return the patches of a folder, oldest upstream change first, whose code may run only if ``runs_code``
    says so. Raises ConfigurationError."""
    if not folder.is_dir():
        return []
    files = sorted(folder.glob("*.yaml"))
    return sorted((load_file(file, runs_code) for file in files), key=lambda p: p.order)


def load_file(file: Path, runs_code: bool = False) -> Patch:
    """Return the patch in a file. Raises ConfigurationError."""
    patch = yaml_documents.load_file(file, parse)
    patch._folder, patch._runs_code = file.parent, runs_code
    tuple(patch.sources())
    return patch


def not_run(patches: Iterable[Patch]) -> str:
    """Say of patches that they were not checked, since nothing here runs their code."""
    named = ", ".join(f"{patch.id} ({patch.code})" for patch in patches)
    return (
        f"not checked: the code of {named} is not run here: look at it, and set allow_patch_code = true in "
        "[tool.syncbot] where you trust what this repository may hold"
    )


def parse(text: str, name: str = "<patch>") -> Patch:
    """Return the patch in a YAML text; ``name`` stands in messages. Raises ConfigurationError."""
    patch = yaml_documents.parse(text, Patch, "a patch", name)
    parts = [(rewrite.rule, rewrite.build) for rewrite in patch.rewrites]
    yaml_documents.check_arguments(parts, registry.find, "rewrites", "rule", name)
    return patch


def dump(patch: Patch) -> str:
    """Return the YAML text of a patch; the same patch always gives the same text."""
    return yaml_documents.to_yaml(patch.model_dump(mode="json", exclude_defaults=True))
