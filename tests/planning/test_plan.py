"""Rewrites that the plan makes and that the proof takes back, on a small upstream in git."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from syncbot import config as configuration
from syncbot.impact.analysis import analyse
from syncbot.impact.caching.analysis_cache import AnalysisCache
from syncbot.impact.model import Impact
from syncbot.impact.session import backend_of, opened
from syncbot.patching.rewrites.import_moved import ImportMoved
from syncbot.patching.source import Source
from syncbot.planning.plan import Plan, plan
from syncbot.planning.rule_application import ordered
from syncbot.upstream.commit_range import between
from syncbot.upstream.opening import open_upstream

BASE = """\
class Base:
    def __init__(self, size, pin):
        self.size = size

    def start(self):
        self.tool = make(self.size)
        self.go(1)

    def go(self, x):
        return helper(x, 2)

    def build(self):
        self.part = Part(self.size)


class Part:
    def __init__(self, width):
        self.width = width


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


def migrated(
    tmp_path: Path,
    mine: str,
    *changes: tuple[str, str],
    moved: tuple[str, str] | None = None,
    more: tuple[dict[str, str], dict[str, str]] = ({}, {}),
    told: Callable[[Sequence[Impact]], Sequence[Impact]] = tuple,
    base: str = BASE,
) -> Plan:
    """The migration of ``mine`` over these changes of the upstream, one commit each; what stands between the
    two texts ``moved`` goes into another module at last. ``more`` are other files, at first and at last.
    ``told`` makes of the impacts what others would have reported; ``base`` is the upstream at first."""
    upstream, plugin = tmp_path / "upstream", tmp_path / "plugin"
    (upstream / "up").mkdir(parents=True)
    (upstream / "up/__init__.py").write_text("")
    git(upstream, "init", "--quiet", "--initial-branch=main")
    text = base
    for path, content in more[0].items():
        (upstream / path).write_text(content)
    for number, (old, new) in enumerate((("", ""), *changes)):
        assert old in text
        text = text.replace(old, new) if old else text
        for path, content in more[1].items() if number == len(changes) else ():
            (upstream / path).write_text(content)
        (upstream / "up/base.py").write_text(text)
        git(upstream, "add", "--all")
        git(upstream, "commit", "--quiet", "-m", f"Change {number}")
        if not number:
            git(upstream, "tag", "start")
    if moved is not None:
        start, end = (text.index(word) for word in moved)
        (upstream / "up/base.py").write_text(text[:start] + text[end:])
        (upstream / "up/moved.py").write_text(text[start:end])
        git(upstream, "add", "--all")
        git(upstream, "commit", "--quiet", "-m", "Move")
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
        found = analyse(trees, span, AnalysisCache(cache / "analyses")).impacts
        return plan(trees, span.old, span.new, told(found))


def text(done: Plan) -> str:
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
        (
            [("helper(x, y)", "helper(x, w=1)"), ("helper(x, 2)", "helper(x)")],
            "the value may have to go into w now",
        ),
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


CONSTRUCTOR = MINE.replace(
    "    def start",
    "    def __init__(self, size, pin):\n        super().__init__(size, pin)\n\n    def start",
)


def test_calls_of_our_own_lose_what_an_override_loses(tmp_path: Path) -> None:
    mine = f"{CONSTRUCTOR}\n\ndef build():\n    return Mine(1, pin=2), Mine( 1, 2 )\n"
    done = migrated(tmp_path, mine, ("(self, size, pin)", "(self, size)"))
    assert "def __init__(self, size):\n        super().__init__(size)" in text(done)
    assert "return Mine(1), Mine( 1 )" in text(done)
    assert not done.unwritten


@pytest.mark.parametrize("call", ["Mine(1, **rest)", "Mine(*rest)", "Mine(1, **dict(pin=2))"])
def test_a_call_of_our_own_that_hides_its_arguments_needs_an_author(tmp_path: Path, call: str) -> None:
    mine = f"{CONSTRUCTOR}\n\ndef build(rest):\n    return {call}\n"
    done = migrated(tmp_path, mine, ("(self, size, pin)", "(self, size)"))
    assert "the project itself calls it with pin" in " ".join(left.why for left in done.unwritten)


