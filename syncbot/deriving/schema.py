"""The JSON schema of declarations, made from the models: ``python -m syncbot.deriving.schema``."""

from __future__ import annotations

import json
from typing import Any

from syncbot.deriving import registry
from syncbot.deriving.model import Derivation
from syncbot.patching import yaml_documents


def schema() -> dict[str, Any]:
    """Return the schema: that of Derivation, with the arguments of every edit spelt out."""
    return yaml_documents.schema(
        Derivation, "A derived override of syncbot", "Change", "edit", registry.edits()
    )


def text() -> str:
    """Return the schema as the file in docs/schemas has it."""
    return json.dumps(schema(), indent=2, sort_keys=True) + "\n"


if __name__ == "__main__":
    print(text(), end="")
