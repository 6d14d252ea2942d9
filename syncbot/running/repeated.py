"""Runs of what fails beside one upstream and works beside another, once more on both: only what ends the same
way again counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from syncbot.running.commands import NOTHING_MEASURED, Measured, Pairing, imports, run_tests
from syncbot.running.model import Ending, FileRun

# Of what cannot be collected, so many tests are taken where it can once more.
_MOST_REPEATED = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeated:
    """``lost`` are the modules or tests that fail each time beside one upstream and work each time beside the
    other, with how they fail; ``flaky`` end otherwise now. ``lines`` are the measured ones that each lost
    test executes where it works; ``seconds`` of processor is what the tests took."""

    lost: Mapping[str, Ending] = field(default_factory=dict)
    flaky: tuple[str, ...] = ()
    lines: Mapping[str, Mapping[str, tuple[int, ...]]] = field(default_factory=dict)
    seconds: float = 0.0


def repeat_imports(works: Pairing, fails: Pairing, failed: Sequence[str]) -> Repeated:
    """The modules of ``failed`` that fail again, and are imported again where they were. Raises
    EnvironmentFailure."""
    again = imports(fails, failed, again=True) if failed else {}
    still = [name for name in failed if again[name].state == "failed"]
    once_more = imports(works, still, again=True) if still else {}
    lost = {name: again[name] for name in still if once_more[name].state == "passed"}
    return Repeated(lost=lost, flaky=tuple(name for name in failed if name not in lost))


def repeat_tests(
    works: Pairing,
    fails: Pairing,
    file: str,
    passed: Sequence[str],
    failed: Sequence[str],
    measured: Measured = NOTHING_MEASURED,
) -> Repeated:
    """The tests of a file that fail again, and pass again where they passed. What cannot be collected stands
    for all tests in it. Raises EnvironmentFailure."""
    whole = any(name not in passed for name in failed)
    chosen = passed[:_MOST_REPEATED] if whole else failed
    after = run_tests(fails, file, chosen, again=True)
    again = after.of("failed")
    still = [name for name in failed if name in again]
    asked = NOTHING_MEASURED if whole else measured
    once_more = run_tests(works, file, chosen, asked, again=True) if still else FileRun()
    steady = once_more.of("passed")
    lost = [name for name in still if name in steady or (name not in passed and steady)]
    return Repeated(
        lost={name: again[name] for name in lost},
        flaky=tuple(name for name in failed if name not in lost),
        lines={name: once_more.lines.get(name, {}) for name in lost},
        seconds=after.seconds + once_more.seconds,
    )
