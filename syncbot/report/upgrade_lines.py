"""Lines of the report of an upgrade: what upstream changed, in which commits, and where our code meets it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from syncbot.impact.model import Impact, Location, Verdict
from syncbot.report import names, view
from syncbot.report.catalogue import Words
from syncbot.report.links import commit_url
from syncbot.report.model import Report
from syncbot.report.our_lines import by_line
from syncbot.report.untrusted_text import code, label, prose
from syncbot.upgrade.model import Notice

# So many files of ours, and commits of upstream, are named in a line.
_FILES, _COMMITS = 4, 4
# A longer text of source says no more.
_LONGEST = 80


def of_impacts(report: Report, impacts: Iterable[Impact], words: Words) -> Iterator[str]:
    """An item of a list for each line of ours that impacts name first: what happens there, by which commits;
    how to mend what breaks."""
    for line in by_line(impacts):
        found = line.impacts
        where = tuple(dict.fromkeys(place for impact in found for place in impact.locations))
        said = dict.fromkeys(prose(view.happens(impact, words)) for impact in found)
        parts = [f"- {places(where, words)}: {'; '.join(said)}"]
        if shas := dict.fromkeys(impact.commit for impact in found if impact.commit):
            parts.append(f" — {commits(report, shas, words)}")
        broken = (impact for impact in found if impact.verdict is Verdict.BREAKS)
        if mends := dict.fromkeys(prose(view.mend(impact, words)) for impact in broken):
            parts.append(f". {words('fix')}: {'; '.join(mends)}")
        yield "".join(parts)


def of_notice(report: Report, notice: Notice, words: Words) -> str:
    """An item of a list: what upstream changed, by which commits, and where we rely on it."""
    values = {"symbol": notice.symbol, "subject": notice.subject}
    shown = {name: code(value) for name, value in values.items()}
    if notice.what == "caller":
        texts = {"before": notice.before, "after": notice.after}
        shown |= {key: ", ".join(map(code, names.split(", "))) for key, names in texts.items()}
    else:
        shown |= {"before": source(notice.before, notice.after), "after": source(notice.after, notice.before)}
    said = words(f"upgrade_{notice.what}", **shown)
    by = f" — {commits(report, notice.commits, words)}" if notice.commits else ""
    ways = words("list_and").join(words(f"way_{way}") for way in notice.ways)
    return f"- {said}{by}. {words('ours_at', ways=ways, places=places(notice.places, words))}"


def source(text: str, other: str = "") -> str:
    """Source text as code, cut where it is long, but for that in which it differs from another one; a dash
    for none."""
    differing = (n for n, pair in enumerate(zip(text, other, strict=False)) if pair[0] != pair[1])
    same = next(differing, min(len(text), len(other)))
    if len(text) > _LONGEST and same > _LONGEST // 2:
        text = f"…{text[same - _LONGEST // 4 :]}"
    return code(text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…") if text else "—"


def places(found: Sequence[Location], words: Words) -> str:
    """Places of ours, each file once with its lines; a few, and how many files more."""
    files = view.by_file(found)
    shown = ", ".join(map(code, files[:_FILES]))
    more = len(files) - _FILES
    return f"{shown} {words.count('more', more)}" if more > 0 else shown


def commits(report: Report, shas: Iterable[str], words: Words) -> str:
    """Commits, or releases, by what a reader finds them by, with links where upstream has pages."""
    found = list(shas)
    shown = [_commit(report, sha) for sha in found[-_COMMITS:]]
    more = len(found) - len(shown)
    return ", ".join(shown) + (f" {words.count('more', more)}" if more > 0 else "")


def folded(summary: str, lines: Sequence[str]) -> str:
    """A list that a reader opens."""
    return "\n\n".join([f"<details><summary>{prose(summary)}</summary>", "\n".join(lines), "</details>"])


def _commit(report: Report, sha: str) -> str:
    commit = report.by_sha.get(sha)
    name = names.short_name(commit) if commit is not None else sha[:10]
    url = commit_url(report, sha) if commit is None or not commit.release else None
    return f"[{label(name)}]({url})" if url is not None else prose(name)
