"""Triton without a device: completed when it is imported, and working on the memory of the device."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
import torch

from tests.simulator.beside_torch import Program

SOURCES = Path(__file__).parents[3] / "simulator" / "src"

KERNEL = """
import importlib.util
import torch
from torch_npu_sim.surface import loading
loading.load()
# Whoever only looks for triton takes nothing away.
importlib.util.find_spec("triton")
import triton
import triton.language as tl

@triton.jit
def add(x, y, n: tl.constexpr, by):
    at = tl.arange(0, n)
    tl.store(y + at, tl.load(x + at) + by)

x, y = torch.arange(8., device="npu"), torch.zeros(8, device="npu")
add[(1,)](x, y, 8, 2.5)
assert y.tolist() == [2.5 + i for i in range(8)]
graph = torch.npu.NPUGraph()
with torch.npu.graph(graph):
    add[(1,)](x, y, 8, 1.0)
x.zero_()
graph.replay()
print(y.tolist(), triton.runtime.driver.active.utils.get_device_properties(0)["num_aicore"])
"""


def run(folder: Path, text: str = KERNEL, **variables: str) -> subprocess.CompletedProcess[str]:
    script = folder / "kernel.py"
    script.write_text(text)
    return Program(script, [str(SOURCES)], CUDA_VISIBLE_DEVICES="", **variables).finish()


def test_a_kernel_writes_the_memory_of_the_device_and_a_graph_repeats_its_launch(tmp_path: Path) -> None:
    done = run(tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == f"{[1.0] * 8} {torch.npu.get_device_properties(0).cube_core_num}"


def test_an_absent_triton_cannot_be_imported(tmp_path: Path) -> None:
    looked = KERNEL.replace('find_spec("triton")', 'find_spec("triton") and 1 / 0')
    done = run(tmp_path, looked, TORCH_NPU_SIM_TRITON="absent")
    assert done.stderr.splitlines()[-1].startswith("ModuleNotFoundError: import of triton halted")


def test_an_unknown_kind_is_told(tmp_path: Path) -> None:
    done = run(tmp_path, TORCH_NPU_SIM_TRITON="compiled")
    assert "TORCH_NPU_SIM_TRITON=compiled is none of absent, interpreted, ascend" in done.stderr


EXTENSION = """
import torch
from torch_npu_sim.surface import loading
loading.load()
import triton
import triton.language as tl
import triton.language.extra.cann.extension as ext

@triton.jit
def kernel(x, y, z, n: tl.constexpr):
    rows = tl.load(x + tl.arange(0, n)[:, None] * 4 + tl.arange(0, 4)[None, :])
    rows = ext.insert_slice(rows, tl.zeros((2, 2), tl.float32), (1, 0), (2, 2), (2, 2))
    part = ext.extract_slice(rows, offsets=(2, 1), sizes=(3, 2), strides=(1, 2))
    total = 0.0
    for i in range(3):
        total += ext.get_element(part, (i, 1))
    tl.store(y, total)
    tl.store(y + 1 + tl.arange(0, n), ext.sort(tl.sum(rows, 1), descending=True))
    tl.store(z, tl.load(z) + 1)
    tl.store(y + 7, tl.sum(tl.extra.cann.libdevice.isnan(tl.load(x + 24 + tl.arange(0, 2))).to(tl.int32), 0))
    tl.store(y + 8 + tl.arange(0, 2), tl.extra.cann.libdevice.nearbyint(tl.load(x + 26 + tl.arange(0, 2))))

x = torch.cat((torch.arange(24.0), torch.tensor([float("nan"), 1.0, 2.5, -1.7])))
y = torch.zeros(10, device="npu")
z = torch.tensor([2**31 - 1], dtype=torch.int32, device="npu")
kernel[(1,)](x.to("npu"), y, z, 6)
assert z.tolist() == [-(2**31)], "integers wrap around, as they do on a device"

