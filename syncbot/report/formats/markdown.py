"""The report as GitHub-flavoured Markdown. Anchors are ``<a name="…">``: GitHub resolves those of headings in
files only. Subjects are labels of links, where GitHub notifies nobody."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from urllib.parse import urlsplit

from syncbot.impact.importance import LEVELS
from syncbot.impact.model import Impact, Verdict
from syncbot.report import names, sections, view
from syncbot.report.authors_words import bare_subject
from syncbot.report.catalogue import Words
from syncbot.report.evidence import Excerpt, Shown, shown_once
from syncbot.report.formats import Reports, renderer
from syncbot.report.links import kind_url
from syncbot.report.model import Report, ReportCommit
from syncbot.report.phrases import Line, Piece
from syncbot.report.runs import ran, run_sentences
from syncbot.report.short_hunk import short_hunk
from syncbot.report.untrusted_text import block, code, inline, label, one_line, prose, table

_ICONS = {"high": "🔴", "medium": "🟡", "low": "🟢"}
_PLACES = 10
_FOLDERS = 6
# A section that is longer is not read; HTML and JSON have all.
_SENTENCES = {"high": 4, "medium": 2, "low": 2}
_DEEP = re.compile(r"[\w.-]+(/[\w.-]+){3,}\.\w+")
# A longer table is folded, so that what follows is found without scrolling for minutes.
_LONG = 60


@renderer("markdown")
def as_markdown(reports: Reports, words: Words) -> str:
    """The report as Markdown: what breaks us, then all else; several upstreams below a list of them."""
    blocks = [f"# {prose(names.title(reports, words))}"]
    if len(reports) == 1:
        (report,) = reports
        blocks += [_headline(report, words), *_what_breaks(report, words), f"## {_name(report)}"]
        return "\n\n".join([*blocks, *_commits(report, words, ""), *view.marks(reports)]) + "\n"
    numbered = list(enumerate(reports, 1))
    links = [f"- [{label(r.upstream)}](#upstream-{n}): {_headline(r, words)}" for n, r in numbered]
    blocks.append("\n".join(links))
    for n, report in numbered:
        blocks += [f'## <a name="upstream-{n}"></a>{_name(report)}', _headline(report, words)]
        blocks += [*_what_breaks(report, words), *_commits(report, words, f"-{n}")]
    return "\n\n".join([*blocks, *view.marks(reports)]) + "\n"


def _headline(report: Report, words: Words) -> str:
    return f"**{prose(view.headline(report, words))}**"


def _commits(report: Report, words: Words, mark: str) -> Iterator[str]:
    """All commits; ``mark`` tells the anchors of one upstream from those of another."""
    if report.commits:
        if report.of_releases:
            yield _table_of_releases(report, words, mark)
            for commit in report.commits:
                yield f'### <a name="{_anchor(commit)}{mark}"></a>{prose(names.named(commit))}'
                yield from _facts(report, commit, words)
        else:
            yield from _table_of_commits(report, words, mark)
            yield from _statistics(report, words)
            yield from _contents(report, words, mark)
            for level in LEVELS:
                yield from _section(report, level, words, mark)
    yield from _unanalysed(report, words)
    yield from map(prose, run_sentences(report, words))
    yield from map(prose, view.accepted(report, words))
    if (unjudged := view.unjudged(report, words)) is not None:
        yield prose(unjudged)


# What breaks us


def _what_breaks(report: Report, words: Words) -> Iterator[str]:
    breaks = view.own(report, Verdict.BREAKS)
    yield f"## {words('what_breaks')}"
    if breaks:
        yield from _tables(report, view.culprits(report, breaks), words)
        if (last := view.last_word(report, words)) is not None:
            yield _last_word(*last)
        yield from _evidence(report, breaks, words)
    else:
        yield words("nothing_found")
    for verdict in (Verdict.AT_RISK, Verdict.DRIFT):
        heading = f"{words(verdict)}: {words(f'{verdict}_means')}"
        yield from _listed(report, view.own(report, verdict), heading, words)
    yield from _listed(report, view.in_tests(report), view.tests_heading(report, words), words)


def _tables(report: Report, culprits: Sequence[view.Culprit], words: Words) -> Iterator[str]:
    """Yield the tables of breaks: one for each release, or one for all commits."""
    if not report.of_releases:
        columns = ("our_line", "what_happens", "upstream_commit", "fix")
        rows = [
            (_places(i, words), _message(report, i, words), _reference(report, c, words), _fix(i, words))
            for c in culprits
            for i in c.impacts
        ]
        yield table([words(column) for column in columns], rows)
        return
    for culprit in culprits:
        yield f"### {_reference(report, culprit, words)}"
        found = [(_places(i, words), _message(report, i, words), _fix(i, words)) for i in culprit.impacts]
        yield table([words(column) for column in ("our_line", "what_happens", "fix")], found)


def _last_word(said: str, command: str) -> str:
    """Return the closing sentence, and the command as code."""
    return f"{prose(said)} {code(command)}" if command else prose(said)


def _evidence(report: Report, breaks: Sequence[Impact], words: Words) -> Iterator[str]:
    """For each change of upstream that breaks us: its difference, our lines, the proposed edits; folded."""
    for culprit in view.culprits(report, breaks):
        for shown in shown_once(culprit.impacts, report.evidence):
            places = dict.fromkeys(_places(impact, words) for impact, _ in shown.impacts)
            blocks = [f"<details><summary>{words('evidence')}: {', '.join(places)}</summary>"]
            if shown.hunk:
                blocks += _change(shown, culprit, words)
            # An edit shows the lines that it is of.
            if ours := [each for _, found in shown.impacts if not found.edit for each in found.ours]:
                blocks += [f"{words('our_lines')}:", block("\n".join(map(_our_line, ours)))]
            for _, found in shown.impacts:
                if found.edit:
                    blocks += [f"{words('proposed_edit')}:", block(found.edit, "diff")]
            yield "\n\n".join([*blocks, "</details>"])


def _change(shown: Shown, culprit: view.Culprit, words: Words) -> Iterator[str]:
    """Upstream's difference, as far as it shows what breaks."""
    if gone := view.removal(shown, culprit.commit, words):
        yield f"{words('upstreams_change')}: {prose(gone)}"
        return
    hunk = short_hunk(shown.hunk, {impact.details.subject for impact, _ in shown.impacts})
    yield f"{words('upstreams_change' if hunk == shown.hunk else 'upstreams_change_part')}:"
    yield block(hunk, "diff")


