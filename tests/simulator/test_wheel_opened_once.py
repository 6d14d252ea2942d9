"""A wheel has thousands of files: its list is read once in a process, however many of them are read."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

import pytest
from torch_npu_sim.schemas import wheel


class Counted(zipfile.ZipFile):
    """An archive that counts how often one was opened."""

    opened = 0

    def __init__(self, path: Path) -> None:
        type(self).opened += 1
        super().__init__(path)


def torch_npu(path: Path, text: str) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("torch_npu-2.9.0.dist-info/METADATA", "Name: torch_npu\n")
        for number in range(20):
            archive.writestr(f"torch_npu/{number}.py", f"{text}{number}")
    return path


def test_many_files_are_read_of_one_opened_archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = wheel.from_wheel(torch_npu(tmp_path / "torch_npu-2.9.0-py3-none-any.whl", "first"))
    monkeypatch.setattr(zipfile, "ZipFile", Counted)
    monkeypatch.setattr(Counted, "opened", 0)
    names = [f"torch_npu/{number}.py" for number in range(20)]
    assert [source.read(name) for name in names] == [f"first{number}".encode() for number in range(20)]
    assert Counted.opened == 1
    # A child that shared the opened file would move the parent's place in it.
    if (child := os.fork()) == 0:
        os._exit(int([source.read(name) for name in names][-1] != b"first19" or Counted.opened != 2))
    assert os.waitpid(child, 0)[1] == 0


def test_a_wheel_that_was_replaced_is_read_anew(tmp_path: Path) -> None:
    path = tmp_path / "torch_npu-2.9.0-py3-none-any.whl"
    assert wheel.from_wheel(torch_npu(path, "first")).read("torch_npu/1.py") == b"first1"
    assert wheel.from_wheel(torch_npu(path, "another")).read("torch_npu/1.py") == b"another1"
