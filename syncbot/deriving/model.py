"""Declarations of derived overrides: one reviewed YAML file each, validated when it is read.

The same models give docs/schemas/derived.json (``python -m syncbot.deriving.schema``).
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import yaml
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import Version
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from syncbot.deriving import registry
from syncbot.deriving.registry import Edit
from syncbot.errors import ConfigurationError
from syncbot.patching.model import first_mistake, to_yaml


def _specifier(text: str) -> str:
    try:
        SpecifierSet(text)
    except InvalidSpecifier as error:
        raise ValueError(f"{text!r} is not a version specifier such as '<0.17'") from error
    return text


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Change(_Model):
    """One edit with its arguments."""

    edit: str
    arguments: dict[str, Any] = Field(default_factory=dict)

    def build(self) -> Edit:
        """Return the edit. Raises ConfigurationError, pydantic.ValidationError."""
        return registry.find(self.edit).model_validate(self.arguments)


class Derivation(_Model):
    """*Take upstream's function of this lane and make these edits.*

    The result is put into ``file`` as ``name``: ``Class.method``, or a function. ``function`` is upstream's,
    dotted; left out for a method, it is the one that the class inherits. ``versions`` are those of upstream
    that it is for, all where it says nothing.
    """

    id: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")
    reason: str
    file: str = Field(description="path relative to the backend's folder", examples=["src/pkg/layers.py"])
    name: str = Field(
        pattern=r"^[A-Za-z_]\w*(\.[A-Za-z_]\w*)?$", description="the override", examples=["Layer.__init__"]
    )
    function: str | None = Field(
        default=None, description="upstream's function, dotted; else the method that the class inherits"
    )
    versions: Annotated[str, AfterValidator(_specifier)] = ""
    edits: tuple[Change, ...] = Field(min_length=1)

    def applies(self, version: Version) -> bool:
        """Whether it is for that version of upstream."""
        return SpecifierSet(self.versions).contains(version, prereleases=True)


def load(folder: Path) -> list[Derivation]:
    """Return the declarations of a folder by name; none if there is no such folder.

    Raises ConfigurationError with file, key and nearest known key for the first mistake found.
    """
    return [_load(file) for file in sorted(folder.glob("*.yaml"))] if folder.is_dir() else []


def _load(file: Path) -> Derivation:
    try:
        derivation = parse(file.read_text(encoding="utf-8"), str(file))
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{file}: cannot be read: {error}") from error
    if derivation.id != file.stem:
        raise ConfigurationError(f"{file}: id is {derivation.id!r}, the file's name says {file.stem!r}")
    return derivation


def parse(text: str, name: str = "<derived>") -> Derivation:
    """Return the declaration in a YAML text; ``name`` stands in messages. Raises ConfigurationError."""
    try:
        document = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ConfigurationError(f"{name}: not valid YAML: {getattr(error, 'problem', error)}") from error
    if not isinstance(document, dict):
        raise ConfigurationError(
            f"{name}: it is a mapping with the keys {', '.join(Derivation.model_fields)}"
        )
    try:
        derivation = Derivation.model_validate(document)
    except ValidationError as error:
        raise ConfigurationError(f"{name}: {first_mistake(error, Derivation)}") from error
    if derivation.function is None and "." not in derivation.name:
        raise ConfigurationError(f"{name}: function: say which function of upstream {derivation.name} is")
    for at, change in enumerate(derivation.edits):
        try:
            change.build()
        except ConfigurationError as error:
            raise ConfigurationError(f"{name}: edits[{at}].edit: {error}") from error
        except ValidationError as error:
            mistake = first_mistake(error, registry.find(change.edit))
            raise ConfigurationError(f"{name}: edits[{at}].arguments: {mistake}") from error
    return derivation


def dump(derivation: Derivation) -> str:
    """Return the YAML text of a declaration; the same one always gives the same text."""
    return to_yaml(derivation.model_dump(mode="json", exclude_defaults=True))