def _our_line(excerpt: Excerpt) -> str:
    return one_line(f"{excerpt.place.file}:{excerpt.place.line}: {excerpt.line.strip()}")


def _listed(report: Report, impacts: Sequence[Impact], heading: str, words: Words) -> Iterator[str]:
    if impacts:
        yield f"### {heading} ({len(impacts)})"
        yield "\n".join(
            line for c in view.culprits(report, impacts) for line in _of_culprit(report, c, words)
        )


def _of_culprit(report: Report, culprit: view.Culprit, words: Words) -> Iterator[str]:
    """An impact a line; the commit of several is named once."""
    told = [f"{_places(i, words)}: {_message(report, i, words)}" for i in culprit.impacts]
    reference = _reference(report, culprit, words)
    if len(told) == 1:
        yield f"- {told[0]} — {reference}"
    else:
        yield from (f"- {reference}", *(f"  - {each}" for each in told))


def _places(impact: Impact, words: Words) -> str:
    text = ", ".join(map(code, view.by_file(impact.locations[:_PLACES])))
    rest = len(impact.locations) - _PLACES
    return f"{text}{words('stop')} {words.count('more_elsewhere', rest)}" if rest > 0 else text


def _message(report: Report, impact: Impact, words: Words) -> str:
    url = kind_url(report, impact.kind)
    shown = "; ".join(filter(None, (view.testimony(impact, words), ran(impact, words))))
    kind = f" ([{impact.kind}]({_address(url)}))" if url else ""
    return prose(view.happens(impact, words)) + kind + (f" — *{prose(shown)}*" if shown else "")


def _fix(impact: Impact, words: Words) -> str:
    text = view.mend(impact, words)
    return f"**{prose(text)}**" if impact.fix is None else prose(text)


def _reference(report: Report, culprit: view.Culprit, words: Words) -> str:
    sha, commit = culprit.sha, culprit.commit
    if commit is None:
        return _sha(report, sha) if sha else names.term(report, "unknown_commit", words)
    if commit.release:
        return prose(names.named(commit))
    if report.web is None:
        return f"{code(sha[:10])} {prose(commit.subject)}"
    return f"[{code(sha[:10])} {label(commit.subject)}]({_url(report, sha)})"


# All commits


