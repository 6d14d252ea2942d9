"""A project's modules and tests beside several releases of upstream: what fails beside some and works beside
others, and what works beside none."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from syncbot.running.budget import at_once, within
from syncbot.running.commands import Pairing, imports, run_tests
from syncbot.running.model import Ending, FileRun
from syncbot.running.repeated import Repeated, repeat_imports, repeat_tests
from syncbot.upstream.model import Meter


@dataclass(frozen=True, slots=True, kw_only=True)
class OnRelease:
    """A project beside one release: ``modules`` and ``tests`` are how many work; the ``lost`` ones fail
    each time, and work beside another release. ``tests_missed`` are the tests of those files in
    ``tests_lost`` that cannot be collected, by the file. What is flaky or reaches a limit is in none of
    these."""

    modules: int = 0
    modules_lost: Mapping[str, Ending] = field(default_factory=dict)
    tests: int = 0
    tests_lost: Mapping[str, Ending] = field(default_factory=dict)
    tests_missed: Mapping[str, int] = field(default_factory=dict)
    flaky: tuple[str, ...] = ()
    hanging: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class OnReleases:
    """The results by the names of the releases. ``dead_modules`` and ``dead_tests`` fail beside some of them
    and work beside none, with how they fail, by release; ``files_left`` files of tests were not begun."""

    releases: Mapping[str, OnRelease]
    dead_modules: Mapping[str, Mapping[str, Ending]] = field(default_factory=dict)
    dead_tests: Mapping[str, Mapping[str, Ending]] = field(default_factory=dict)
    files_left: int = 0


@dataclass(frozen=True, slots=True)
class _File:
    """A file of tests beside each release, and what failed beside some, again: by the release."""

    runs: Mapping[str, FileRun]
    again: Mapping[str, Sequence[Repeated]]

    @property
    def seconds(self) -> float:
        """The seconds of processor of all."""
        repeated = (each.seconds for several in self.again.values() for each in several)
        return sum(run.seconds for run in self.runs.values()) + sum(repeated)


def on_releases(
    pairings: Mapping[str, Pairing], files: Sequence[str], budget: float, meter: Meter
) -> OnReleases:
    """Import all modules and run files of tests beside each release, a file beside all of them before the
    next one. The tests may use ``budget`` seconds of processor together; what was run before counts as it did
    then, so that the same budget gives the same answer. Raises EnvironmentFailure."""
    if not pairings:
        return OnReleases(releases={}, files_left=len(files))
    modules = _imports(pairings, meter)
    again = {name: _imports_again(pairings, modules, name) for name in pairings}
    ran = dict(within(files, budget, lambda file: _file(pairings, file), "tests on the releases", meter))
    releases = {name: _release(name, modules, again[name], ran) for name in pairings}
    return OnReleases(
        releases=releases,
        dead_modules=_nowhere(modules),
        dead_tests={
            name: endings
            for file, each in ran.items()
            for name, endings in _nowhere({r: run.endings for r, run in each.runs.items()}).items()
            # What is not collected beside one release alone is lost there.
            if name != file or not any(run.of("passed") for run in each.runs.values())
        },
        files_left=len(files) - len(ran),
    )


def _imports(pairings: Mapping[str, Pairing], meter: Meter) -> dict[str, Mapping[str, Ending]]:
    """How each module's import ends, by release."""
    found: dict[str, Mapping[str, Ending]] = {}
    with ThreadPoolExecutor(at_once()) as pool:
        meter("imports on the releases", 0, len(pairings))
        ended = pool.map(lambda one: imports(one, one.project.modules), pairings.values())
        for number, (name, endings) in enumerate(zip(pairings, ended, strict=True), 1):
            found[name] = endings
            meter("imports on the releases", number, len(pairings))
    return found


def _imports_again(
    pairings: Mapping[str, Pairing], modules: Mapping[str, Mapping[str, Ending]], name: str
) -> list[Repeated]:
    works = {other: _of(endings, "passed") for other, endings in modules.items()}
    failed = _of(modules[name], "failed")
    return [
        repeat_imports(pairings[other], pairings[name], several)
        for other, several in _by_nearest(name, sorted(failed), works).items()
    ]


def _file(pairings: Mapping[str, Pairing], file: str) -> _File:
    runs = {name: run_tests(pairing, file) for name, pairing in pairings.items()}
    # A file that is collected and of which something passes works as such.
    works = {
        name: {*run.of("passed"), *([file] if run.of("passed") and file not in run.endings else ())}
        for name, run in runs.items()
    }
    again = {
        name: [
            repeat_tests(
                pairings[other], pairings[name], file, sorted(runs[other].of("passed")), several
            )
            for other, several in _by_nearest(name, sorted(run.of("failed")), works).items()
        ]
        for name, run in runs.items()
    }  # fmt: skip
    return _File(runs, again)


def _by_nearest(
    name: str, failed: Sequence[str], works: Mapping[str, Collection[str]]
) -> dict[str, list[str]]:
    """The failures beside a release, by the nearest other one beside which they work; without what works
    nowhere."""
    order = list(works)
    near = sorted(order, key=lambda other: abs(order.index(other) - order.index(name)))
    found: dict[str, list[str]] = {}
    for each in failed:
        other = next((other for other in near if each in works[other]), None)
        if other is not None:
            found.setdefault(other, []).append(each)
    return found


def _release(
    name: str,
    modules: Mapping[str, Mapping[str, Ending]],
    again: Sequence[Repeated],
    ran: Mapping[str, _File],
) -> OnRelease:
    runs = {file: each.runs[name] for file, each in ran.items()}
    repeated = [*again, *(one for each in ran.values() for one in each.again[name])]
    tests_lost = dict(_lost(one for each in ran.values() for one in each.again[name]))
    hung = [*_of(modules[name], "hung"), *(test for run in runs.values() for test in run.of("hung"))]
    return OnRelease(
        modules=len(_of(modules[name], "passed")),
        modules_lost=dict(_lost(again)),
        tests=sum(len(run.of("passed")) for run in runs.values()),
        tests_lost=tests_lost,
        tests_missed={
            file: max(len(run.of("passed")) for run in ran[file].runs.values())
            for file in tests_lost
            if file in ran
        },
        flaky=tuple(sorted(each for one in repeated for each in one.flaky)),
        hanging=tuple(sorted(hung)),
    )


def _lost(several: Iterator[Repeated] | Sequence[Repeated]) -> Iterator[tuple[str, Ending]]:
    found = {name: ending for each in several for name, ending in each.lost.items()}
    yield from sorted(found.items())


def _nowhere(endings: Mapping[str, Mapping[str, Ending]]) -> dict[str, dict[str, Ending]]:
    """The failures beside some releases of what works beside none, by name and release."""
    failed: dict[str, dict[str, Ending]] = {}
    for release, each in endings.items():
        for name, ending in _of(each, "failed").items():
            failed.setdefault(name, {})[release] = ending
    works = {name for each in endings.values() for name in _of(each, "passed")}
    return {name: failed[name] for name in sorted(failed.keys() - works)}


def _of(endings: Mapping[str, Ending], state: str) -> dict[str, Ending]:
    return {name: ending for name, ending in endings.items() if ending.state == state}
