"""Archives from anybody: what is read of them, and how much."""

from __future__ import annotations

import gzip
import struct
import tarfile
import tracemalloc
import zipfile
from pathlib import Path

import pytest

from syncbot.errors import EnvironmentFailure
from syncbot.upstream.archive import members, newest_member


def wheel(path: Path, sizes: dict[str, int]) -> bytearray:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as pack:
        for name, size in sizes.items():
            pack.writestr(name, b"\0" * size)
    return bytearray(path.read_bytes())


@pytest.mark.parametrize(
    ("at", "value", "reason"),
    [
        (8, struct.pack("<H", 1), "encrypted"),
        (10, struct.pack("<H", 99), "compression method is not supported"),
        (24, struct.pack("<I", 1_000), "Bad CRC-32"),
    ],
    ids=["encrypted", "unknown compression", "a lie about the size"],
)
def test_a_wheel_that_cannot_be_read_is_refused_without_being_unpacked(
    tmp_path: Path, at: int, value: bytes, reason: str
) -> None:
    file = tmp_path / "a.whl"
    content = wheel(file, {"big.py": 50_000_000})
    entry = content.rfind(b"PK\x01\x02")
    content[entry + at : entry + at + len(value)] = value
    file.write_bytes(content)
    tracemalloc.start()
    try:
        with pytest.raises(EnvironmentFailure, match=reason):
            list(members(file, file.name))
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("kind", [tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.GNUTYPE_LONGNAME])
def test_a_header_longer_than_any_path_is_refused(tmp_path: Path, kind: bytes) -> None:
    header = tarfile.TarInfo("a/b.py")
    header.type, header.size = kind, 1 << 30
    file = tmp_path / "a.tar.gz"
    file.write_bytes(gzip.compress(header.tobuf(tarfile.GNU_FORMAT) + b"\0" * 10_240))
    with pytest.raises(EnvironmentFailure, match="a header of 1,073,741,824 bytes"):
        list(members(file, file.name))


def test_an_archive_that_unpacks_to_too_much_is_refused(tmp_path: Path) -> None:
    whl = tmp_path / "a.whl"
    wheel(whl, {"a.py": 1_000, "b.bin": 99_000})
    tar = tmp_path / "a.tar.gz"
    with tarfile.open(tar, "w:gz") as pack:
        pack.add(whl, "a/c.bin")
        (tmp_path / "zeros").write_bytes(b"\0" * 100_000)
        pack.add(tmp_path / "zeros", "a/b.bin")
    for file, kept in ((whl, [("a.py", b"\0" * 1_000)]), (tar, [])):
        assert list(members(file, file.name, 150_000)) == kept
        with pytest.raises(EnvironmentFailure, match=r"more than limits\.archive_bytes allows, 90,000"):
            list(members(file, file.name, 90_000))
        with pytest.raises(EnvironmentFailure, match=r"more than limits\.archive_bytes allows, 90,000"):
            newest_member(file, file.name, 90_000)


def test_what_an_installer_puts_beside_the_packages_has_its_path_there(tmp_path: Path) -> None:
    whl = tmp_path / "a.whl"
    names = ("a-1.data/purelib/a/x.py", "a-1.data/platlib/y.py", "a-1.data/scripts/z.py", "a.data.py")
    wheel(whl, dict.fromkeys(names, 1))
    kept = [path for path, _ in members(whl, whl.name)]
    assert kept == ["a/x.py", "y.py", "a-1.data/scripts/z.py", "a.data.py"]
