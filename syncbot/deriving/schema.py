"""The JSON schema of declarations, made from the models: ``python -m syncbot.deriving.schema``."""

from __future__ import annotations

import json
from typing import Any

from syncbot.deriving import registry
from syncbot.deriving.model import Derivation


def schema() -> dict[str, Any]:
    """Return the schema: that of Derivation, with the arguments of every edit spelt out."""
    document = Derivation.model_json_schema()
    document["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    document["title"] = "A derived override of syncbot"
    alternatives = []
    for name, edit in registry.edits().items():
        arguments = edit.model_json_schema()
        description = arguments.pop("description", "")
        alternatives.append(
            {
                "type": "object",
                "description": description,
                "properties": {"edit": {"const": name}, "arguments": arguments},
                "required": ["edit", "arguments"],
                "additionalProperties": False,
            }
        )
    document["$defs"]["Change"] = {"oneOf": alternatives}
    return document


def text() -> str:
    """Return the schema as the file in docs/schemas has it."""
    return json.dumps(schema(), indent=2, sort_keys=True) + "\n"


if __name__ == "__main__":
    print(text(), end="")