rows = x[:24].reshape(6, 4).double()
rows[1:4:2, 0:3:2] = 0
exact = [rows[2:5, 3].sum(), *rows.sum(1).sort(descending=True).values, 1.0, 2.0, -2.0]
assert y.tolist() == [float(value) for value in exact], (y, exact)
"""


def test_what_triton_ascend_adds_is_computed_in_blocks_of_any_length(tmp_path: Path) -> None:
    done = run(tmp_path, EXTENSION, TORCH_NPU_SIM_TRITON="ascend")
    assert done.returncode == 0, done.stderr


def test_what_else_it_adds_refuses_its_use(tmp_path: Path) -> None:
    kernel = EXTENSION.replace("ext.sort(", "ext.flip(")
    done = run(tmp_path, kernel, TORCH_NPU_SIM_STAND_INS="triton.language.extra.cann")
    assert "the simulation does not do triton.language.extra.cann.extension.flip" in done.stderr


NAMES = """
import importlib.util
import torch
from torch_npu_sim.surface import loading
loading.load()
from triton.backends.ascend.driver import NPUDriver
from triton.runtime.libentry import libentry
import triton.language as tl
from torch_npu_sim.triton.cann import extension, libdevice
assert tl.get_element is extension.get_element
assert tl.extra.ascend.libdevice.isnan is libdevice.isnan
assert tl.extra.cann.extension.get_element is extension.get_element
assert importlib.util.find_spec("triton.backends.ascend.nothing") is None
assert not hasattr(tl.extra.ascend.libdevice, "nothing")
for use in (libentry, NPUDriver, tl.sync_block_all, tl.extra.ascend.libdevice.relu):
    try:
        use()
    except NotImplementedError as error:
        print(error)
"""


def test_triton_ascends_names_can_be_imported_and_those_that_are_not_computed_refuse_their_use(
    tmp_path: Path,
) -> None:
    done = run(tmp_path, NAMES, TORCH_NPU_SIM_TRITON="ascend")
    assert done.returncode == 0, done.stderr
    assert [line.partition("not do ")[2].partition(",")[0] for line in done.stdout.splitlines()] == [
        "triton.runtime.libentry.libentry",
        "triton.backends.ascend.driver.NPUDriver",
        "triton.language.sync_block_all",
        "triton.language.extra.ascend.libdevice.relu",
    ]


def test_triton_alone_has_none_of_them(tmp_path: Path) -> None:
    done = run(tmp_path, NAMES, TORCH_NPU_SIM_TRITON="interpreted")
    assert "No module named 'triton.backends.ascend'" in done.stderr


@pytest.mark.parametrize(
    ("distribution", "kind"), [("triton-ascend", "ascend"), ("triton-of-others", "interpreted")]
)
def test_what_is_installed_decides_where_nobody_chose(distribution: str, kind: str, tmp_path: Path) -> None:
    made = tmp_path / f"{distribution.replace('-', '_')}-3.2.0.dist-info"
    made.mkdir()
    (made / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 3.2.0\n")
    done = run(tmp_path, "import torch\nfrom torch_npu_sim.triton import loading\nprint(loading.kind())")
    assert done.stdout == f"{kind}\n", done.stderr


def test_where_no_triton_is_installed_there_is_none(tmp_path: Path) -> None:
    text = """
import importlib.util
plain = importlib.util.find_spec
importlib.util.find_spec = lambda name, *a: None if name == "triton" else plain(name, *a)
from torch_npu_sim.triton import loading
print(loading.kind())
"""
    assert run(tmp_path, text).stdout == "absent\n"


def test_a_plugin_may_put_an_empty_module_in_the_place_of_gluon(tmp_path: Path) -> None:
    empty = """
import sys
from types import ModuleType
for name in ("triton.experimental", "triton.experimental.gluon", "triton.experimental.gluon.language"):
    sys.modules[name] = ModuleType(name)
sys.modules["triton.experimental"].__path__ = []
"""
    done = run(tmp_path, empty + KERNEL + "assert sys.modules['triton.experimental.gluon'].__spec__ is None")
    assert done.returncode == 0, done.stderr
