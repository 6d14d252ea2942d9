"""A wheel is opened once, however many of its files are read."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

import pytest
from torch_npu_sim.schemas import wheel


def test_many_files_are_read_with_one_list_of_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "torch_npu-2.10.0-py3-none-any.whl"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("torch_npu-2.10.0.dist-info/METADATA", "")
        for number in range(5):
            archive.writestr(f"torch_npu/part{number}.py", str(number))
    source = wheel.from_wheel(file)
    opened: list[object] = []
    plain = zipfile.ZipFile

    def counted(path: Path) -> zipfile.ZipFile:
        opened.append(path)
        return plain(path)

    monkeypatch.setattr(zipfile, "ZipFile", counted)
    assert [source.read(f"torch_npu/part{n}.py") for n in range(5)] == [str(n).encode() for n in range(5)]
    assert len(opened) == 1
    # A process that is forked opens it for itself.
    reader, writer = os.pipe()
    if (child := os.fork()) == 0:
        os.write(writer, source.read("torch_npu/part3.py") + str(len(opened)).encode())
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(reader, 9) == b"32"
