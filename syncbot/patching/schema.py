"""The JSON schema of patch files, made from the models: ``python -m syncbot.patching.schema``."""

from __future__ import annotations

import json
from typing import Any

from syncbot.patching import registry
from syncbot.patching.model import Patch


def schema() -> dict[str, Any]:
    """Return the schema: that of Patch, with the arguments of every rule spelt out."""
    document = Patch.model_json_schema()
    document["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    document["title"] = "A patch of syncbot"
    alternatives = []
    for name, rule in registry.rules().items():
        arguments = rule.model_json_schema()
        arguments.pop("$defs", None)
        description = arguments.pop("description", "")
        alternatives.append(
            {
                "type": "object",
                "description": description,
                "properties": {"rule": {"const": name}, "arguments": arguments},
                "required": ["rule", "arguments"],
                "additionalProperties": False,
            }
        )
    document["$defs"]["Rewrite"] = {"oneOf": alternatives}
    return document


def text() -> str:
    """Return the schema as the file in docs/schemas has it."""
    return json.dumps(schema(), indent=2, sort_keys=True) + "\n"


if __name__ == "__main__":
    print(text(), end="")
