"""Modules and tests that work on the older end and fail on the newer, each time they are run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from syncbot.running.budget import within
from syncbot.running.commands import Measured, Pairing, imports, run_tests
from syncbot.running.model import Ending, FileRun
from syncbot.running.repeated import Repeated, repeat_imports, repeat_tests
from syncbot.upstream.model import Meter


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """``modules`` and ``tests`` are lost, with how they end on the newer end; ``imported`` modules work on
    the older one, ``passed`` tests do, ``ran`` of these were run on the newer. ``lines`` are the measured
    ones that each lost test executed on the older. ``uncollected`` are files of tests of which the older end
    runs none, with how that ended. For the others see `syncbot.impact.runs.RunSummary`."""

    imported: int = 0
    modules: Mapping[str, Ending] = field(default_factory=dict)
    passed: int = 0
    ran: int = 0
    tests: Mapping[str, Ending] = field(default_factory=dict)
    lines: Mapping[str, Mapping[str, tuple[int, ...]]] = field(default_factory=dict)
    uncollected: Mapping[str, Ending] = field(default_factory=dict)
    flaky: tuple[str, ...] = ()
    hanging: tuple[str, ...] = ()
    gone: int = 0
    files_left: int = 0


@dataclass(frozen=True, slots=True)
class _OnNewer:
    """A file of tests on the newer end: those that ``passed`` on the older, and what failed, again."""

    passed: Sequence[str]
    after: FileRun
    again: Repeated

    @property
    def seconds(self) -> float:
        return self.after.seconds + self.again.seconds

    @property
    def gone(self) -> int:
        """The tests that are not there, or are skipped; none where the file could not be collected."""
        failed = self.after.of("failed")
        seen = {*failed, *self.after.of("hung", "passed")}
        return sum(name not in seen for name in self.passed) if failed.keys() <= {*self.passed} else 0


@dataclass(frozen=True, slots=True)
class _Imports:
    working: int
    lost: Mapping[str, Ending]
    flaky: tuple[str, ...]
    hanging: tuple[str, ...]


def compared(
    old: Pairing, new: Pairing, files: Sequence[str], budget: float, measured: Measured, meter: Meter
) -> Compared:
    """Import all modules and run files of tests on both ends. The tests may use ``budget`` seconds of
    processor, half of it for the first run on the older end; what was run before counts as it did then, so
    that the same budget gives the same answer. Raises EnvironmentFailure."""
    modules = _imports(old, new, meter)
    name = "tests on the older end"
    before = dict(within(files, budget / 2, lambda file: run_tests(old, file, None, measured), name, meter))
    left = budget - sum(each.seconds for each in before.values())
    found = list(_on_newer(old, new, before, left, measured, meter))
    hanging = [name for each in before.values() for name in each.of("hung")]
    return Compared(
        imported=modules.working,
        modules=modules.lost,
        passed=sum(len(each.of("passed")) for each in before.values()),
        ran=sum(len(each.passed) for each in found),
        tests={name: ending for each in found for name, ending in each.again.lost.items()},
        lines={name: lines for each in found for name, lines in each.again.lines.items()},
        uncollected={
            file: each.of("failed")[file] for file, each in before.items() if file in each.of("failed")
        },
        flaky=(*modules.flaky, *(name for each in found for name in each.again.flaky)),
        hanging=(*modules.hanging, *hanging, *(name for each in found for name in each.after.of("hung"))),
        gone=sum(each.gone for each in found),
        files_left=len(files) - len(before),
    )


def _imports(old: Pairing, new: Pairing, meter: Meter) -> _Imports:
    modules = old.project.modules
    meter("imports", 0, 2 * len(modules))
    before = imports(old, modules)
    working = [name for name in modules if before[name].state == "passed"]
    meter("imports", len(modules), 2 * len(modules))
    after = imports(new, working) if working else {}
    failed = [name for name in working if after[name].state == "failed"]
    again = repeat_imports(old, new, failed)
    meter("imports", 2 * len(modules), 2 * len(modules))
    hanging = (name for end in (before, after) for name, ending in end.items() if ending.state == "hung")
    return _Imports(len(working), again.lost, again.flaky, tuple(hanging))


def _on_newer(
    old: Pairing,
    new: Pairing,
    before: Mapping[str, FileRun],
    budget: float,
    measured: Measured,
    meter: Meter,
) -> Iterator[_OnNewer]:
    """The same files on the newer end, those that executed most of what changed first. What fails there is
    run again on both."""
    passed = {file: sorted(run.of("passed")) for file, run in before.items() if run.of("passed")}
    order = sorted(passed, key=lambda file: -_weight(before[file]))

    def run(file: str) -> _OnNewer:
        after = run_tests(new, file, passed[file])
        failed = sorted(after.of("failed"))
        again = repeat_tests(old, new, file, passed[file], failed, measured) if failed else Repeated()
        return _OnNewer(passed[file], after, again)

    return (done for _, done in within(order, budget, run, "tests on the newer end", meter))


def _weight(run: FileRun) -> int:
    """How many of the lines in question a file executed."""
    return sum(len(lines) for files in run.lines.values() for lines in files.values())
