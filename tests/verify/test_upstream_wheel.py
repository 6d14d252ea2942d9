from __future__ import annotations

import io
import tarfile
from pathlib import Path

import pytest

from syncbot.errors import EnvironmentFailure
from syncbot.verify.installer import Installer
from syncbot.verify.recipe import Recipe
from syncbot.verify.upstream_wheel import upstream_wheel

pytestmark = pytest.mark.machine

RECIPE = Recipe("tiny", "1.5", "e" * 64, "3.11")


@pytest.mark.usefixtures("index")
@pytest.mark.parametrize("member", ["../outside.txt", "/outside.txt", "tiny-1.5/../../outside.txt"])
def test_an_archive_that_reaches_outside_is_refused(member: str, tmp_path: Path) -> None:
    file = tmp_path / "tiny-1.5.tar.gz"
    with tarfile.open(file, "w:gz") as archive:
        entry = tarfile.TarInfo(member)
        entry.size = 4
        archive.addfile(entry, io.BytesIO(b"evil"))
    cache = tmp_path / "cache"
    with pytest.raises(EnvironmentFailure, match=r"tiny-1\.5"):
        upstream_wheel(RECIPE, file, Installer.of_this_machine(cache), cache)
    assert not Path("/outside.txt").exists()
    assert not list(tmp_path.rglob("outside.txt"))


@pytest.mark.usefixtures("index")
def test_a_damaged_archive_is_named(tmp_path: Path) -> None:
    file = tmp_path / "tiny-1.5.tar.gz"
    file.write_bytes(b"\x1f\x8b not really")
    cache = tmp_path / "cache"
    with pytest.raises(EnvironmentFailure, match=r"cannot unpack .*tiny-1\.5\.tar\.gz"):
        upstream_wheel(RECIPE, file, Installer.of_this_machine(cache), cache)
    assert not list((cache / "wheels").glob("tiny-1.5-*/"))
