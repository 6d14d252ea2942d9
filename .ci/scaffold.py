"""A new rewrite or a new check of contracts, with its cases: a small example that works.

usage: python .ci/scaffold.py rule|check NAME

NAME is the module's, such as call_awaited. Nothing that exists is overwritten. For a rewrite, the schema of
patch files and the table of docs/patches.md are made anew.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import jinja2

ROOT = Path(__file__).resolve().parents[1]
#: For each thing the templates of its module and of its cases, with where they go.
PLACES = {
    "rule": {
        "rule.py.j2": "syncbot/patching/rewrites/{}.py",
        "rule.md.j2": "tests/patching/rewrites/{}.md",
        "rule_test.py.j2": "tests/patching/rewrites/test_{}.py",
    },
    "check": {
        "check.py.j2": "syncbot/contracts/kinds/{}.py",
        "check.md.j2": "tests/contracts/cases/kinds/{}.md",
    },
}


def main(arguments: list[str]) -> str | None:
    """Write the files. Returns what is wrong, None where nothing is."""
    if len(arguments) != 2 or arguments[0] not in PLACES:
        return __doc__
    what, name = arguments
    if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", name):
        return f"{name!r} is no name of a module, such as call_awaited"
    paths = {template: ROOT / path.format(name) for template, path in PLACES[what].items()}
    taken = [str(path.relative_to(ROOT)) for path in paths.values() if path.exists()]
    if taken:
        return f"{', '.join(taken)} exists already: choose another name"
    templates = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent / "templates"),
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
    )
    title = "".join(part.capitalize() for part in name.split("_"))
    for template, path in paths.items():
        path.write_text(templates.get_template(template).render(name=name, title=title), encoding="utf-8")
        print(path.relative_to(ROOT))
    if what == "rule":
        # It imports all of syncbot, with the new rule.
        import generated

        for path in generated.write():
            print(path.relative_to(ROOT))
    return None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
