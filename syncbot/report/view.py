"""A report in the order that all formats share: impacts by commit, commits by importance, the headline."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from syncbot.accepting.acceptance import KNOWN
from syncbot.impact.importance import LEVELS, Level
from syncbot.impact.model import Impact, Location, Verdict, by_commit
from syncbot.report import names
from syncbot.report.catalogue import Words
from syncbot.report.evidence import Shown
from syncbot.report.impact_words import message, reason
from syncbot.report.model import Report, ReportCommit
from syncbot.report.our_lines import OurLine, by_line
from syncbot.report.untrusted_text import one_line

# Of what is gone as a whole, so many lines are shown.
_LONG = 20
# So many names are shown of a list.
_NAMES = 3
SHOWN = (Verdict.BREAKS, Verdict.AT_RISK, Verdict.DRIFT)


@dataclass(frozen=True, slots=True)
class Culprit:
    """An upstream commit with its impacts; ``commit`` is None where no single commit is known."""

    sha: str
    commit: ReportCommit | None
    impacts: tuple[Impact, ...]

    @property
    def lines(self) -> tuple[OurLine, ...]:
        """The impacts by the line of ours that each names first."""
        return by_line(self.impacts)


def own(report: Report, verdict: Verdict) -> list[Impact]:
    """The impacts of that verdict on the backend's sources (not on its tests alone)."""
    return [i for i in report.impacts if i.verdict is verdict and not i.tests_only]


def in_tests(report: Report) -> list[Impact]:
    """The impacts on the backend's tests alone, harmless ones left out."""
    return [i for i in report.impacts if i.tests_only and i.verdict in SHOWN]


def culprits(report: Report, impacts: Iterable[Impact]) -> list[Culprit]:
    """Impacts by guilty commit, in the order of the report's commits; those of no known commit last."""
    groups, commits = by_commit(impacts), report.by_sha
    known = [sha for sha in commits if sha in groups]
    others = [sha for sha in groups if sha not in commits]
    return [Culprit(sha, commits.get(sha), tuple(groups[sha])) for sha in known + others]


def of_level(report: Report, level: str) -> list[ReportCommit]:
    """The commits of one importance, in the report's order."""
    return [c for c in report.commits if c.level == level]


def level_for_us(impacts: Iterable[Impact]) -> Level:
    """How important a commit is for the backend: high if it breaks our sources, medium for a risk to them or
    broken tests, low otherwise."""
    verdicts = {(i.verdict, i.tests_only) for i in impacts}
    if (Verdict.BREAKS, False) in verdicts:
        return "high"
    medium = {(Verdict.AT_RISK, False), (Verdict.BREAKS, True)}
    return "medium" if verdicts & medium else "low"


def places(impacts: Iterable[Impact]) -> list[Location]:
    """Every place of the backend that impacts name, once, sorted."""
    return sorted({place for impact in impacts for place in impact.locations})


def headline(report: Report, words: Words) -> str:
    """Whether anything breaks the backend, and how much; and that files were not analysed, if so. That an
    engine could not finish comes first, that the backend is not made for the older end, and that hardly
    anything was compared."""
    said = _breaking(report, words)
    if (unfit := misfit(report, words)) is not None:
        said = f"{unfit}{words('gap')}{said}"
    if report.unfinished:
        said = f"{words('gap').join(unfinished(report, words))}{words('gap')}{said}"
    if (thin := thinness(report, words)) is not None:
        said = f"{thin}{words('gap')}{said}"
    if not report.unanalysed:
        return said
    return f"{said}{words('gap')}{words.count('not_all', len(report.unanalysed))}"


def misfit(report: Report, words: Words) -> str | None:
    """Return the imports that the older end lacks, and the version that fits best; None if it fits."""
    found = report.misfit
    if found is None:
        return None
    shown = words("list_and").join(map(one_line, found.lacking[:_NAMES]))
    if more := len(found.lacking[_NAMES:]):
        shown = f"{shown} {words.count('more', more)}"
    word = "fits_none" if not found.best else "fits_best" if found.best_lacks else "fits_whole"
    best = words(word, version=names.end_of(report, found.best), n=found.best_lacks)
    old, _ = names.ends(report)
    return words.count(
        "misfit", len(found.lacking), own=_capital(own_name(report, words)), old=old, names=shown, best=best
    )


def unfinished(report: Report, words: Words) -> list[str]:
    """Which engines could not finish, and why, a sentence each: what they would tell is lacking."""
    return [words("unfinished", engine=one.name, why=one_line(one.reason)) for one in report.unfinished]


