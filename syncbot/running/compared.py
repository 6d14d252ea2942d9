"""What works on the older end and fails on the newer, each time it is run."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from syncbot.running.commands import NOTHING_MEASURED, Measured, Stand, imports, run_tests
from syncbot.running.model import Ending, FileRun
from syncbot.upstream.model import Meter
from syncbot.verify.memory_bound_pool import room

# Of what cannot be collected, so many tests are taken on the older end once more.
_MOST_REPEATED = 50
#: What a process of tests may need.
_BYTES = 3 << 30


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


@dataclass(slots=True)
class _Found:
    tests: dict[str, Ending] = field(default_factory=dict)
    lines: dict[str, Mapping[str, tuple[int, ...]]] = field(default_factory=dict)
    flaky: list[str] = field(default_factory=list)
    hanging: list[str] = field(default_factory=list)
    ran: int = 0
    gone: int = 0


@dataclass(frozen=True, slots=True)
class _Imports:
    working: int
    lost: Mapping[str, Ending]
    flaky: tuple[str, ...]
    hanging: tuple[str, ...]


def compared(
    old: Stand, new: Stand, files: Sequence[str], budget: float, measured: Measured, meter: Meter
) -> Compared:
    """Import all modules and run files of tests on both ends. The tests may use ``budget`` seconds of
    processor, half of it on the older end; what was run before counts as it did then, so that the same budget
    gives the same answer. Raises EnvironmentFailure."""
    modules = _imports(old, new, meter)
    before = dict(
        _within(files, budget / 2, lambda file: run_tests(old, file, None, measured), "older", meter)
    )
    left = budget - sum(each.seconds for each in before.values())
    found = _on_newer(old, new, before, left, measured, meter)
    hanging = [name for each in before.values() for name in each.of("hung")]
    return Compared(
        imported=modules.working,
        modules=modules.lost,
        passed=sum(len(each.of("passed")) for each in before.values()),
        ran=found.ran,
        tests=found.tests,
        lines=found.lines,
        uncollected={
            file: each.of("failed")[file] for file, each in before.items() if file in each.of("failed")
        },
        flaky=(*modules.flaky, *found.flaky),
        hanging=(*modules.hanging, *hanging, *found.hanging),
        gone=found.gone,
        files_left=len(files) - len(before),
    )


def _imports(old: Stand, new: Stand, meter: Meter) -> _Imports:
    modules = old.project.modules
    meter("imports", 0, 2 * len(modules))
    before = imports(old, modules)
    working = [name for name in modules if before[name].state == "passed"]
    meter("imports", len(modules), 2 * len(modules))
    after = imports(new, working) if working else {}
    failed = [name for name in working if after[name].state == "failed"]
    again = imports(new, failed, again=True) if failed else {}
    still = [name for name in failed if again[name].state == "failed"]
    once_more = imports(old, still, again=True) if still else {}
    lost = {name: again[name] for name in still if once_more[name].state == "passed"}
    meter("imports", 2 * len(modules), 2 * len(modules))
    return _Imports(
        len(working),
        lost,
        tuple(name for name in failed if name not in lost),
        tuple(name for end in (before, after) for name, ending in end.items() if ending.state == "hung"),
    )


def _within(
    files: Sequence[str], budget: float, run: Callable[[str], FileRun], end: str, meter: Meter
) -> Iterator[tuple[str, FileRun]]:
    """The files that a budget has room for, in their order, with how they end; as many are run at once as
    there are processors and memory for."""
    at_once = min(len(os.sched_getaffinity(0)), room(_BYTES))
    spent = 0.0
    with ThreadPoolExecutor(at_once) as pool:
        for first in range(0, len(files), at_once):
            meter(f"tests on the {end} end", first, len(files))
            several = files[first : first + at_once]
            for file, done in zip(several, list(pool.map(run, several)), strict=True):
                if spent >= budget:
                    return
                spent += done.seconds
                yield file, done
            if spent >= budget:
                break
    meter(f"tests on the {end} end", len(files), len(files))


def _on_newer(
    old: Stand,
    new: Stand,
    before: Mapping[str, FileRun],
    budget: float,
    measured: Measured,
    meter: Meter,
) -> _Found:
    """The same files on the newer end, those that executed most of what changed first."""
    passed = {file: sorted(run.of("passed")) for file, run in before.items() if run.of("passed")}
    order = sorted(passed, key=lambda file: -_weight(before[file]))
    found = _Found()
    done = _within(order, budget, lambda file: run_tests(new, file, passed[file]), "newer", meter)
    for file, after in done:
        found.ran += len(passed[file])
        found.hanging += after.of("hung")
        failed = after.of("failed")
        if failed.keys() <= {*passed[file]}:
            seen = {*failed, *after.of("hung", "passed")}
            found.gone += sum(name not in seen for name in passed[file])
        if failed:
            _repeated(old, new, file, passed[file], sorted(failed), measured, found)
    return found


def _repeated(
    old: Stand,
    new: Stand,
    file: str,
    passed: Sequence[str],
    failed: Sequence[str],
    measured: Measured,
    found: _Found,
) -> None:
    """Take those that fail on the newer end once more, and pass on the older once more, as lost. What cannot
    be collected stands for all tests in it."""
    whole = any(name not in passed for name in failed)
    chosen = passed[:_MOST_REPEATED] if whole else failed
    again = run_tests(new, file, chosen, again=True).of("failed")
    still = [name for name in failed if name in again]
    asked = NOTHING_MEASURED if whole else measured
    once_more = run_tests(old, file, chosen, asked, again=True) if still else FileRun()
    steady = once_more.of("passed")
    for name in failed:
        if name in again and (name in steady or (name not in passed and steady)):
            found.tests[name] = again[name]
            found.lines[name] = once_more.lines.get(name, {})
        else:
            found.flaky.append(name)


def _weight(run: FileRun) -> int:
    """How many of the lines in question a file executed."""
    return sum(len(lines) for files in run.lines.values() for lines in files.values())
