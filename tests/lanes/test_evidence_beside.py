"""Evidence of simulated runs goes stale with the code of the projects beside a lane, and with nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest
from syncbot.lanes.code_beside import code_beside, of_run, row_facts

from syncbot.config import Config, OverlaySettings, SimulationSettings
from syncbot.lanes.evidence import Evidence
from syncbot.lanes.matrix import Lane

_FILES = {
    "device/pyproject.toml": "[project]\n",
    "device/README.md": "A device.\n",
    "device/src/device/__init__.py": "MEMORY = 1\n",
    "device/src/device/memory.cpp": "int memory = 1;\n",
    "device/src/device/exceptions.yaml": "[]\n",
    "device/tests/test_memory.py": "assert True\n",
    "device/docs/figures.py": "FIGURES = 1\n",
    "device/cases/pyproject.toml": "[project]\n",
    "device/cases/README.rst": "Cases.\n",
    "device/cases/src/cases/greedy.py": "TOKENS = 12\n",
}


@pytest.fixture
def config(tmp_path: Path) -> Config:
    for name, text in _FILES.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    simulate = SimulationSettings(
        check="cases.check", cases={"greedy": ("v1",)}, beside=("device", "device/cases")
    )
    return Config(root=tmp_path, simulate=simulate)


def shown(config: Config, edited: str, told: object = None) -> str:
    """What the matrix shows of a check that passed before a file was edited or made; ``told`` is what it used."""
    code = code_beside(config)
    assert code is not None
    used = code.used(told)
    evidence = Evidence(
        status="pass",
        command="run",
        date="2026-11-22T00:00:00+00:00",
        digest="lane",
        beside=of_run(code.common, code.parts, used),
        used=used,
    )
    file = config.root / edited
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a") as text:
        text.write("more\n")
    lane = Lane(tag="v1.0.0", wheel="1.0.0", python=">=3.10", sources="lane")
    now = row_facts(code_beside(config))
    return lane.model_copy(update={"checks": {"simulate": evidence}, **now}).shown("simulate")


@pytest.mark.parametrize(
    "edited",
    [
        "device/README.md",
        "device/cases/README.rst",
        "device/docs/figures.py",
        "device/tests/test_memory.py",
        "device/src/device/__pycache__/memory.pyc",
        "device/.cache/kept",
    ],
)
def test_documents_tests_and_caches_leave_it_fresh(config: Config, edited: str) -> None:
    assert shown(config, edited) == "pass"


@pytest.mark.parametrize(
    "edited",
    [
        "device/pyproject.toml",
        "device/src/device/__init__.py",
        "device/src/device/memory.cpp",
        "device/src/device/exceptions.yaml",
        "device/cases/src/cases/greedy.py",
        "device/src/device/tests.py",
    ],
)
def test_code_makes_it_stale(config: Config, edited: str) -> None:
    assert shown(config, edited) == "stale"


@pytest.mark.parametrize(
    ("edited", "expected"),
    [
        ("device/src/device/references/norm.py", "stale"),
        ("device/src/device/references/__init__.py", "stale"),
        ("device/src/device/references/swiglu.py", "pass"),
        ("device/src/device/references/made_since.py", "pass"),
        ("device/src/device/references/data/norm.yaml", "stale"),
        ("device/src/device/references/deeper/norm.py", "stale"),
        ("device/src/device/references_of_others.py", "stale"),
        ("device/src/device/memory.cpp", "stale"),
    ],
)
def test_a_part_counts_for_the_runs_that_used_it(config: Config, edited: str, expected: str) -> None:
    for name in ("__init__", "norm", "swiglu"):
        file = config.root / f"device/src/device/references/{name}.py"
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"NAME = '{name}'\n")
    assert config.simulate is not None
    simulate = config.simulate.model_copy(update={"parts": ("device.references",)})
    with_parts = config.model_copy(update={"simulate": simulate})
    told = ["device.references", "device.references.norm", "device.elsewhere"]
    assert shown(with_parts, edited, told) == expected
    # Who tells nothing used everything.
    assert shown(with_parts, edited) == "stale"


def test_a_part_that_is_gone_counts_for_those_who_used_it(config: Config) -> None:
    parts = {"device.references.norm": "a", "device.references.swiglu": "b"}
    norm = of_run("common", parts, "device.references.norm")
    assert norm != of_run("common", {"device.references.swiglu": "b"}, "device.references.norm")
    assert norm == of_run("common", {"device.references.norm": "a"}, "device.references.norm")


@pytest.mark.parametrize("beside", [("device",), ()])
def test_what_an_overlay_adds_to_its_package_counts(config: Config, beside: tuple[str, ...]) -> None:
    assert config.simulate is not None
    simulate = config.simulate.model_copy(update={"beside": beside})
    plain = OverlaySettings(package="some-plugin==1.0", sha256="0" * 64)
    written = plain.model_copy(update={"written": {"some_plugin/_build_info.py": "DEVICE = 1\n"}})
    found = [
        row_facts(code_beside(config.model_copy(update={"simulate": simulate, "overlay": overlay})))["beside"]
        for overlay in (
            None,
            plain,
            written,
            written.model_copy(update={"written": {"some_plugin/_build_info.py": "DEVICE = 2\n"}}),
            written.model_copy(update={"read": {"SOURCE": "csrc/kernel.cpp"}}),
        )
    ]
    assert found[0] == found[1], "nothing is added"
    assert len(set(found[1:])) == 4
    without = config.model_copy(update={"simulate": None, "overlay": written})
    assert code_beside(without) is None