def thinness(report: Report, words: Words) -> str | None:
    """That few files rely on upstream, and whether the report says nothing then; None where enough do."""
    covered = report.coverage
    if covered is None or not covered.is_thin:
        return None
    files = words.count("files", covered.files)
    key = "few_relying" if report.says_nothing else "few_named"
    return words.count(key, covered.relying, files=files, upstream=one_line(report.upstream))


def unjudged(report: Report, words: Words) -> str | None:
    """Return a sentence that counts the uses nobody could judge; None if there are none, or no count."""
    covered = report.coverage
    if covered is None or not covered.objects + covered.unknown:
        return None
    own = own_name(report, words)
    objects = words.count("unjudged_objects", covered.objects, own=own) if covered.objects else ""
    imports = words.count("unjudged_imports", covered.unknown) if covered.unknown else ""
    shown = words("and").join(filter(None, (objects, imports)))
    command = report.commands.unjudged
    return words("unjudged", what=shown) + (words("to_see_them", command=command) if command else "")


def rest(report: Report, number: int, words: Words) -> str:
    """How many more there are, and the command that shows them."""
    command = report.commands.whole
    return words.count("more", number) + (words("to_see", command=command) if command else "")


def accepted(report: Report, words: Words) -> list[str]:
    """How many findings are known, and how many of these are gone; how many are accepted, by what, and each
    rule that accepts nothing; a line each."""
    found = report.acceptance
    if found is None:
        return []
    counts = Counter(each.by for each in found.accepted if each.by != KNOWN)
    lines = []
    if number := len(known(report)):
        lines.append(words.count("known", number, file=one_line(found.known_by or "")))
    if found.gone:
        number = len({each.id for each in found.gone})
        lines.append(words.count("known_gone", number, file=one_line(found.known_by or "")))
    shown = words("list_and").join(words(f"accepted_{by}", n=n) for by, n in sorted(counts.items()))
    if counts:
        number = len({each.impact.id for each in found.accepted if each.by != KNOWN})
        lines.append(words("accepted", n=number, how=shown))
    return [*lines, *(words("stale", what=what) for what in found.stale)]


def known(report: Report) -> list[Impact]:
    """The impacts that the file of known findings has, as far as it has them."""
    found = report.acceptance
    return [each.impact for each in found.accepted if each.by == KNOWN] if found is not None else []


def own_name(report: Report, words: Words) -> str:
    """Return the name of the sources that a report is about: backend or project."""
    return words("own_backend" if report.is_backend else "own_project")


def tests_heading(report: Report, words: Words) -> str:
    """The heading above what meets tests alone."""
    return words("in_tests", own=own_name(report, words))


