"""The page of all kinds of change, ``docs/kinds.md``: ``python -m syncbot.report.kinds_page``."""

from __future__ import annotations

import difflib

from syncbot.contracts.change_texts import Explained, explained
from syncbot.contracts.changes import ChangeKind
from syncbot.patching import registry

_HEAD = """# Kinds of change

`syncbot check` names the kind of each change upstream that concerns the plugin. This page says of each kind
what upstream did, shows an example (upstream's change, then the plugin's line), and says what to do. Where a
rewrite is named, `check` offers it if it knows all arguments of the rewrite: [patches.md](patches.md) has the
rewrites. Even without one, [`migrate`](migrate.md) may know an answer.

This page is made from the code: `python -m syncbot.report.kinds_page > docs/kinds.md`.
"""


def page() -> str:
    """Return the page as the file in docs has it."""
    return "\n".join([_HEAD, *(_section(kind, explained()[kind]) for kind in ChangeKind)])


def rewrites(kind: ChangeKind) -> list[str]:
    """Return the names of the rules that may answer a kind of change."""
    return [name for name, rule in registry.rules().items() if kind in rule.answers]


def _section(kind: ChangeKind, text: Explained) -> str:
    lines = difflib.ndiff(_lines(text.before), _lines(text.after))
    diff = "\n".join(f"{line[0]}{line[2:]}" for line in lines if not line.startswith("?"))
    names = ", ".join(f"`{name}`" for name in rewrites(kind)) or "none"
    return (
        f"## {kind}\n\n{text.did}\n\n```diff\n{diff}\n```\n\n```text\n{text.ours}\n```\n\n"
        f"**What to do:** {text.todo}\n\n**Rewrite:** {names}\n"
    )


def _lines(code: str) -> list[str]:
    return [] if code == "..." else code.splitlines()


if __name__ == "__main__":
    print(page(), end="")