def _table_of_releases(report: Report, words: Words, mark: str) -> str:
    links = ((c, f"[{label(names.named(c))}](#{_anchor(c)}{mark})") for c in report.commits)
    rows = [(link, view.meant(report, c, words) or words("breaks_nothing")) for c, link in links]
    return table([words("release"), words("for_us")], rows)


def _table_of_commits(report: Report, words: Words, mark: str) -> Iterator[str]:
    columns = [words("time"), words("author"), words("message")]
    commits = report.commits
    rows = [(f"{c.date:%Y-%m-%d %H:%M:%S}", prose(c.author), _inside(report, c, mark)) for c in commits]
    shown = table(columns, rows)
    if len(report.commits) > _LONG:
        count = names.counted(report, words)
        yield f"<details><summary>{words('all_commits')}: {count}</summary>\n\n{shown}\n\n</details>"
    else:
        yield shown


def _statistics(report: Report, words: Words) -> Iterator[str]:
    counts = view.levels(report)
    commits = names.counted(report, words)
    line = words("statistics_line", commits=commits, **counts)
    verdicts = Counter(i.verdict for i in report.impacts if not i.tests_only)
    impacts = "".join(f" | {words(v)} {verdicts[v]}" for v in view.SHOWN if verdicts[v])
    yield f"### 📊 {words('statistics')}"
    yield f"> {line}{impacts}"
    if wordings := sections.wordings(report.commits, words):
        yield _line(wordings)


def _contents(report: Report, words: Words, mark: str) -> Iterator[str]:
    """Where to find which commits; the table leads to each."""
    found = {level: len(view.of_level(report, level)) for level in LEVELS}
    yield " · ".join(
        f"[{words(f'section_{level}')} ({count})](#importance-{level}{mark})"
        for level, count in found.items()
        if count
    )
    told = [words("authors_titles")]
    if all(commit.facts is not None for commit in report.commits):
        told.append(words("else_nothing", own=view.own_name(report, words)))
    yield words("gap").join(told)


def _section(report: Report, level: str, words: Words, mark: str) -> Iterator[str]:
    commits = view.of_level(report, level)
    if not commits:
        return
    yield f'## <a name="importance-{level}{mark}"></a>{words(f"section_{level}")} ({len(commits)})'
    for commit in commits:
        if not _is_brief(report, commit):
            yield f'### <a name="{_anchor(commit)}{mark}"></a>{_number(report, commit)} {_title(commit)}'
            yield from _facts(report, commit, words)
    if brief := [commit for commit in commits if _is_brief(report, commit)]:
        yield "\n".join(_brief(report, commit, words) for commit in brief)


def _is_brief(report: Report, commit: ReportCommit) -> bool:
    """Whether a commit is of no importance to anybody."""
    return commit.level == "low" and not commit.advice and commit.sha not in report.by_commit


def _brief(report: Report, commit: ReportCommit, words: Words) -> str:
    """Return one line about a commit: its size and its risks; a link, if there is one, is in the table."""
    sha = f"{code(commit.sha[:10])} " if report.web is None else ""
    said = [*sections.said(commit, words), *sections.risks(commit, words)]
    told = "".join(f" {each}" for each in (*_wording(commit, words), *map(_line, said)))
    size = prose(view.size(commit, words))
    return f"- {sha}“{prose(bare_subject(commit.subject))}”: {size}{words('stop')}{told}"


def _facts(report: Report, commit: ReportCommit, words: Words) -> Iterator[str]:
    if purpose := sections.purpose(commit, words):
        yield _line(purpose)
    types = " / ".join(words(f"type_{kind.replace(' ', '_')}") for kind in commit.types)
    lines = [f"**🎯 {words('change_type')}**: {types}"]
    impacts = report.by_commit.get(commit.sha, ())
    if impacts:
        ours = view.level_for_us(impacts)
        counts = view.counted((i.verdict for i in impacts), words)
        lines.append(f"**🔧 {words('level_for_us')}**: {_ICONS[ours]} {words(ours)} ({counts})")
    insight = list(sections.insight_beyond_risks(commit, words))
    risks = list(sections.risks(commit, words))
    most = _SENTENCES[commit.level]
    # What is told in full is not counted too.
    said = sections.summary(commit, words) if len(insight) > most + 1 else sections.said(commit, words)
    if summary := [*_wording(commit, words), *map(_line, said)]:
        lines.append(f"**📋 {words('summary')}**: {' '.join(summary)}")
    lines.append(f"**📂 {words('scope')}**: {_line(sections.scope(commit, words))}")
    yield "  \n".join([*lines, *_gone(commit, words)])
    yield from _items("🔍", "insight", _first(insight, most, words), words)
    yield from _items("⚠️", "risks", _first(risks, most, words), words)
    yield from _items("💡", "advice", sections.advice(commit, words), words)


