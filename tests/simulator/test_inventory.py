"""Which operators a plugin names: by its sources, without running them."""

from __future__ import annotations

import io
import tarfile
import zipfile
from pathlib import Path

import pytest
from torch_npu_sim.surface import named_operators
from torch_npu_sim.surface.inventory import Operator, family, operators
from torch_npu_sim.surface.named_operators import Named

CODE = """
import torch
import torch_npu as chip
from torch import ops as o
from torch_npu import npu_swiglu as act, npu
ours = torch.ops._C_chip
step = ours.fused_step

def f(x):
    chip.npu_rms_norm(x)
    chip.npu_attention.out(x, out=[x])
    chip.npu_attention.default(x)
    act(x)
    o.npu.fast_gelu(x).npu_not_one()
    ours.scale(x)
    getattr(torch.ops._C_chip, "stored")(x)
    hasattr(chip, "npu_new")
    chip.empty_with_format(x)
    chip.npu.npu_config
    torch.ops.aten.add(x, x)
    # chip.npu_commented(x)
    "chip.npu_in_text"
    other.npu_of_somebody(x)
"""


def test_operators_under_all_their_names() -> None:
    found = named_operators.in_text(CODE, {"_C_chip"}, {"empty_with_format"})
    assert [each.name for each in found] == [
        *(
            "npu_swiglu",
            "fused_step",
            "npu_rms_norm",
            "npu_attention",
            "npu_attention",
            "npu_swiglu",
            "fast_gelu",
        ),
        *("scale", "stored", "npu_new", "empty_with_format"),
    ]
    assert Named("npu", "npu_attention", "out", 11) in found
    assert Named("npu", "npu_attention", "", 12) in found
    assert Named("_C_chip", "stored", "", 16) in found


def test_another_namespace_is_not_looked_at() -> None:
    assert not {"scale", "stored"} & {each.name for each in named_operators.in_text(CODE, ())}


SCHEMAS = {
    "npu_swiglu": "npu_swiglu(Tensor self, int dim=-1) -> Tensor",
    "npu_put.one": "npu_put.one(Tensor x) -> Tensor",
    "npu_put.two": "npu_put.two(Tensor x, Tensor y) -> Tensor",
}
FILES = {
    "plugin-1/plugin/ops.py": "import torch_npu\ntorch_npu.npu_swiglu(1)\ntorch_npu.npu_put(1)\ntorch_npu.npu_put.two(1)\n",
    "plugin-1/plugin/own.py": "import torch\ntorch.ops._C_x.norm(1)\ntorch.ops._C_x.dummy(1)\ntorch.ops._C_y.far(1)\n",
    "plugin-1/plugin/template.py": "import torch_npu\n{{ torch_npu.npu_swiglu }\n",
    "plugin-1/tests/test_ops.py": "import torch_npu\ntorch_npu.npu_tested(1)\n",
    "plugin-1/csrc/binding.cpp": 'TORCH_LIBRARY(_C_x, m) { m.def("norm(Tensor x) -> Tensor"); }',
}
EXPECTED = (
    Operator("_C_x", "norm", "normalisation", ("plugin/own.py:2",), ("norm(Tensor x) -> Tensor",), True),
    Operator("_C_x", "dummy", "other", ("plugin/own.py:3",), (), False),
    Operator("_C_y", "far", "other", ("plugin/own.py:4",), (), False),
    Operator(
        "npu",
        "npu_put",
        "other",
        ("plugin/ops.py:3",),
        (SCHEMAS["npu_put.one"], SCHEMAS["npu_put.two"]),
        True,
    ),
    Operator("npu", "npu_put.two", "other", ("plugin/ops.py:4",), (SCHEMAS["npu_put.two"],), False),
    Operator("npu", "npu_swiglu", "activation", ("plugin/ops.py:2",), (SCHEMAS["npu_swiglu"],), True),
)


def as_folder(folder: Path) -> Path:
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder / "plugin-1"


def as_sdist(folder: Path) -> Path:
    path = folder / "plugin-1.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        for name, text in FILES.items():
            member = tarfile.TarInfo(name)
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text.encode()))
    return path


def as_wheel(folder: Path) -> Path:
    path = folder / "plugin-1-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in FILES.items():
            archive.writestr(name.removeprefix("plugin-1/"), text)
    return path


@pytest.mark.parametrize("published", [as_folder, as_sdist, as_wheel])
def test_a_plugin_in_whatever_form(published: object, tmp_path: Path) -> None:
    assert callable(published)
    found = operators(published(tmp_path), SCHEMAS, {"npu_swiglu", "npu_put.one", "_C_x::norm"})
    assert sorted(found, key=repr) == sorted(EXPECTED, key=repr)
    assert [each.family for each in found] == sorted(each.family for each in EXPECTED)


def test_no_plugin(tmp_path: Path) -> None:
    with pytest.raises(OSError, match=r"there is no .*none\.tar\.gz: name a plugin's folder"):
        operators(tmp_path / "none.tar.gz", {}, ())
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_ops.py").write_text("import torch_npu")
    (tmp_path / "binding.cpp").touch()
    with pytest.raises(OSError, match=r"has no Python sources, but for tests"):
        operators(tmp_path, {}, ())
    (tmp_path / "text.tar.gz").write_text("text")
    with pytest.raises(
        OSError, match=r"text\.tar\.gz is neither a folder nor a source distribution nor a wheel$"
    ):
        operators(tmp_path / "text.tar.gz", {}, ())


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("npu_moe_distribute_dispatch_v2", "communication"),
        ("npu_scatter_pa_kv_cache", "key-value cache"),
        ("npu_kv_quant_sparse_flash_attention", "attention"),
        ("npu_dynamic_quant", "quantisation"),
        ("npu_add_rms_norm_quant", "normalisation"),
        ("npu_mm_all", "matrix product"),
        ("npu_iou", "other"),
        ("summary_string", "other"),
    ],
)
def test_families(name: str, expected: str) -> None:
    assert family(name) == expected
