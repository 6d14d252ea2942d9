"""Changes that make evidence stale and changes that do not, for each sort of file."""

from __future__ import annotations

from pathlib import Path

import pytest

from syncbot.config import Config, OverlaySettings, SimulationSettings
from syncbot.lanes.code_units import IMPORTED, units
from syncbot.lanes.dependence import Present, Sources
from syncbot.lanes.evidence import Evidence
from syncbot.lanes.matrix import Lane
from syncbot.lanes.present import present

LANE = {
    "pyproject.toml": "[project]\nname = 'mine'  # ours\n",
    "README.md": "Mine.\n",
    "src/mine/__init__.py": "",
    "src/mine/layers.py": '''\
"""Layers."""
import typing
from mine import rules
SCALE = 2  # of all
if typing.TYPE_CHECKING:
    from other import Thing

def scaled(x):
    """Twice."""
    return x * SCALE  # here

def never(x):
    return x

class Base:
    def forward(self, x):
        return scaled(x)

    def idle(self):
        return 1

class Layer(Base):
    pass
''',
    "src/mine/unused.py": "A = 1\n",
}
DEVICE = {
    "pyproject.toml": "[project]\nname = 'device'\n",
    "README.md": "A device.\n",
    "src/device/__init__.py": "",
    "src/device/memory.cpp": "int memory = 1; // one\n",
    "src/device/exceptions.yaml": "- a  # first\n- b\n",
    "src/device/operators.py": "def add(a, b):\n    return a + b\n\ndef sub(a, b):\n    return a - b\n",
    "src/device/cases/greedy.py": "TOKENS = 12\n\ndef ask():\n    return TOKENS\n",
    "src/device/cases/other.py": "TOKENS = 1\n",
    "tests/test_memory.py": "assert True\n",
    "docs/figures.py": "FIGURES = 1\n",
}
LOCK = "# content: 1\ntorch==2.13.0 --hash=sha256:1\n"
RAN = {
    "mine/__init__.py": (),
    "mine/layers.py": ("Base.forward", "scaled"),
    "device/__init__.py": (),
    "device/operators.py": ("add",),
    "device/cases/greedy.py": ("ask",),
}


@pytest.fixture
def config(tmp_path: Path) -> Config:
    files = {f"device/{name}": text for name, text in DEVICE.items()} | {"locks/v1.0.0.txt": LOCK}
    for name, text in files.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    simulate = SimulationSettings(check="c", cases={"greedy": ("v1",)}, beside=("device",), stack=("torch",))
    return Config(root=tmp_path, simulate=simulate)


def now(config: Config, lane: dict[str, str] | None = None, **row: object) -> Present:
    values = {
        "tag": "v1.0.0",
        "wheel": "1.0.0",
        "python": ">=3.10",
        "stack": {"torch": "2.13.0", "cann": None},
    }
    sources = {path: text.encode() for path, text in (lane or LANE).items()}
    return present(config, Lane.model_validate(values | row), sources)


def shown(before: Present, after: Present, ran: dict[str, tuple[str, ...]] | None = RAN) -> str:
    """Return the status that is shown of a check that passed before: "stale" or "pass"."""
    digest = before.digest(ran, before.environment)
    evidence = Evidence(
        status="pass",
        command="run",
        date="2026-01-01",
        digest=digest,
        executed=ran,
        environment=before.environment,
    )
    assert not evidence.marked(before).stale
    return "stale" if evidence.marked(after).stale else "pass"


