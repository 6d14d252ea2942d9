"""Files that are made from the code: JSON schemas and tables of documents.

usage: python .ci/generated.py

Writes those that are out of date and prints their names. A test compares them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

import msgspec
from pydantic import BaseModel

import syncbot.deriving.registry
from syncbot.contracts.change_codes import codes
from syncbot.contracts.change_texts import Explained, explained
from syncbot.contracts.changes import AnyDetails, ChangeKind
from syncbot.contracts.grounds import Ground
from syncbot.deriving.model import Derivation
from syncbot.patching import registry
from syncbot.patching.model import Patch
from syncbot.workflows import configuration
from syncbot.workflows.window_document import WindowDocument

ROOT = Path(__file__).resolve().parents[1]
KINDS = """# Kinds of change

```sh
syncbot explain SB207   # what a code means, with an example
```

`syncbot check` names the kind of each upstream change that concerns your plugin. For each kind, this page
says what upstream did and what to do. `check` offers a rewrite where it knows all its arguments
([patches.md](patches.md)); [`migrate`](migrate.md) knows more answers. A code stays when its kind gets
another name.

`make generated` makes this page from the code.
"""


def files(root: Path = ROOT) -> dict[Path, str]:
    """Return each generated file with the text that it has to have."""
    patches = root / "docs/patches.md"
    report = root / "docs/schemas/report.json"
    rewrites, edits = registry.rules(), syncbot.deriving.registry.edits()
    return {
        report: with_families(report.read_text(encoding="utf-8")),
        root / "docs/schemas/patch.json": schema(Patch, "A patch of syncbot", "Rewrite", "rule", rewrites),
        root / "docs/schemas/window.json": document(WindowDocument, "The releases that a project runs on"),
        root / "docs/schemas/configuration.json": json.dumps(configuration.schema(), indent=2) + "\n",
        root / "docs/kinds.md": kinds(),
        root / "docs/schemas/derived.json": schema(
            Derivation, "A derived override of syncbot", "Change", "edit", edits
        ),
        patches: between(patches.read_text(encoding="utf-8"), "rules", rules()),
    }


def with_families(schema: str) -> str:
    """Return the schema of reports with the kinds of change, the grounds and the classes of details."""
    document = json.loads(schema)
    impact = document["properties"]["impacts"]["items"]["properties"]
    impact["kind"]["enum"] = list(ChangeKind)
    impact["ground"]["enum"] = [*Ground, None]
    (shape,), families = msgspec.json.schema_components([AnyDetails], ref_template="#/$defs/{name}")
    impact["details"] |= shape
    document["$defs"] = families
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def schema(
    model: type[BaseModel], title: str, part: str, kind: str, kinds: Mapping[str, type[BaseModel]]
) -> str:
    """Return the JSON schema of a model, with the arguments of every kind of its ``part`` spelt out."""
    document = model.model_json_schema()
    document["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    document["title"] = title
    alternatives = []
    for name, chosen in kinds.items():
        arguments = chosen.model_json_schema()
        arguments.pop("$defs", None)
        description = arguments.pop("description", "")
        alternatives.append(
            {
                "type": "object",
                "description": description,
                "properties": {kind: {"const": name}, "arguments": arguments},
                "required": [kind, "arguments"],
                "additionalProperties": False,
            }
        )
    document["$defs"][part] = {"oneOf": alternatives}
    return json.dumps(document, indent=2, sort_keys=True) + "\n"


def document(model: type, title: str) -> str:
    """Return the JSON schema of a document that syncbot writes."""
    made = msgspec.json.schema(model)
    for shape in made["$defs"].values():
        shape["description"] = " ".join(shape["description"].split()).replace("``", "`")
    made |= {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title}
    return json.dumps(made, indent=2, ensure_ascii=False, sort_keys=True) + "\n"


def kinds() -> str:
    """Return the page as the file in docs has it."""
    return "\n".join([KINDS, *(_section(kind, explained()[kind]) for kind in ChangeKind)])


def answering(kind: ChangeKind) -> list[str]:
    """Return the names of the rules that may answer a kind of change."""
    return [name for name, rule in registry.rules().items() if kind in rule.answers]


def _section(kind: ChangeKind, text: Explained) -> str:
    rewrites = "".join(f" Rewrite: `{name}`." for name in answering(kind))
    return f"## {kind}\n\n**{codes()[kind]}** {text.did}\n\n**Fix:** {text.todo}{rewrites}\n"


def between(document: str, name: str, text: str) -> str:
    """Return a document with a text between its markers of that name. Raises ValueError without them."""
    marks = re.compile(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.DOTALL)
    if not marks.search(document):
        raise ValueError(f"no <!-- {name} --> and <!-- /{name} --> in the document")
    return marks.sub(lambda found: found[1] + text + found[2], document)


def rules() -> str:
    """Return the table of rewrites: what each does, and the rule that does the opposite."""
    lines = ["| rule | what it does | mirror |", "|---|---|---|"]
    for name, rule in registry.rules().items():
        if rule.__module__.endswith(f".{name}"):
            does = " ".join((rule.__doc__ or "").strip().partition("\n\n")[0].split()).replace("``", "`")
            lines.append(f"| `{name}` | {does} | {f'`{rule.twin.name}`' if rule.twin else 'itself'} |")
    return "\n".join(lines) + "\n"


def write() -> list[Path]:
    """Write what is out of date, and return it."""
    stale = {path: text for path, text in files().items() if path.read_text(encoding="utf-8") != text}
    for path, text in stale.items():
        path.write_text(text, encoding="utf-8")
    return list(stale)


if __name__ == "__main__":
    for written in write():
        print(written.relative_to(ROOT))