ALONE = MINE.replace(
    "    def start(self):\n        self.tool = make(self.size)\n", "    def more(self):\n        self.go(3)\n"
)
TAKES = (("go(self, x)", "go(self, x, step)"), ("self.go(1)", "self.go(1, step=2)"))


def test_what_a_call_of_our_own_does_not_pass_gets_a_default(tmp_path: Path) -> None:
    done = migrated(tmp_path, ALONE.replace("return super().go(x)", "return x"), *TAKES)
    assert "    def go(self, x, step=None):\n" in text(done)
    assert "self.go(3)\n" in text(done)
    assert not done.unwritten


def test_a_call_of_our_own_that_would_have_to_hand_something_on_needs_an_author(tmp_path: Path) -> None:
    done = migrated(tmp_path, ALONE, *TAKES)
    assert text(done) == ""
    assert "the project itself calls it without step" in " ".join(u.why for u in done.unwritten)


PARTS = """\
from up.base import Base, Part


class Mine(Base):
    def build(self):
        self.part = MyPart(self.size)


class MyPart(Part):
    def __init__(self, width):
        super().__init__(width)
"""


def test_a_call_of_our_own_passes_what_upstream_passes_in_the_same_place(tmp_path: Path) -> None:
    """Our method overrides the one in which upstream makes the class that ours derives from."""
    done = migrated(
        tmp_path,
        PARTS,
        ("__init__(self, width)", "__init__(self, width, step)"),
        ("Part(self.size)", "Part(self.size, step=self.size)"),
    )
    assert "self.part = MyPart(self.size, step=self.size)" in text(done)
    assert "def __init__(self, width, step):\n        super().__init__(width, step=step)" in text(done)
    assert not done.unwritten


def test_a_call_of_our_own_names_what_would_stand_elsewhere(tmp_path: Path) -> None:
    mine = ALONE.replace("go(self, x)", "go(self, x, y=1)").replace("self.go(3)", "self.go(3, 4)")
    mine = mine.replace("return super().go(x)", "return x, y")
    done = migrated(
        tmp_path, mine, ("go(self, x)", "go(self, x, step, y=1)"), ("self.go(1)", "self.go(1, step=2)")
    )
    assert "def go(self, x, step=None, y=1):" in text(done)
    assert "self.go(3, y=4)" in text(done)


def test_an_abstract_method_is_stubbed_and_the_stub_says_why(tmp_path: Path) -> None:
    done = migrated(
        tmp_path,
        MINE,
        ("class Base:", "import abc\n\n\nclass Base(abc.ABC):"),
        (
            "    def start",
            "    @abc.abstractmethod\n    def stop(self, now: int, *, why=print): ...\n\n    def start",
        ),
    )
    assert "    def stop(self, now, *, why=None):\n        raise NotImplementedError(" in text(done)
    assert "up.base.Base.stop is abstract since upstream's " in text(done)
    assert not done.unwritten


def test_a_class_whose_base_of_ours_gets_the_stub_needs_none(tmp_path: Path) -> None:
    done = migrated(
        tmp_path,
        MINE + "\n\nclass Later(Mine):\n    pass\n",
        ("class Base:", "import abc\n\n\nclass Base(abc.ABC):"),
        ("    def start", "    @abc.abstractmethod\n    def stop(self): ...\n\n    def start"),
    )
    assert text(done).count("def stop(self)") == 1
    assert not done.unwritten


STANDS_IN = """\
from up.base import Base, helper


def go(self, x):
    return helper(x, 2)


Base.go = go
"""


@pytest.mark.parametrize(
    ("value", "expected"),
    [("self.size", "helper(x, 2, z=self.size)"), ("x", "helper(x, 2, z=x)"), ("BASE", "")],
)
def test_a_call_in_what_stands_in_for_a_method_follows_that_method(
    tmp_path: Path, value: str, expected: str
) -> None:
    done = migrated(
        tmp_path,
        STANDS_IN,
        ("helper(x, 2)", f"helper(x, 2, z={value})"),
        ("helper(x, y)", "helper(x, y, z)"),
        ("def helper", "BASE = 1\n\n\ndef helper"),
    )
    assert bool(done.unwritten) is not bool(expected)
    assert expected in text(done)


