"""Patch files: one reviewed YAML file an upstream change, validated when it is read.

The same models give docs/schemas/patch.json (``python -m syncbot.patching.schema``).
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from packaging.version import InvalidVersion, Version
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, PrivateAttr, ValidationError

from syncbot.errors import ConfigurationError
from syncbot.patching import registry, transformer
from syncbot.patching.registry import Rule

Status = Literal["active", "needs-author", "retired"]


def _version(text: str) -> str:
    try:
        Version(text)
    except InvalidVersion as error:
        raise ValueError(f"{text!r} is not a PEP 440 version such as 0.32.0") from error
    return text


def _slug(text: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", text):
        raise ValueError(f"{text!r} may hold letters, digits, '.', '_' and '-' only")
    return text


# The fast loader of libyaml where it is there; what it gives is the same.
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class UpstreamChange(_Model):
    """The upstream change that a patch answers. ``first_version`` is the first release that has it."""

    name: str
    pr: int | None = None
    commit: str | None = None
    first_version: Annotated[str, AfterValidator(_version)]

    @property
    def version(self) -> Version:
        """The first version, comparable."""
        return Version(self.first_version)


class Rewrite(_Model):
    """One application of a rule."""

    rule: str
    arguments: dict[str, Any] = Field(default_factory=dict)

    def build(self) -> Rule:
        """Return the rule with its arguments. Raises ConfigurationError, pydantic.ValidationError."""
        return registry.find(self.rule).model_validate(self.arguments)


class Patch(_Model):
    """A patch: what upstream did, and the rewrites that follow it (forward) or undo that (backward).

    ``lanes`` are the lanes that it matters to, ``proven_by`` the checks that pass on all of them, ``code`` a
    libcst transformer in a file beside this one, ``notes`` what an author has to know.
    """

    id: Annotated[str, AfterValidator(_slug)]
    upstream: UpstreamChange
    symbol: str
    reason: str
    status: Status = "active"
    rewrites: tuple[Rewrite, ...] = ()
    code: str | None = None
    lanes: tuple[str, ...] = ()
    proven_by: tuple[str, ...] = ()
    notes: str = ""
    _folder: Path | None = PrivateAttr(default=None)

    def rules(self) -> tuple[Rule, ...]:
        """Return its rules in forward order. Raises ConfigurationError that names the patch."""
        built = [rewrite.build() for rewrite in self.rewrites]
        if self.code is not None:
            if self._folder is None:
                raise ConfigurationError(f"{self.id}: 'code' needs a patch that was loaded from a folder")
            built.append(transformer.load(self._folder / self.code))
        return tuple(built)

    @property
    def order(self) -> tuple[Version, int, str]:
        """The key that sorts patches oldest first."""
        return (self.upstream.version, self.upstream.pr or 0, self.id)

    def sources(self) -> Iterable[str]:
        """Yield the texts that decide what the patch does, for digests."""
        yield self.model_dump_json(exclude={"lanes", "proven_by"}, exclude_defaults=True)
        if self.code is not None and self._folder is not None:
            yield (self._folder / self.code).read_text(encoding="utf-8")


def load(folder: Path) -> list[Patch]:
    """Return the patches of a folder, oldest upstream change first; none if there is no such folder.

    Raises ConfigurationError with file, key and nearest known key for the first mistake found.
    """
    if not folder.is_dir():
        return []
    return sorted((load_file(file) for file in sorted(folder.glob("*.yaml"))), key=lambda p: p.order)


def load_file(file: Path) -> Patch:
    """Return the patch in a file. Raises ConfigurationError."""
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{file}: cannot be read: {error}") from error
    patch = parse(text, str(file))
    if patch.id != file.stem:
        raise ConfigurationError(f"{file}: id is {patch.id!r}, the file's name says {file.stem!r}")
    patch._folder = file.parent
    patch.rules()
    return patch


def parse(text: str, name: str = "<patch>") -> Patch:
    """Return the patch in a YAML text; ``name`` stands in messages. Raises ConfigurationError."""
    try:
        document = yaml.load(text, _LOADER)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"{name}:{mark.line + 1}" if mark is not None else name
        raise ConfigurationError(f"{where}: not valid YAML: {getattr(error, 'problem', error)}") from error
    if not isinstance(document, dict):
        keys = ", ".join(Patch.model_fields)
        raise ConfigurationError(f"{name}: a patch is a mapping with the keys {keys}")
    try:
        patch = Patch.model_validate(document)
    except ValidationError as error:
        raise ConfigurationError(f"{name}: {first_mistake(error, Patch)}") from error
    for at, rewrite in enumerate(patch.rewrites):
        try:
            rewrite.build()
        except ConfigurationError as error:
            raise ConfigurationError(f"{name}: rewrites[{at}].rule: {error}") from error
        except ValidationError as error:
            mistake = first_mistake(error, registry.find(rewrite.rule))
            raise ConfigurationError(f"{name}: rewrites[{at}].arguments: {mistake}") from error
    return patch


def dump(patch: Patch) -> str:
    """Return the YAML text of a patch; the same patch always gives the same text."""
    return to_yaml(patch.model_dump(mode="json", exclude_defaults=True))


def to_yaml(document: Mapping[str, Any]) -> str:
    """Return a document as block-style YAML in the order of its keys; texts of several lines as blocks."""
    return yaml.dump(document, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100)


def first_mistake(error: ValidationError, model: type[BaseModel]) -> str:
    """Return one line for the first mistake: its key, what is wrong and the nearest known key."""
    found = sorted(error.errors(), key=lambda e: e["type"] != "extra_forbidden")[0]
    where = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in found["loc"]).lstrip(".")
    if found["type"] == "extra_forbidden":
        known = _fields(model, found["loc"][:-1])
        near = difflib.get_close_matches(str(found["loc"][-1]), known, 1, 0)
        return f"unknown key {where!r}; the nearest is {near[0]!r}" if near else f"unknown key {where!r}"
    message = found["msg"].removeprefix("Value error, ")
    return f"{where or 'the document'}: {message[:1].lower()}{message[1:]}"


def _fields(model: type[BaseModel], location: tuple[int | str, ...]) -> list[str]:
    """The keys known at a location, through nested models, lists and mappings of them."""
    for part in location:
        if isinstance(part, int) or part not in model.model_fields:
            continue
        pending = [model.model_fields[part].annotation]
        while pending:
            kind = pending.pop()
            if isinstance(kind, type) and issubclass(kind, BaseModel):
                model = kind
                break
            pending.extend(getattr(kind, "__args__", ()))
    return list(model.model_fields)


class _Dumper(yaml.SafeDumper):
    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, False)


def _text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
    style = "|" if "\n" in value else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)


_Dumper.add_representer(str, _text)
