"""The report on a run of tests: counts, differences by cause, and which of them reading had predicted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from syncbot.patching.registry import Rule
from syncbot.report.untrusted_text import printable
from syncbot.suites.case import Class
from syncbot.suites.classes import Classed, Decision, counted
from syncbot.suites.differences import Difference
from syncbot.suites.pointed import Pointed
from syncbot.suites.proposed_tests import Proposed
from syncbot.verify.suite.outcomes import SuiteOutcome

#: With any of these a lane is not done.
_OPEN: tuple[Class, ...] = ("lane", "undecided")


@dataclass(frozen=True, slots=True)
class SuiteReport:
    """The tests of a lane or release. ``before`` are those of the release, None for the release itself;
    ``compared`` are all differences, ``groups`` the same by cause, ``pointed`` where groups lead, by message
    and place. ``unused`` are decisions of groups that are there no more; a ``part`` are some tests alone;
    ``proposed`` are changes of tests."""

    tag: str
    suite: SuiteOutcome
    before: SuiteOutcome | None = None
    release: str = ""
    compared: tuple[Difference, ...] = ()
    groups: tuple[Classed, ...] = ()
    pointed: Mapping[tuple[str, str], Pointed] = field(default_factory=dict)
    unused: tuple[Decision, ...] = ()
    part: bool = False
    proposed: Proposed | None = None

    @property
    def differences(self) -> dict[Class, int]:
        """How many differences there are of each class."""
        return counted(self.groups)

    @property
    def passed(self) -> bool:
        """Whether the release's tests pass, or all that a lane loses is the tests' or the environment's."""
        if self.before is None:
            return not any(self.suite.counts.get(each) for each in ("fail", "error", "over", "crash"))
        return not any(each in self.differences for each in _OPEN)

    @property
    def counts(self) -> str:
        """The counts in one line."""
        counts = self.suite.counts
        told = [f"{counts.get('pass', 0):,} of {sum(counts.values()):,} tests pass"]
        told += [f"{number:,} {outcome}" for outcome, number in counts.items() if outcome != "pass"]
        line = ", ".join(told)
        if self.before is None:
            return line
        passing = self.before.counts.get("pass", 0)
        kept = passing - len(self.compared)
        classes = ", ".join(f"{number:,} {class_}" for class_, number in self.differences.items())
        line += f"; of {passing:,} that pass on {self.release} {kept:,} do here"
        return f"{line}; differences: {classes}" if classes else line

    def as_text(self) -> str:
        """All of it, line by line; what others wrote is made harmless."""
        status = "pass" if self.passed else "fail"
        known = f" ({self.suite.known} of {len(self.suite.files)} files known)" if self.suite.known else ""
        part = "  only a part: nothing is recorded" if self.part else ""
        lines = [f"{self.tag}  tests  {status}{known}  {self.counts}{part}"]
        if self.before is None:
            lines += self._failing()
        told = [each for each in self.groups if self._of(each).findings]
        untold = [each for each in self.groups if not self._of(each).findings]
        lines += self._listed("a finding told:", told)
        lines += self._listed("no finding told:", untold)
        lines += [
            f"  decided, and there no more: {each.cause}  ({each.where or 'no place'})"
            for each in self.unused
        ]
        lines += [f"  {line}" for line in (self.proposed.lines if self.proposed is not None else ())]
        return "\n".join(printable(line) for line in lines)

    def rewrites(self, groups: Iterable[Classed]) -> list[Rule]:
        """The rewrites that follow what is shown of groups, and their findings, each once."""
        found = (rule for each in groups for rule in (*each.rewrites, *self._of(each).rewrites))
        return list(dict.fromkeys(found))

    def _of(self, each: Classed) -> Pointed:
        return self.pointed.get((each.group.message, each.group.where), Pointed())

    def _failing(self) -> Iterator[str]:
        for test in self.suite.tests:
            if test.outcome not in ("pass", "skip") and test.cause is not None:
                yield f"  {test.outcome}  {test.node}  {test.cause.first_line}"

    def _listed(self, head: str, groups: Sequence[Classed]) -> Iterator[str]:
        if groups:
            yield f"  {head}"
        for each in groups:
            group, reason = each.group, f"  ({each.reason})" if each.reason else ""
            yield f"    {len(group.differences)}  {each.class_}  {group.message}{reason}"
            more = f" and {len(group.elsewhere)} more" if group.elsewhere else ""
            yield f"      at {group.where or 'no known place'}{more}, such as {group.differences[0].node}"
            found = self._of(each)
            if found.change:
                yield f"      {found.change}"
            yield from (f"      finding {line}" for line in found.findings)
