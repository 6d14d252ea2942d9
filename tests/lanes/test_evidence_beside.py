"""Evidence of simulated runs goes stale with the code of the projects beside a lane, and with nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from syncbot.config import Config, SimulationSettings
from syncbot.lanes.backend_files import digest_beside
from syncbot.lanes.matrix import Evidence, Lane

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


def shown(config: Config, edited: str) -> str:
    """What the matrix shows of a check that passed before a file was edited or made."""
    evidence = Evidence(
        status="pass",
        command="run",
        date="2026-11-22T00:00:00+00:00",
        digest="lane",
        beside=digest_beside(config),
    )
    file = config.root / edited
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a") as text:
        text.write("more\n")
    lane = Lane(tag="v1.0.0", wheel="1.0.0", python=">=3.10", sources="lane", beside=digest_beside(config))
    return lane.model_copy(update={"checks": {"simulate": evidence}}).shown("simulate")


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
