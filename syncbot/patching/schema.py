"""The JSON schema of patch files, made from the models: ``python -m syncbot.patching.schema``."""

from __future__ import annotations

import json
from typing import Any

from syncbot.patching import registry, yaml_documents
from syncbot.patching.model import Patch


def schema() -> dict[str, Any]:
    """Return the schema: that of Patch, with the arguments of every rule spelt out."""
    return yaml_documents.schema(Patch, "A patch of syncbot", "Rewrite", "rule", registry.rules())


def text() -> str:
    """Return the schema as the file in docs/schemas has it."""
    return json.dumps(schema(), indent=2, sort_keys=True) + "\n"


if __name__ == "__main__":
    print(text(), end="")
