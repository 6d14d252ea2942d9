"""What the plan takes and what the proof takes back, on a small upstream in git."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from syncbot import config as configuration
from syncbot.impact.analysis import analyse
from syncbot.impact.memory import Memory
from syncbot.impact.session import backend_of, opened
from syncbot.migrate.plan import Migration, migrate
from syncbot.upstream.catalog import open_upstream
from syncbot.upstream.span import between

BASE = """\
class Base:
    def __init__(self, size, pin):
        self.size = size

    def start(self):
        self.tool = make(self.size)
        self.go(1)

    def go(self, x):
        return helper(x, 2)


def make(size):
    return size


def helper(x, y):
    return x + y
"""
MINE = """\
from up.base import Base, helper, make


class Mine(Base):
    def start(self):
        self.tool = make(self.size)

    def go(self, x):
        return super().go(x)


def other(z):
    return helper(z, 2)
"""


def git(folder: Path, *args: str) -> None:
    who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.com")
    base = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    quiet = base | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(["git", "-C", folder, *who, *args], check=True, env=quiet, capture_output=True)


def migrated(tmp_path: Path, mine: str, *changes: tuple[str, str]) -> Migration:
    """The migration of ``mine`` over these changes of the upstream, one commit each."""
    upstream, plugin = tmp_path / "upstream", tmp_path / "plugin"
    (upstream / "up").mkdir(parents=True)
    (upstream / "up/__init__.py").write_text("")
    git(upstream, "init", "--quiet", "--initial-branch=main")
    text = BASE
    for number, (old, new) in enumerate((("", ""), *changes)):
        assert old in text
        text = text.replace(old, new) if old else text
        (upstream / "up/base.py").write_text(text)
        git(upstream, "add", "--all")
        git(upstream, "commit", "--quiet", "-m", f"Change {number}")
        if not number:
            git(upstream, "tag", "start")
    (plugin / "src/plugin").mkdir(parents=True)
    (plugin / "src/plugin/__init__.py").write_text("")
    (plugin / "src/plugin/mine.py").write_text(mine)
    config = configuration.load(plugin)
    cache = tmp_path / "cache"
    with (
        open_upstream(config, str(upstream), cache) as opened_upstream,
        opened(config, opened_upstream, backend_of(config), cache) as trees,
    ):
        span = between(opened_upstream.repository, "start", "main")
        found = analyse(trees, span, Memory(cache / "analyses")).impacts
        return migrate(trees, span.old, span.new, found)


def text(done: Migration) -> str:
    assert all(compile(t, p, "exec") for p, t in done.changes.items())
    return done.changes.get("src/plugin/mine.py", "")


def test_a_call_follows_upstreams_own_call_in_the_method_that_is_overridden(tmp_path: Path) -> None:
    done = migrated(
        tmp_path,
        MINE,
        ("make(self.size)", "make(self.size, kind=self.size)"),
        ("make(size)", "make(size, kind)"),
    )
    assert "self.tool = make(self.size, kind=self.size)" in text(done)
    assert not done.unwritten


def test_an_override_hands_on_what_it_newly_takes(tmp_path: Path) -> None:
    mine = MINE.replace("    def start(self):\n        self.tool = make(self.size)\n\n", "")
    done = migrated(
        tmp_path, mine, ("go(self, x)", "go(self, x, step)"), ("self.go(1)", "self.go(1, step=2)")
    )
    assert "def go(self, x, step):\n        return super().go(x, step=step)" in text(done)
    assert not done.unwritten


def test_a_value_that_nothing_shows_needs_an_author(tmp_path: Path) -> None:
    done = migrated(tmp_path, MINE, ("helper(x, y)", "helper(x, y, z)"), ("(x, 2)", "(x, 2, z=object())"))
    assert text(done) == ""
    assert [left.why for left in done.unwritten] == ["it now requires z, and nothing shows what to pass here"]


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ([("helper(x, y)", "helper(x, w=1)"), ("helper(x, 2)", "helper(x)")], "which w may stand for now"),
    ],
)
def test_a_value_that_may_belong_elsewhere_is_not_dropped(
    tmp_path: Path, changes: list[tuple[str, str]], why: str
) -> None:
    done = migrated(tmp_path, MINE.replace("helper(z, 2)", "helper(z, y=2)"), *changes)
    assert text(done) == ""
    assert why in done.unwritten[0].why


def test_an_argument_that_is_simply_gone_is_left_out(tmp_path: Path) -> None:
    done = migrated(tmp_path, MINE, ("helper(x, 2)", "helper(x)"), ("helper(x, y)", "helper(x)"))
    assert "return helper(z)\n" in text(done)


def test_a_rewrite_that_would_break_a_call_of_our_own_is_taken_back(tmp_path: Path) -> None:
    mine = MINE.replace(
        "    def start",
        "    def __init__(self, size, pin):\n        super().__init__(size, pin)\n\n    def start",
    )
    mine += "\n\ndef build():\n    return Mine(1, pin=2)\n"
    done = migrated(tmp_path, mine, ("(self, size, pin)", "(self, size)"))
    assert "def __init__(self, size, pin)" in (text(done) or mine)
    assert "the backend itself calls it with pin (src/plugin/mine.py:" in " ".join(
        u.why for u in done.unwritten
    )
