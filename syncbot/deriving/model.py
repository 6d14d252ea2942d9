"""Declarations of derived overrides: one reviewed YAML file each (docs/schemas/derived.json)."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from packaging.specifiers import SpecifierSet
from packaging.version import Version
from pydantic import Field

from syncbot.deriving import registry
from syncbot.deriving.registry import Edit
from syncbot.errors import ConfigurationError
from syncbot.patching import yaml_documents
from syncbot.patching.yaml_documents import Document
from syncbot.setting_values import specifier


class Change(Document):
    """One edit with its arguments."""

    edit: str
    arguments: dict[str, Any] = Field(default_factory=dict)

    def build(self) -> Edit:
        """Return the edit. Raises ConfigurationError, pydantic.ValidationError."""
        return registry.find(self.edit).model_validate(self.arguments)


class Derivation(Document):
    """*Take upstream's function of this lane and make these edits.* It is put into ``file`` as ``name``.
    ``function`` is upstream's; for a method, else the inherited one. ``versions``: of upstream, else all."""

    id: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")
    reason: str
    file: str = Field(description="path relative to the backend's folder", examples=["src/pkg/layers.py"])
    name: str = Field(
        pattern=r"^[A-Za-z_]\w*(\.[A-Za-z_]\w*)?$", description="the override", examples=["Layer.__init__"]
    )
    function: str | None = Field(
        default=None, description="upstream's function, dotted; else the method that the class inherits"
    )
    versions: Annotated[str, specifier("a version specifier such as '<0.17'")] = ""
    edits: tuple[Change, ...] = Field(min_length=1)

    def applies(self, version: Version) -> bool:
        """Whether it is for that version of upstream."""
        return SpecifierSet(self.versions).contains(version, prereleases=True)


def load(folder: Path) -> list[Derivation]:
    """Return the declarations of a folder by name. Raises ConfigurationError for the first mistake."""
    return [yaml_documents.load_file(file, parse) for file in sorted(folder.glob("*.yaml"))]


def parse(text: str, name: str = "<derived>") -> Derivation:
    """Return the declaration in a YAML text; ``name`` stands in messages. Raises ConfigurationError."""
    derivation = yaml_documents.parse(text, Derivation, "a declaration", name)
    if derivation.function is None and "." not in derivation.name:
        raise ConfigurationError(f"{name}: function: say which function of upstream {derivation.name} is")
    parts = [(change.edit, change.build) for change in derivation.edits]
    yaml_documents.check_arguments(parts, registry.find, "edits", "edit", name)
    return derivation


def dump(derivation: Derivation) -> str:
    """Return the YAML text of a declaration; the same one always gives the same text."""
    return yaml_documents.to_yaml(derivation.model_dump(mode="json", exclude_defaults=True))