def edited(files: dict[str, str], path: str, old: str, new: str) -> dict[str, str]:
    assert path not in files or old in files[path]
    return {**files, path: files[path].replace(old, new, 1) if path in files else new}


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("README.md", "Mine", "Yours"),
        ("pyproject.toml", "# ours", "# of us"),
        ("src/mine/layers.py", '"""Layers."""', '"""Other words."""\n\n'),
        ("src/mine/layers.py", "  # of all", ""),
        ("src/mine/layers.py", "Twice", "Two times"),
        ("src/mine/layers.py", "  # here", "\n"),
        ("src/mine/layers.py", "    from other import Thing", "    from another import Thing"),
        ("src/mine/layers.py", "def never(x):\n    return x", "def never(x):\n    return -x"),
        ("src/mine/layers.py", "def never(x):\n    return x\n", ""),
        ("src/mine/layers.py", "        return 1", "        return 2"),
        ("src/mine/layers.py", "class Base", "def new(x):\n    return x\n\nclass Base"),
        ("src/mine/unused.py", "A = 1", "A = 2"),
        ("src/mine/made_since.py", "", "A = 1\n"),
    ],
)
def test_what_a_check_did_not_execute_of_a_lane_leaves_it_fresh(
    config: Config, path: str, old: str, new: str
) -> None:
    assert shown(now(config), now(config, edited(LANE, path, old, new))) == "pass"


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("pyproject.toml", "mine", "ours"),
        ("src/mine/data.json", "", "{}"),
        ("src/mine/layers.py", "x * SCALE", "x + SCALE"),
        ("src/mine/layers.py", "SCALE = 2", "SCALE = 3"),
        ("src/mine/layers.py", "def scaled(x)", "def scaled(x, y=1)"),
        ("src/mine/layers.py", "def scaled(x)", "@staticmethod\ndef scaled(x)"),
        # What is defined now, and called instead.
        (
            "src/mine/layers.py",
            "class Layer(Base):\n    pass",
            "class Layer(Base):\n    def forward(self, x): ...",
        ),
        ("src/mine/layers.py", "    def idle(self):\n        return 1\n", ""),
        ("src/mine/layers.py", "class Base", "def scaled(x):\n    return x\n\nclass Base"),
        ("src/mine/layers.py", "class Layer(Base)", "class Layer(object)"),
        ("src/mine/layers.py", 'def scaled(x):\n    """Twice."""\n    return x * SCALE  # here\n', ""),
        ("src/mine/layers.py", "import typing", "import os, typing"),
        ("src/mine/__init__.py", "", "X = 1\n"),
    ],
)
def test_what_it_executed_of_a_lane_makes_it_stale(config: Config, path: str, old: str, new: str) -> None:
    assert shown(now(config), now(config, edited(LANE, path, old, new))) == "stale"


def test_a_function_that_hides_one_of_python_is_noticed(config: Config) -> None:
    lane = edited(LANE, "src/mine/layers.py", "x * SCALE", "abs(x)")
    hidden = edited(lane, "src/mine/layers.py", "class Base", "def abs(x):\n    return x\n\nclass Base")
    assert shown(now(config, lane), now(config, hidden)) == "stale"