def test_a_variable_unpacked_from_the_same_thing_means_the_same(tmp_path: Path) -> None:
    body = "    def go(self, x):\n        {} = self.state\n        return helper(x, {})\n"
    mine = MINE.partition("\n\ndef other")[0].replace(
        "    def go(self, x):\n        return super().go(x)\n", body.format("step, other, more", "2")
    )
    done = migrated(
        tmp_path,
        mine,
        ("        self.size = size\n", "        self.size = size\n        self.state = size\n"),
        ("    def go(self, x):\n        return helper(x, 2)\n", body.format("other, step", "2, step")),
        ("helper(x, y)", "helper(x, y, z)"),
    )
    assert "        return helper(x, 2, z=step)\n" in text(done)


READS = """\
from up.base import Base


class Mine(Base):
    def show(self):
        return self.size + 1


def told(base: Base):
    return base.size
"""


@pytest.mark.parametrize(
    ("own", "other", "after"),
    [
        ("self.width", "base.width", "width"),
        ("self.part.width", "base.part.width", "part.width"),
        ("self.width", "base.part.width", None),
        ("self.get_width()", "base.get_width()", "get_width()"),
        ("self.get_width(1)", "base.get_width(1)", None),
        ("make(1)", "make(1)", None),
    ],
)
def test_an_attribute_that_is_gone_is_read_as_upstreams_own_readers_read_it(
    tmp_path: Path, own: str, other: str, after: str | None
) -> None:
    readers = (
        "def helper(x, y):\n    return x + y\n",
        "def helper(x, base):\n    if base.size > 1:\n        return 1\n    return x + base.size\n",
    )
    done = migrated(
        tmp_path,
        READS,
        ("    def go(self, x):", "    def get_width(self):\n        return 1\n\n    def go(self, x):"),
        readers,
        (
            BASE.replace(*readers).replace(
                "    def go(self, x):", "    def get_width(self):\n        return 1\n\n    def go(self, x):"
            ),
            BASE.replace(*readers)
            .replace(
                "    def go(self, x):", "    def get_width(self):\n        return 1\n\n    def go(self, x):"
            )
            .replace(
                "        self.size = size\n", "        self.width = size\n        self.part = Part(size)\n"
            )
            .replace("base.size", other)
            .replace("self.size", own),
        ),
    )
    if after is None:
        assert text(done) == ""
        assert done.unwritten
    else:
        expected = READS.replace("self.size", f"self.{after}").replace("base.size", f"base.{after}")
        assert text(done) == expected
        assert not done.unwritten


@pytest.mark.parametrize(("argument", "after"), [("y", "self.width + 1"), ("wide", "")])
def test_an_attribute_that_upstream_passes_by_another_name_now_is_another_thing(
    tmp_path: Path, argument: str, after: str
) -> None:
    reader = "class Base:\n    def __init__(self):\n        self.{0} = 1\n\n    def go(self):\n        {1}"
    call = "help(3, {}=self.{})\n        return self.{}\n\n\ndef help(x, y=0, wide=0): ...\n"
    done = migrated(
        tmp_path,
        READS.partition("\n\ndef told")[0].replace("up.base", "up.size"),
        ("class Base:", "class Base:  # one"),
        more=(
            {"up/size.py": reader.format("size", call.format("y", "size", "size"))},
            {"up/size.py": reader.format("width", call.format(argument, "width", "width"))},
        ),
    )
    assert after in text(done)
    assert bool(done.unwritten) is not bool(after)


def test_what_a_moved_base_hid_is_not_newly_broken_by_its_import(tmp_path: Path) -> None:
    done = migrated(
        tmp_path,
        "from up.base import Part, make\n\n\nclass Mine(Part):\n    def __init__(self):\n"
        "        super().__init__(2)\n\n\nmine = Mine()\n",
        ("class Part:\n    def __init__(self, width):", "class Part:\n    def __init__(self, width, kind):"),
        moved=("class Part:", "def make"),
    )
    assert text(done).startswith("from up.base import make\nfrom up.moved import Part\n")
    assert sorted(left.impact.kind for left in done.unwritten) == ["parameter-added", "parameter-required"]


