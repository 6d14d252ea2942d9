from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest

from syncbot.errors import EnvironmentFailure
from syncbot.verify.read_only_wheels import wheel

pytestmark = pytest.mark.machine


@pytest.fixture
def offered(index: Path, offer: Callable[..., Path]) -> Path:
    return offer(index, "tinydata", "3", {"tinydata.py": "DATA = 3\n"})


def test_the_wheel_is_downloaded_with_its_digest_noted(offered: Path, tmp_path: Path) -> None:
    file = wheel("tinydata", "3", tmp_path / "cache")
    assert file.read_bytes() == offered.read_bytes()
    noted = file.with_name(f"{file.name}.sha256").read_text().strip()
    assert noted == hashlib.sha256(offered.read_bytes()).hexdigest()


def test_a_cached_wheel_needs_no_index(offered: Path, tmp_path: Path) -> None:
    first = wheel("tinydata", "3", tmp_path / "cache")
    offered.unlink()
    assert wheel("Tinydata", "3", tmp_path / "cache") == first


def test_a_damaged_wheel_is_downloaded_again(offered: Path, tmp_path: Path) -> None:
    first = wheel("tinydata", "3", tmp_path / "cache")
    first.write_bytes(b"cut off")
    assert wheel("tinydata", "3", tmp_path / "cache").read_bytes() == offered.read_bytes()


def test_a_version_that_nobody_offers_is_named(offered: Path, tmp_path: Path) -> None:
    with pytest.raises(EnvironmentFailure, match=r"cannot download the wheel of tinydata 4: No matching"):
        wheel("tinydata", "4", tmp_path / "cache")
    assert wheel("tinydata", "3", tmp_path / "cache").is_file()


def test_a_source_distribution_is_not_taken_for_a_wheel(index: Path, tmp_path: Path, sdist: Path) -> None:
    (index / sdist.name).write_bytes(sdist.read_bytes())
    with pytest.raises(EnvironmentFailure, match=r"tiny 1\.5"):
        wheel("tiny", "1.5", tmp_path / "cache")
