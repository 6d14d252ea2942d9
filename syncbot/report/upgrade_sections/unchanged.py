"""Names that the project uses and that upstream has not changed."""

from __future__ import annotations

from syncbot.report.catalogue import Words
from syncbot.report.model import Report
from syncbot.report.untrusted_text import code
from syncbot.report.upgrade_lines import folded
from syncbot.report.upgrade_sections import Told, section
from syncbot.upgrade.model import Likeness, Upgrade


@section(50, "upgrade_unchanged")
def unchanged(report: Report, words: Words) -> Told:
    """How many names are as they were, and which; folded."""
    upgrade = report.upgrade or Upgrade()
    same, signature = upgrade.named(Likeness.SAME), upgrade.named(Likeness.SAME_SIGNATURE)
    if not upgrade.names:
        return 0, []
    summary = words("upgrade_same", same=len(same), all=len(upgrade.names), signature=len(signature))
    lines = [f"- {code(name)}" for name in same]
    lines += [f"- {code(name)}: {words('upgrade_same_signature')}" for name in signature]
    return len(same) + len(signature), [folded(summary, lines)]
