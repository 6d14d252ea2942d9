from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from syncbot.config import MadeOnce, SimulationSettings
from syncbot.errors import EnvironmentFailure
from syncbot.lanes.dependence import Present, Sources
from syncbot.verify.environment import Environment
from syncbot.verify.installer import Installer
from syncbot.verify.made_once_for_runs import OnceForRuns
from syncbot.verify.simulate import Check, PreparedRun, Subject, simulate_all

pytestmark = pytest.mark.machine

#: Writes how long the wheel is that it reads.
READER = """
import os, sys
from pathlib import Path
wheel = os.environ.get("DATA_WHEEL")
if wheel is None:
    sys.exit("DATA_WHEEL is not set")
Path(sys.argv[1], "length").write_text(str(len(Path(wheel).read_bytes())))
"""
#: Tells what it executed, and what it was given.
CHECK = """
import json, os, sys
from pathlib import Path
told = {"executed": {"tiny/check.py": ["main"]}, "length": Path(os.environ["TINY_CACHE"], "length").read_text()}
Path(sys.argv[-1]).write_text(json.dumps(told))
"""
FILES = {"tiny/reader.py": READER, "tiny/check.py": CHECK}
ONCE = MadeOnce(module="tiny.reader", sources=("tiny/reader.py",), wheels=("DATA_WHEEL",))


@pytest.fixture
def once(tmp_path: Path, offer: Callable[..., Path]) -> OnceForRuns:
    """Makes what runs of a small wheel need, beside a wheel of four bytes."""
    data = tmp_path / "data-1.whl"
    data.write_bytes(b"four")
    present = Present(lane=Sources({path: text.encode() for path, text in FILES.items()}))
    subject = Subject(
        "v1", offer(tmp_path, "tiny", "1", FILES, ""), "sources", {"DATA_WHEEL": data}, present=present
    )
    environment, cache = Environment(Path(sys.prefix), "environment", ()), tmp_path / "cache"
    return OnceForRuns(subject, environment, Installer.of_this_machine(cache), cache)


def test_a_module_reads_the_wheels_that_it_names(once: OnceForRuns) -> None:
    assert (once.folder(ONCE) / "length").read_text() == "4"
    with pytest.raises(EnvironmentFailure, match="DATA_WHEEL is not set"):
        once.folder(ONCE.model_copy(update={"wheels": ()}))


def test_another_wheel_is_read_anew(once: OnceForRuns) -> None:
    folder, data = once.folder(ONCE), once.subject.wheels["DATA_WHEEL"]
    assert once.folder(ONCE) == folder
    # Its reader keeps a wheel by its time, too: what was made of an older one would be of no use.
    os.utime(data, ns=(1, 1))
    later = once.folder(ONCE)
    assert later != folder
    data.write_bytes(b"longer")
    assert (once.folder(ONCE) / "length").read_text() == "6"


def test_a_run_depends_on_what_made_it_once(once: OnceForRuns) -> None:
    settings = SimulationSettings(check="tiny.check", cases={"a": ("v1",)}, made_once={"TINY_CACHE": ONCE})
    stand = PreparedRun(
        once.subject,
        once.environment,
        settings,
        once.installer,
        once.cache,
        {"TINY_CACHE": str(once.folder(ONCE))},
    )
    check = Check("a", "v1")
    outcome = simulate_all(stand, [check])[check]
    assert outcome.result["length"] == "4"
    assert outcome.executed == {"tiny/check.py": ("main",), "tiny/reader.py": ("*",)}
    changed = {**FILES, "tiny/reader.py": READER.replace("len(", "1 + len(")}
    others = Present(lane=Sources({path: text.encode() for path, text in changed.items()}))
    assert replace(once.subject, present=others).present.of_sources(outcome.executed) != outcome.depends
    assert once.subject.present.of_sources(outcome.executed) == outcome.depends
