"""Variables that tell a run about its lane's stack: versions, and whether something is required."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from syncbot.config import SimulationSettings
from syncbot.errors import ConfigurationError, EnvironmentFailure
from syncbot.lanes.matrix import Lane
from syncbot.verify.told_variables import told_variables

OFFER = Callable[..., Path]


def lane(**facts: object) -> Lane:
    return Lane.model_validate({"tag": "v1.5", "wheel": "1.5", "python": ">=3.10"} | facts)


def settings(**tables: object) -> SimulationSettings:
    return SimulationSettings.model_validate({"check": "a.b", "cases": {"c": ["v1"]}} | tables)


KERNELS = settings(by_requirement={"KERNELS": ["tiny-kernels", "compiled", "none"]})


@pytest.fixture
def wheel(tmp_path: Path, offer: OFFER) -> Path:
    return offer(tmp_path, "tinybackend", "1", {"tinybackend/__init__.py": ""})


@pytest.mark.parametrize(
    ("facts", "value"),
    [
        ({}, "none"),
        ({"stack": {"tiny_kernels": None}}, "none"),
        ({"stack": {"tiny_kernels": "3.2"}}, "compiled"),
        ({"stack": {"tiny_kernels_other": "3.2"}}, "none"),
        ({"requires": ["tiny.kernels>=3"]}, "compiled"),
        ({"requires": ["tiny-kernels>=3; extra == 'fast'"]}, "none"),
        ({"requires": ["tiny-kernels>=3; python_version < '3'"]}, "none"),
    ],
)
def test_the_lanes_row_says_what_is_required(facts: dict[str, object], value: str, wheel: Path) -> None:
    assert told_variables(KERNELS, lane(**facts), wheel) == {"KERNELS": value}


@pytest.mark.parametrize(
    ("required", "value"), [("tiny_kernels (==3.2)", "compiled"), ("tiny-colours", "none"), ("?", "none")]
)
def test_so_do_the_requirements_of_its_wheel(required: str, value: str, wheel: Path, offer: OFFER) -> None:
    with zipfile.ZipFile(wheel, "a") as archive:
        name = next(name for name in archive.namelist() if name.endswith("METADATA"))
        text = archive.read(name).decode()
    again = wheel.with_name("again.whl")
    with zipfile.ZipFile(again, "w") as archive:
        archive.writestr(name, text.replace("\nVersion:", f"\nRequires-Dist: {required}\nVersion:", 1))
    assert told_variables(KERNELS, lane(), again) == {"KERNELS": value}


def test_the_version_is_the_lanes_own(wheel: Path) -> None:
    asked = settings(versions={"DEVICE": "tiny-device"})
    row = lane(stack={"tiny_device": "2.11"}, simulated_with={"tiny_device": "2.13"})
    assert told_variables(asked, row, wheel) == {"DEVICE": "2.11"}
    with pytest.raises(ConfigurationError, match=r"lane v1\.5 pins no version of tiny-device"):
        told_variables(asked, lane(stack={"tiny_device": None}), wheel)


def test_a_wheel_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "broken.whl").write_bytes(b"")
    with pytest.raises(EnvironmentFailure, match=r"cannot read the metadata of .*broken\.whl"):
        told_variables(KERNELS, lane(), tmp_path / "broken.whl")
    assert told_variables(settings(), lane(), tmp_path / "broken.whl") == {}
