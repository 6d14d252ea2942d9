"""Prints the summary of a migration for ``syncbot migrate`` and ``syncbot gate``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from syncbot.cli.shared_output import say

if TYPE_CHECKING:
    from syncbot.impact.model import Impact
    from syncbot.workflows.migrate import Migrated


def print_summary(done: Migrated, check: bool, err: bool = False) -> int:
    """Print what is rewritten, what needs an author and what nobody looked at, with ``err`` to the error
    output; the exit code."""
    plan = done.migration
    for mended in plan.rewritten:
        rules = ", ".join(dict.fromkeys(rule.name for rule in mended.rules)) or "by another rewrite"
        for place in _places(mended.impact):
            say(f"{place}: {rules}: {mended.impact.message}{_guilty(mended.impact, done)}", err)
        for note in mended.notes:
            say(f"  to be looked at: {note}", err)
    for left in plan.unwritten:
        place = _places(left.impact)[0]
        say(f"needs an author: {place}: {left.impact.message}{_guilty(left.impact, done)}: {left.why}", err)
    count = len(plan.rewritten) + len(plan.unwritten)
    verb = "would be rewritten" if check else "rewritten"
    files = f"{len(plan.changes)} file{'' if len(plan.changes) == 1 else 's'}"
    say(f"{len(plan.rewritten)} of {count} break{'' if count == 1 else 's'} {verb}, in {files}", err)
    for why in done.unread:
        say(f"not looked at: {why}", err)
    return 1 if plan.unwritten or done.unread or (check and plan.changes) else 0


def _places(impact: Impact) -> list[str]:
    return [f"{place.file}:{place.line}" for place in impact.locations]


def _guilty(impact: Impact, done: Migrated) -> str:
    number = f" #{impact.pr}" if impact.pr is not None else ""
    name = done.releases.get(impact.commit, impact.commit[:10])
    return f" ({name}{number})" if impact.commit else ""
