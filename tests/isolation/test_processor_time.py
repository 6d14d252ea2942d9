from __future__ import annotations

import os
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from syncbot.isolation.processor_time import Limits, Look, Watch, look
from syncbot.isolation.run_command import Finished, run

#: Writes which process it is, and works: long enough for every limit here, and not for ever.
SPINS = "import os\nwith open('spins', 'w') as file: file.write(str(os.getpid()))\nwhile os.times().user < 20: pass"


@pytest.fixture
def limits(tmp_path: Path) -> Limits:
    return Limits(processor=900.0, idle=600.0, progress=tmp_path / "result")


def reached(limits: Limits, *looks: tuple[float, float, int | None]) -> list[str | None]:
    watch = Watch(limits, Look(0.0, 0.0, None))
    return [watch.reached(Look(*each)) for each in looks]


def test_a_busy_machine_is_no_limit(limits: Limits) -> None:
    # Twenty hours on the clock, of which this command got 890 s.
    looks = [(float(clock), 890 * clock / 72_000, None) for clock in range(0, 72_000, 300)]
    assert set(reached(limits, *looks)) == {None}


def test_processor_time_counts_from_the_last_progress(limits: Limits) -> None:
    first, second, third = reached(limits, (10, 800.0, 1), (20, 1600.0, 1), (30, 1701.0, 1))
    assert (first, second) == (None, None)
    assert third == "not done after 900 s of processor time"


def test_what_sleeps_for_ever_is_told_as_such(limits: Limits) -> None:
    # A look at the watch now and then is no work.
    assert reached(limits, (590, 1.0, None), (601, 1.1, None)) == [
        None,
        "used no processor time for 600 s",
    ]
    assert reached(limits, (590, 10.0, None), (1180, 20.0, None)) == [None, None]


def test_time_of_a_process_that_ended_unnoticed_stays_used(limits: Limits) -> None:
    assert reached(limits, (10, 500.0, None), (20, 100.0, None), (30, 1000.0, None))[-1] is not None


def ran(program: str, folder: Path, processor: float, idle: float) -> Finished:
    limits = Limits(processor, idle, folder / "result")
    command = [sys.executable, "-c", program]
    return run(command, folder / "log", environment=os.environ, folder=folder, limits=limits)


@pytest.mark.long
@pytest.mark.parametrize(
    "program",
    [
        SPINS,
        f"import subprocess, sys; subprocess.run([sys.executable, '-c', {SPINS!r}])",
        # In a session of its own, as servers are started.
        f"import subprocess, sys; subprocess.run([sys.executable, '-c', {SPINS!r}], start_new_session=True)",
    ],
    ids=["itself", "a child", "a child in another session"],
)
def test_processor_time_of_the_command_and_its_children_is_limited(program: str, tmp_path: Path) -> None:
    done = ran(program, tmp_path, processor=1.0, idle=600.0)
    # In a session of its own it outlives the command.
    spinning = int((tmp_path / "spins").read_text())
    with suppress(OSError):
        if b"spins" in Path(f"/proc/{spinning}/cmdline").read_bytes():
            os.kill(spinning, signal.SIGKILL)
    assert (done.code, done.reached) == (None, "not done after 1 s of processor time")


@pytest.mark.long
def test_a_command_that_sleeps_is_ended_as_idle(tmp_path: Path) -> None:
    done = ran("import time; time.sleep(600)", tmp_path, processor=900.0, idle=3.0)
    assert (done.code, done.reached) == (None, "used no processor time for 3 s")


def test_a_command_within_its_limits_says_nothing(tmp_path: Path) -> None:
    done = ran("import sys; sys.exit(3)", tmp_path, processor=1.0, idle=3.0)
    assert (done.code, done.reached) == (3, None)


def test_a_process_that_ends_while_it_is_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tick = os.sysconf("SC_CLK_TCK")
    for number, text in (("7", f"7 (a b) S 1 7 7 {'0 ' * 7}{3 * tick} {tick} 0 0 0"), ("8", "")):
        (tmp_path / number).mkdir()
        (tmp_path / number / "stat").write_text(text)
    known = os.stat

    def ended(path: Any, *more: Any, **named: Any) -> os.stat_result:
        if str(path).endswith("8/stat"):
            raise ProcessLookupError
        return known(path, *more, **named)

    monkeypatch.setattr(os, "stat", ended)
    assert look(7, tmp_path / "result", 1.0, tmp_path).used == 4.0


def test_without_a_list_of_processes_the_clock_counts(tmp_path: Path) -> None:
    assert look(os.getpid(), tmp_path / "none", 12.0, tmp_path) == Look(12.0, 12.0, None)
    seen = look(os.getsid(0), tmp_path, time.monotonic())
    assert seen.used > 0
    assert seen.written == tmp_path.stat().st_mtime_ns
