"""Files that are made from the code: JSON schemas and tables of documents.

usage: python tools/generated.py

Writes those that are out of date and prints their names. A test compares them.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import msgspec

import syncbot.deriving.schema
import syncbot.patching.schema
import syncbot.report.kinds_page
from syncbot.contracts.changes import AnyDetails, ChangeKind
from syncbot.patching import registry

ROOT = Path(__file__).resolve().parents[1]


def files(root: Path = ROOT) -> dict[Path, str]:
    """Return each generated file with the text that it has to have."""
    patches = root / "docs/patches.md"
    report = root / "docs/schemas/report.json"
    return {
        report: with_families(report.read_text(encoding="utf-8")),
        root / "docs/schemas/patch.json": syncbot.patching.schema.text(),
        root / "docs/kinds.md": syncbot.report.kinds_page.page(),
        root / "docs/schemas/derived.json": syncbot.deriving.schema.text(),
        patches: between(patches.read_text(encoding="utf-8"), "rules", rules()),
    }


def with_families(schema: str) -> str:
    """Return the schema of reports with the kinds of change and the classes of details that there are."""
    document = json.loads(schema)
    impact = document["properties"]["impacts"]["items"]["properties"]
    impact["kind"]["enum"] = list(ChangeKind)
    (shape,), families = msgspec.json.schema_components([AnyDetails], ref_template="#/$defs/{name}")
    impact["details"] |= shape
    document["$defs"] = families
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


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