def _capital(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"


def _breaking(report: Report, words: Words) -> str:
    own_ = own_name(report, words)
    breaks = own(report, Verdict.BREAKS)
    if not report.commits and not breaks and report.newest_release is not None:
        name, moment, source = report.newest_release
        return words(
            "no_releases", upstream=one_line(report.upstream), since=names.end(report.old_name, report.old),
            last=one_line(name), day=f"{moment:%Y-%m-%d}", source=one_line(source),
        )  # fmt: skip
    if not report.commits and not breaks:
        old, new = names.ends(report)
        return names.term(report, "no_commits", words, old=old, new=new)
    if not breaks and any(impact.verdict is Verdict.BREAKS for impact in known(report)):
        return words("nothing_new_breaks", own=own_, commits=names.counted(report, words))
    if not breaks:
        alone = report.commits[0].release if len(report.commits) == 1 else ""
        if alone:
            return words("nothing_breaks_alone", own=own_, release=one_line(alone))
        return words("nothing_breaks", own=own_, commits=names.counted(report, words))
    lines = words.count("lines", len({(p.file, p.line) for p in places(breaks)}))
    guilty = {i.commit for i in breaks} & {c.sha for c in report.commits}
    if not guilty:
        return words("guiltless_break", own=own_, lines=lines)
    if len(report.commits) == 1 and report.commits[0].release:
        return words("breaks_alone", own=own_, release=one_line(report.commits[0].release), lines=lines)
    return words.count("some_break", len(guilty), own=own_, all=names.counted(report, words), lines=lines)


def last_word(report: Report, words: Words) -> tuple[str, str] | None:
    """Return a sentence on the breaks and how many of them can be rewritten, and the command for it, which is
    empty if there is none; None if nothing breaks."""
    breaks = own(report, Verdict.BREAKS)
    if not breaks:
        return None
    lines = words.count("lines", len({(p.file, p.line) for p in places(breaks)}))
    files = words.count("files", len({p.file for p in places(breaks)}))
    mended = sum(i.fix is not None for i in breaks)
    said = words(
        "last_word", lines=lines, files=files, n=mended, breaks=words.count("counted_breaks", len(breaks))
    )
    return (f"{said}:", report.commands.mending) if report.commands.mending else (f"{said}.", "")


def size(commit: ReportCommit, words: Words) -> str:
    """How many files of which kind, and how many lines of each."""
    kinds = []
    for kind, count in commit.kinds.items():
        lines = commit.lines.get(kind)
        counted = f" +{lines[0]} \u2212{lines[1]}" if lines and any(lines) else ""
        kinds.append(f"{words(f'kind_{kind}')} {count}{counted}")
    files = words.count("files", len(commit.files))
    return f"{files} ({words('list_and').join(kinds)})" if kinds else files


def removal(shown: Shown, commit: ReportCommit | None, words: Words) -> str:
    """That something long is gone as a whole, in one line: its first lines would not tell. Else empty."""
    gone = shown.gone
    if not gone or (gone < _LONG and not any(i.kind.startswith("module-") for i, _ in shown.impacts)):
        return ""
    symbol, lines = one_line(shown.impacts[0][0].symbol), words.count("lines", gone)
    if commit is None:
        return words("removed_whole", symbol=symbol, lines=lines)
    by = names.named(commit) if commit.release else f"{names.named(commit)} ({one_line(commit.author)})"
    return words("removed_whole_by", symbol=symbol, lines=lines, by=by)


def by_file(found: Iterable[Location]) -> list[str]:
    """Places in few words: each file once, with its lines."""
    files: dict[str, list[str]] = {}
    for place in found:
        files.setdefault(place.file, []).append(str(place.line))
    return [one_line(f"{file}:{', '.join(dict.fromkeys(lines))}") for file, lines in files.items()]


def meant(report: Report, commit: ReportCommit, words: Words) -> str:
    """How many of our lines a commit breaks, and how many findings of which verdict else; empty for none."""
    found = [i for i in report.by_commit.get(commit.sha, ()) if not i.tests_only]
    broken = len({(p.file, p.line) for p in places(i for i in found if i.verdict is Verdict.BREAKS)})
    told = [words("breaks_lines", lines=words.count("lines", broken))] if broken else []
    milder = counted((i.verdict for i in found if i.verdict is not Verdict.BREAKS), words)
    return words("list_and").join([*told, milder] if milder else told)


def counted(verdicts: Iterable[Verdict], words: Words) -> str:
    """How many there are of which verdict, the worst first; empty for none that is shown."""
    counts = Counter(verdicts)
    return words("list_and").join(words.count(f"counted_{v}", counts[v]) for v in SHOWN if counts[v])


def marks(reports: Iterable[Report]) -> list[str]:
    """Return the marks by which the next report finds this one: hidden comments, in one block."""
    lines = [report.covered.mark() for report in reports if report.covered is not None]
    return ["\n".join(lines)] if lines else []


def levels(report: Report) -> dict[str, int]:
    """How many commits have which importance."""
    return {level: len(of_level(report, level)) for level in LEVELS}


def testimony(impact: Impact, words: Words) -> str:
    """Return the result of a witness, empty if none was run."""
    told = impact.testimony
    return "" if told is None else f"{words(told.outcome)}: {reason(told.why, words.language)}"


def mend(impact: Impact, words: Words) -> str:
    """The rewrites that would mend an impact, and what they leave open; or that somebody has to write one."""
    if impact.fix is None:
        return ": ".join(filter(None, (words("needs_author"), reason(impact.no_fix, words.language))))
    rules = dict.fromkeys((impact.fix.rule, *(further.rule for further in impact.fix.also)))
    notes = (reason(note, words.language) for note in impact.fix.notes)
    return "; ".join((words("rewrite", rule=words("list_and").join(rules)), *notes))


def unread(report: Report, words: Words) -> list[tuple[str, str]]:
    """The files that were not analysed, each with the reason."""
    return [(file, reason(why, words.language)) for file, why in report.unanalysed]


def happens(impact: Impact, words: Words) -> str:
    """Return the effect of a change on us."""
    return message(impact, words.language)