def _first(lines: Sequence[Line], most: int, words: Words) -> Iterator[Line]:
    """As many sentences as a section gets, and how many more there are."""
    shown = lines if len(lines) <= most + 1 else lines[:most]
    yield from (tuple(replace(piece, text=_near(piece.text)) for piece in each) for each in shown)
    if rest := len(lines) - len(shown):
        yield (Piece(words.count("more_elsewhere", rest)),)


def _near(text: str) -> str:
    """Of the path of a deep file its end: the folders stand in the scope."""
    return f"…/{'/'.join(text.split('/')[-2:])}" if _DEEP.fullmatch(text) else text


def _wording(commit: ReportCommit, words: Words) -> Iterator[str]:
    if commit.wording is not None:
        if shown := sections.worded(commit.wording):
            yield f"{_line(shown)} *({prose(words('prose_by', model=commit.wording.model))})*"
        elif shown := sections.unworded(commit.wording, words):
            yield f"*({_line(shown)})*"


def _items(icon: str, key: str, lines: Iterable[Line], words: Words) -> Iterator[str]:
    """A section of a commit; one sentence stands beside its name, several below it."""
    shown = [_line(line) for line in lines]
    head = f"**{icon} {words(key)}**:"
    if shown:
        yield (
            f"{head} {shown[0]}" if len(shown) == 1 else "\n".join([f"{head}\n", *(f"- {s}" for s in shown)])
        )


def _line(line: Line) -> str:
    return "".join(code(piece.text) if piece.code else inline(piece.text) for piece in line)


def _gone(commit: ReportCommit, words: Words) -> Iterator[str]:
    deleted = [code(path) for path in commit.deleted]
    renamed = [f"{code(old)} → {code(new)}" for old, new in commit.renamed]
    for key, items in (("deleted", deleted), ("renamed", renamed)):
        if items:
            rest = len(items) - _FOLDERS
            more = f" {words.count('more', rest)}" if rest > 0 else ""
            yield f"**{words(key)}**: {', '.join(items[:_FOLDERS])}{more}"


def _unanalysed(report: Report, words: Words) -> Iterator[str]:
    if report.unanalysed:
        yield f"## {words('unanalysed')} ({len(report.unanalysed)})"
        yield "\n".join(f"- {code(file)}: {prose(reason)}" for file, reason in view.unread(report, words))


# Pieces


def _name(report: Report) -> str:
    if report.web is None:
        return prose(report.upstream)
    path = urlsplit(report.web).path.strip("/")
    return f"[{label(path or report.upstream)}]({_address(report.web)})"


def _subject(report: Report, commit: ReportCommit) -> str:
    if report.web is None:
        return prose(commit.subject)
    return f"[{label(commit.subject)}]({_url(report, commit.sha)})"


def _number(report: Report, commit: ReportCommit) -> str:
    """Return a commit's identifier: its pull request or short sha with a link, or the short sha alone."""
    if report.web is None:
        return code(commit.sha[:10])
    shown = f"#{commit.pr}" if commit.pr is not None else commit.sha[:10]
    return f"[{label(shown)}]({_url(report, commit.sha)})"


def _title(commit: ReportCommit) -> str:
    """Return the title of a commit: its author, and the subject in quotes."""
    return f"{prose(commit.author)}: “{prose(bare_subject(commit.subject))}”"


def _inside(report: Report, commit: ReportCommit, mark: str) -> str:
    if _is_brief(report, commit):
        return _subject(report, commit)
    return f"[{label(commit.subject)}](#{_anchor(commit)}{mark})"


def _sha(report: Report, sha: str) -> str:
    return f"[{code(sha[:10])}]({_url(report, sha)})" if report.web else code(sha[:10])


def _url(report: Report, sha: str) -> str:
    return f"{_address(report.web or '').rstrip('/')}/commit/{sha}"


def _address(url: str) -> str:
    """A URL for the target of a link: nothing in it ends the link."""
    return re.sub(r"[\s<>()\\]", lambda found: f"%{ord(found[0]):02X}", url)


def _anchor(commit: ReportCommit) -> str:
    return f"commit-{commit.sha[:12]}"