LOOP = """\
    def go(self, x):
        for item in x:
            y = item + 1
            helper({})
"""


def test_what_a_loop_gives_means_the_same_in_the_same_loop(tmp_path: Path) -> None:
    mine = MINE.partition("\n\ndef other")[0].replace(
        "    def go(self, x):\n        return super().go(x)\n", LOOP.format("x, 2")
    )
    go = "    def go(self, x):\n        return helper(x, 2)\n"
    done = migrated(
        tmp_path, mine, (go, LOOP.format("x, 2, z=item + y")), ("helper(x, y)", "helper(x, y, z)")
    )
    assert "            helper(x, 2, z=item + y)\n" in text(done)


@pytest.mark.parametrize(
    ("annotation", "expected"),
    [("Part", "helper(x, 2, z=x.width)"), ("MyPart", "helper(x, 2, z=x.width)"), ("Other", "")],
)
def test_a_parameter_of_a_derived_class_means_the_same(
    tmp_path: Path, annotation: str, expected: str
) -> None:
    mine = (
        "from up.base import Base, Part, helper\n\n\nclass MyPart(Part):\n    pass\n\n\nclass Other:\n    pass\n\n\n"
        f"class Mine(Base):\n    def go(self, x: {annotation}):\n        return helper(x, 2)\n"
    )
    done = migrated(
        tmp_path,
        mine,
        ("go(self, x)", "go(self, x: 'Part')"),
        ("helper(x, 2)", "helper(x, 2, z=x.width)"),
        ("helper(x, y)", "helper(x, y, z)"),
    )
    assert expected in text(done)
    assert bool(done.unwritten) is not bool(expected)


STANDS_IN_AND_CALLS = """\
from up.base import Base


class Mine(Base):
    def go(self, x):
        return super().go(x)


def start(self):
    self.go(3)


Base.start = start
"""


@pytest.mark.parametrize(
    ("step", "passed"), [("self.size", "self.go(3, step=self.size)"), ("(lambda: 1)()", "")]
)
def test_what_stands_in_calls_as_the_method_does(tmp_path: Path, step: str, passed: str) -> None:
    """The call reaches our override as well as upstream's own method; both take more now."""
    done = migrated(
        tmp_path,
        STANDS_IN_AND_CALLS,
        ("go(self, x)", "go(self, x, step)"),
        ("self.go(1)", f"step = {step}\n        self.go(1, step)" if not passed else f"self.go(1, {step})"),
    )
    assert passed in text(done)
    assert bool(done.unwritten) is not bool(passed)
    if passed:
        assert "def go(self, x, step):\n        return super().go(x, step=step)" in text(done)


@pytest.mark.parametrize(
    ("imported", "expected"),
    [
        ("from up.home import LIMIT", "from up.home import LIMIT"),
        ("from up.base import Base as LIMIT", ""),
        ("LIMIT = 3", ""),
    ],
)
def test_a_name_that_stood_in_two_places_is_imported_as_upstream_does_now(
    tmp_path: Path, imported: str, expected: str
) -> None:
    done = migrated(
        tmp_path,
        "from up.old import LIMIT, other\n\nx = LIMIT, other\n",
        ("class Base:", "class Base:  # one"),
        more=(
            {
                "up/old.py": "LIMIT = 2\n\n\ndef other(): ...\n",
                "up/home.py": "LIMIT = 2\n",
                "up/use.py": "from up.old import LIMIT\n\nx = LIMIT\n",
            },
            {"up/old.py": "def other(): ...\n", "up/use.py": f"{imported}\n\nx = LIMIT\n"},
        ),
    )
    assert expected in text(done)
    assert bool(done.unwritten) is not bool(expected)


def test_names_that_went_elsewhere_move_before_their_module() -> None:
    whole = ImportMoved(old="up.layer", new="up.layers.wide")
    one = ImportMoved(old="up.layer.Deep", new="up.layers.deep.Deep")
    text = "from up.layer import Deep, Wide\n"
    for rule in ordered([whole, one]):
        text = rule.forward(Source(text, "mine.py"))
    assert text == "from up.layers.wide import Wide\nfrom up.layers.deep import Deep\n"
