"""Packages that upstream imports, and that only some of its installs bring."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from syncbot.contracts.discovery import discover
from syncbot.contracts.registry import contract_types, judge_of
from syncbot.contracts.sources import in_memory
from tests.contracts.world import comparison

PLUGIN = {"plugin/__init__.py": "", "plugin/a.py": "import os\nfrom lib.a import f\n"}
OLD = {
    "lib/__init__.py": "",
    "lib/a.py": "def f(): ...\n",
    "lib/far.py": "from . import audio\n",
    "lib/audio.py": "import sound_lib.play\n",
}
NEW = {**OLD, "lib/a.py": "from lib.far import audio\ndef f(): ...\n"}


def told(
    old: Mapping[str, str],
    new: Mapping[str, str],
    plugin: Mapping[str, str],
    here: frozenset[str] = frozenset(),
) -> list[str]:
    """Return the findings where upstream requires ``sound-lib`` in some installs."""
    own = in_memory(plugin)
    pair = replace(
        comparison(old, new, own), partly_required=lambda: frozenset({"sound-lib"}), required_here=here
    )
    kind = contract_types()["NeededPackageContract"]
    known = [c for c in discover(own, pair.old, ("lib",)) if isinstance(c, kind)]
    found = [f for c in known if (judge := judge_of(c)) is not None for f in judge(c, pair)]
    return [
        f"{f.contract.place.location.file}:{f.contract.place.location.line} {f.verdict} {f.reason}"
        for f in found
    ]


def test_a_package_that_is_needed_from_now_on() -> None:
    assert told(OLD, NEW, PLUGIN) == [
        "plugin/a.py:2 at-risk this imports lib.a, which imports lib.far, which imports lib.audio, "
        "which imports sound_lib now: only some installs of upstream bring that"
    ]
    assert told(NEW, OLD, PLUGIN) == []
    assert told(NEW, NEW, PLUGIN) == []


def test_it_is_told_once() -> None:
    plugin = {**PLUGIN, "plugin/b.py": "import lib.a\n"}
    assert told({**OLD, "lib/__init__.py": "from lib import audio\n"}, NEW, plugin) == []
    assert [row.partition(" ")[0] for row in told(OLD, NEW, plugin)] == ["plugin/a.py:2"]


@pytest.mark.parametrize(
    ("file", "text"),
    [
        pytest.param("lib/a.py", "def f():\n    from lib import far\n", id="in a function"),
        pytest.param("lib/a.py", "try:\n    from lib import far\nexcept ImportError: ...\n", id="tried"),
        pytest.param("lib/a.py", "if gpu():\n    from lib import far\n", id="on a condition"),
        pytest.param(
            "lib/audio.py", "try:\n    import sound_lib\nexcept ImportError: ...\n", id="tried there"
        ),
        pytest.param("lib/audio.py", "import other\n", id="another package"),
        pytest.param("plugin/a.py", "def g():\n    import lib.a\n", id="the plugin, in a function"),
        pytest.param("plugin/b.py", "import sound_lib\n", id="the plugin needs it anyway"),
    ],
)
def test_what_need_not_be_there(file: str, text: str) -> None:
    plugin = {**PLUGIN, file: text} if file.startswith("plugin") else PLUGIN
    upstream = {**NEW, file: text} if file.startswith("lib") else NEW
    assert told(OLD, upstream, plugin) == []


def test_what_the_plugin_requires_itself() -> None:
    assert told(OLD, NEW, PLUGIN, frozenset({"sound-lib"})) == []


def test_what_only_a_text_says() -> None:
    """A line of a text looks like a statement; the table knows better."""
    quoted = '"""\nfrom lib import far\n"""\ndef f(): ...\n'
    assert told(OLD, {**NEW, "lib/a.py": quoted}, PLUGIN) == []