def after(config: Config, path: str, old: str, new: str) -> Present:
    file = config.root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    text = file.read_text() if file.exists() else ""
    assert old in text
    file.write_text(text.replace(old, new, 1) if old else text + new)
    return now(config)


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("device/README.md", "", "More.\n"),
        ("device/docs/figures.py", "", "MORE = 1\n"),
        ("device/tests/test_memory.py", "", "assert 1\n"),
        ("device/src/device/__pycache__/memory.pyc", "", "x"),
        ("device/.cache/kept", "", "x"),
        ("device/src/device/memory.cpp", "// one", "/* the first */"),
        ("device/src/device/exceptions.yaml", "  # first", ""),
        ("device/src/device/operators.py", "a - b", "b - a"),
        ("device/src/device/cases/other.py", "1", "2"),
        ("device/src/device/cases/made_since.py", "", "A = 1\n"),
        ("locks/v1.0.0.txt", "# content: 1", "# content: one"),
        ("locks/v2.0.0.txt", "", "torch==9"),
    ],
)
def test_what_a_check_did_not_use_of_what_is_beside_leaves_it_fresh(
    config: Config, path: str, old: str, new: str
) -> None:
    assert shown(now(config), after(config, path, old, new)) == "pass"


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("device/pyproject.toml", "device", "devices"),
        ("device/src/device/memory.cpp", "1", "2"),
        ("device/src/device/exceptions.yaml", "- a", "- c"),
        ("device/src/device/operators.py", "a + b", "b + a"),
        ("device/src/device/cases/greedy.py", "12", "13"),
        ("device/src/device/cases/greedy.py", "return TOKENS", "return TOKENS + 1"),
        ("locks/v1.0.0.txt", "2.13.0", "2.13.1"),
    ],
)
def test_what_it_used_of_what_is_beside_makes_it_stale(config: Config, path: str, old: str, new: str) -> None:
    assert shown(now(config), after(config, path, old, new)) == "stale"


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ({"stack": {"torch": "2.14.0", "cann": None}}, "stale"),
        ({"simulated_with": {"torch": "2.14.0"}}, "stale"),
        ({"requires": ("more",)}, "stale"),
        ({"stack": {"torch": "2.13.0", "cann": "8.5"}}, "pass"),
        ({"note": "Of today."}, "pass"),
    ],
)
def test_the_environment_of_the_row(config: Config, row: dict[str, object], expected: str) -> None:
    assert shown(now(config), now(config, **row)) == expected
    # The static check runs nothing.
    static = now(config).digest(None, None)
    assert static == now(config, **row).digest(None, None)


def test_all_counts_for_who_does_not_tell_what_it_executed(config: Config) -> None:
    before = now(config)
    assert shown(before, now(config, edited(LANE, "src/mine/unused.py", "1", "2")), None) == "stale"
    assert shown(before, now(config, edited(LANE, "README.md", "Mine", "Yours")), None) == "pass"
    assert shown(before, after(config, "device/src/device/cases/other.py", "1", "2"), None) == "stale"


def test_a_folder_that_counts_as_a_whole() -> None:
    files = {"device/__init__.py": b"", "device/cases/one.py": b"A = 1"}
    ran = {"device/cases/": ("*",)}
    before = Present(beside=Sources(files), environment="e")
    more = Present(beside=Sources({**files, "device/cases/two.py": b"A = 1"}), environment="e")
    other = Present(beside=Sources({**files, "device/more.py": b"A = 1"}), environment="e")
    assert shown(before, more, ran) == "stale"
    assert shown(before, other, ran) == "pass"


def test_what_was_published_counts_as_a_whole() -> None:
    ran = {"plugin/a.py": ("f",), "device/cases/one.py": ()}
    files = Sources({"device/__init__.py": b"", "device/cases/one.py": b"A = 1"})
    before = Present(beside=files, environment="e", published="1")
    assert shown(before, Present(beside=files, environment="e", published="1"), ran) == "pass"
    assert shown(before, Present(beside=files, environment="e", published="2"), ran) == "stale"


def test_what_an_overlay_adds_to_its_package_counts(config: Config) -> None:
    plain = OverlaySettings(package="some-plugin==1.0", sha256="0" * 64)
    others = [
        plain,
        plain.model_copy(update={"written": {"some_plugin/_build_info.py": "DEVICE = 1\n"}}),
        plain.model_copy(update={"read": {"SOURCE": "csrc/kernel.cpp"}}),
        plain.model_copy(update={"package": "some-plugin==1.1"}),
    ]
    found = {now(config.model_copy(update={"overlay": overlay})).environment for overlay in others}
    assert len(found) == 4


def test_a_source_that_is_nested_too_deep_counts_as_a_whole() -> None:
    deep = b"x = " + b" + ".join([b"1"] * 2000)
    assert [*units(deep).digests] == [*units(b"x = (").digests] == [IMPORTED]
    assert units(deep) != units(deep + b" + 1")
    assert set(units(b"def f(): return 1").digests) == {IMPORTED, "f"}
