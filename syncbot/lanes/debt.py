"""The debt of an overlay's package: what it already lacks on the upstream that it was made for."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Literal

from syncbot.limits import document_text
from syncbot.patching import yaml_documents
from syncbot.patching.yaml_documents import Document

_HEAD = """\
# What the package lacks on the upstream that it was made for, and lanes are not asked for.
# Written by `syncbot overlay debt`; reasons are edited by hand.
"""


class Entry(Document):
    """One finding. ``definitions`` are digests of how upstream defines ``symbol``, by version: where it does
    otherwise, the entry does not count. ``right`` says whether somebody found it to be a defect."""

    id: str
    kind: Literal["contract", "copy"]
    place: str
    symbol: str
    message: str
    definitions: dict[str, str]
    right: bool | None = None
    reason: str | None = None


class Debt(Document):
    """All that is accepted."""

    findings: tuple[Entry, ...] = ()

    @property
    def digest(self) -> str:
        """A digest of what is accepted, and of the definitions for which it counts."""
        facts = sorted((entry.id, sorted(set(entry.definitions.values()))) for entry in self.findings)
        return hashlib.sha256(json.dumps(facts).encode()).hexdigest()


def load(file: Path) -> Debt:
    """The debt in a file; none where the file is not there. Raises ConfigurationError."""
    try:
        return yaml_documents.parse(document_text(file), Debt, "the debt", str(file))
    except FileNotFoundError:
        return Debt()


def dump(debt: Debt) -> str:
    """The text of a debt, the same for the same debt."""
    return _HEAD + yaml_documents.to_yaml(debt.model_dump(mode="json", exclude_none=True))
