"""Kinds of contracts met on plugins that the engine was not written for."""

from pathlib import Path

import pytest

from syncbot.contracts.model import Finding, Verdict
from tests.contracts.foreign_world import compare

REGISTRY = "class Layer:\n    pass\n\n\n_known{} = {}\n"


def _moved(folder: Path, old: str, new: str, plugin: str, **more: str) -> list[Finding]:
    """Return the findings on a one-file plugin when ``lib/a.py`` changes; ``more`` are more new modules."""
    others = {f"lib/{name}.py": text for name, text in more.items()}
    return compare(
        folder,
        {"lib/__init__.py": "", "lib/a.py": old},
        {"lib/__init__.py": "", "lib/a.py": new, **others},
        {"plugin/__init__.py": plugin},
    )


@pytest.mark.parametrize(
    "plugin",
    [
        "from lib.a import _known\n\n_known.add(int)\n",
        "import lib.a\n\n\ndef register():\n    lib.a._known.add(int)\n",
        "def register():\n    from lib import a\n    a._known.add(int)\n",
    ],
)
def test_a_set_that_became_a_tuple_takes_nothing_more(tmp_path: Path, plugin: str) -> None:
    old, new = REGISTRY.format(": set[type]", "{Layer}"), REGISTRY.format("", "(Layer, Layer)")
    (finding,) = _moved(tmp_path, old, new, plugin)
    assert (finding.kind, finding.verdict) == ("container-changed", Verdict.BREAKS)
    assert "lib.a._known was a set and is now a tuple" in finding.reason


@pytest.mark.parametrize(
    ("old", "new", "plugin"),
    [
        ("{1}", "frozenset({1})", "from lib.a import _known\n\n_known.union({2})\n"),
        ("[1]", "make()", "from lib.a import _known\n\n_known.append(2)\n"),
        ("[1]", "(1,)", "from lib.a import _known\n\n\ndef own(_known):\n    _known.append(2)\n"),
        ("{1: 2}", "{1: 2, 3: 4}", "from lib.a import _known\n\n_known[5] = 6\n"),
    ],
)
def test_containers_that_still_serve(tmp_path: Path, old: str, new: str, plugin: str) -> None:
    assert _moved(tmp_path, REGISTRY.format("", old), REGISTRY.format("", new), plugin) == []


PLATFORM = "class Platform:\n    def name(self):\n        return 'x'\n"
SEED = "\n    def seed_all(self, seed):\n        raise NotImplementedError\n"
PLUGIN = "from lib.a import Platform\n\n\nclass Mine(Platform):\n    pass\n"
CALLER = "def seed(platform):\n    platform.seed_all(1)\n"


def test_a_method_left_to_subclasses_that_upstream_calls(tmp_path: Path) -> None:
    (finding,) = _moved(tmp_path, PLATFORM, PLATFORM + SEED, PLUGIN, b=CALLER)
    assert (finding.kind, finding.verdict) == ("method-left-open", Verdict.AT_RISK)
    assert "lib.b calls it, and Mine has none" in finding.reason


@pytest.mark.parametrize(
    ("new", "plugin", "more"),
    [
        (PLATFORM + SEED, PLUGIN, {}),
        (PLATFORM + SEED, PLUGIN.replace("    pass", "    def seed_all(self, seed):\n        pass"),
         {"b": CALLER}),
        (PLATFORM + SEED.replace("raise NotImplementedError", "return seed"), PLUGIN, {"b": CALLER}),
    ],
)  # fmt: skip
def test_methods_that_leave_nothing_open(tmp_path: Path, new: str, plugin: str, more: dict[str, str]) -> None:
    assert _moved(tmp_path, PLATFORM, new, plugin, **more) == []


def test_a_method_that_was_open_before_is_not_news(tmp_path: Path) -> None:
    old = PLATFORM + SEED
    assert _moved(tmp_path, old, old + "\n    def other(self):\n        return 1\n", PLUGIN, b=CALLER) == []


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("Literal['a', 'b']", "Literal['a', 'b', 'c']", False),
        ("Union[int, str]", "typing.Union[str, int, bytes]", False),
        ("Literal['a', 'b']", "Literal['a']", True),
        ("dict[str, int]", "list[int]", True),
    ],
)
def test_a_type_that_only_grew(tmp_path: Path, old: str, new: str, told: bool) -> None:
    head = "import typing\nfrom typing import Literal, Union\n\nKind = "
    found = _moved(tmp_path, head + old + "\n", head + new + "\n", "from lib.a import Kind\n")
    assert [f.kind for f in found] == (["type-changed"] if told else [])


def test_a_patch_whose_target_is_gone_is_told_once(tmp_path: Path) -> None:
    old = "def run():\n    return 1\n"
    plugin = "import lib.a\n\n\ndef run():\n    return 2\n\n\nlib.a.run = run\n"
    (finding,) = _moved(tmp_path, old, "def other():\n    return 3\n", plugin)
    assert (finding.kind, finding.contract.kind) == ("patch-target-removed", "patch")
