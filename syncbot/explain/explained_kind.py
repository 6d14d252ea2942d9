"""The meaning of a kind of change, in the words of docs/kinds.md."""

from __future__ import annotations

import difflib
import re
from typing import Any

from syncbot.contracts.change_codes import codes, kind_named
from syncbot.contracts.change_texts import explained
from syncbot.contracts.changes import ChangeKind
from syncbot.errors import UsageError
from syncbot.patching import registry

_CODE = re.compile(r"sb\d+", re.IGNORECASE)


def kind_of_code(text: str) -> ChangeKind | None:
    """Return the kind that a code such as ``SB101`` stands for; None for what is no code. Raises UsageError
    for a code of no kind."""
    if not _CODE.fullmatch(text):
        return None
    kind = kind_named(text)
    if kind is None:
        near = difflib.get_close_matches(text.upper(), sorted(codes().values()), n=1, cutoff=0)
        raise UsageError(f"no kind has the code {text.upper()}; the nearest is {near[0]}")
    return kind


def values(kind: ChangeKind) -> dict[str, Any]:
    """Return what is known of a kind, for programs."""
    told = explained()[kind]
    rewrites = [name for name, rule in registry.rules().items() if kind in rule.answers]
    return {
        "code": codes()[kind],
        "kind": kind.value,
        "did": told.did,
        "before": told.before,
        "after": told.after,
        "ours": told.ours,
        "todo": told.todo,
        "rewrites": rewrites,
    }


def as_text(kind: ChangeKind) -> str:
    """Return the same for a reader, with the change as a difference."""
    known = values(kind)
    before, after = (known[side].splitlines() if known[side] != "..." else [] for side in ("before", "after"))
    changed = [f"  {line[0]}{line[2:]}" for line in difflib.ndiff(before, after) if not line.startswith("?")]
    ours = [f"    {line}" for line in known["ours"].splitlines()]
    return "\n".join(
        [
            *(f"{known['code']} {kind}", "", known["did"], "", "upstream:", *changed),
            *("", "your line:", *ours, "", f"What to do: {known['todo']}"),
            f"Rewrite: {', '.join(known['rewrites']) or 'none'}",
            f"Accept one: # syncbot: ignore[{kind}] why",
        ]
    )
