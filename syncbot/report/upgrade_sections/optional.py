"""New things that may be ignored: parameters with defaults, fields, methods of base classes."""

from __future__ import annotations

from syncbot.report.catalogue import Words
from syncbot.report.model import Report
from syncbot.report.upgrade_lines import folded, of_notice
from syncbot.report.upgrade_sections import Told, section
from syncbot.upgrade.model import Notice, Topic, Upgrade


@section(30, "upgrade_optional")
def optional(report: Report, words: Words) -> Told:
    """Return the public additions, and below them, folded, upstream's private ones."""
    notices = (report.upgrade or Upgrade()).about(Topic.OPTIONAL)
    private = [notice for notice in notices if _is_private(notice)]
    public = [of_notice(report, notice, words) for notice in notices if notice not in private]
    blocks = ["\n".join(public)] if public else []
    if private:
        lines = [of_notice(report, notice, words) for notice in private]
        blocks.append(folded(words.count("upgrade_private", len(lines)), lines))
    return len(notices), blocks


def _is_private(notice: Notice) -> bool:
    name = notice.subject
    return notice.what == "method" and name.startswith("_") and not name.endswith("__")
