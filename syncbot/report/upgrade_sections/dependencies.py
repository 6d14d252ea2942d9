"""Changes of upstream's requirements and of its entry points."""

from __future__ import annotations

from syncbot.report.catalogue import Words
from syncbot.report.model import Report
from syncbot.report.untrusted_text import code, prose
from syncbot.report.upgrade_lines import commits, source
from syncbot.report.upgrade_sections import Told, section
from syncbot.upgrade.model import Dependency, Upgrade


@section(40, "upgrade_dependencies")
def dependencies(report: Report, words: Words) -> Told:
    """A line for each; what the project asks for itself comes first."""
    found = sorted((report.upgrade or Upgrade()).dependencies, key=lambda d: (not d.conflict, not d.ours))
    lines = [_line(report, each, words) for each in found]
    return len(lines), ["\n".join(lines)] if lines else []


def _line(report: Report, found: Dependency, words: Words) -> str:
    what = words(f"upgrade_{found.what}", name=code(found.name))
    how = "gained" if not found.before else "lost" if not found.after else "changed"
    said = words(
        f"upgrade_{how}",
        what=what,
        before=source(found.before, found.after),
        after=source(found.after, found.before),
    )
    by = f" — {commits(report, found.commits, words)}" if found.commits else ""
    if not found.ours:
        return f"- {said}{by}"
    ours = words("upgrade_conflict" if found.conflict else "upgrade_ours", ours=prose(found.ours))
    return f"- {said}{by}. {ours}"
