"""A program reads operators' documents: which sentences demand something, and which become rows."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest
from torch_npu_sim.schemas.wheel import NATIVE_FUNCTIONS
from torch_npu_sim.strictness import __main__ as command
from torch_npu_sim.strictness.document import DOCUMENTS, arguments, demands, sentences
from torch_npu_sim.strictness.in_references import demanded

SCHEMA = (
    "npu_made_up(Tensor x, Tensor weight, Tensor? bias=None, *, int[]? groups=None, int mode=0) -> Tensor(a!)"
)
DOCUMENT = """
参数说明
- **x**（`Tensor`）：必选输入。shape支持2-8维，数据类型支持`float16`、`bfloat16`。不支持非连续的Tensor。
weight(Tensor): 必选输入，shape支持3维[e, k]、5维（FRACTAL_NZ），数据类型支持INT8、hifloat8。
bias：Tensor类型，数据类型需要与x保持一致。当mode为1时，数据类型支持float32。
groups：数据类型支持int64。
mode：整型，缺省为0。
约束说明
x的数据类型支持int8。
调用示例
x：数据类型支持int32。
"""


def test_arguments_of_a_schema_have_their_types() -> None:
    expected = {"x": "Tensor", "weight": "Tensor", "bias": "Tensor?", "groups": "int[]?", "mode": "int"}
    assert arguments(SCHEMA) == expected


def test_sentences_belong_to_the_argument_of_their_paragraph_until_examples() -> None:
    found = list(sentences(DOCUMENT, arguments(SCHEMA)))
    of = {each.text: each.argument for each in found}
    assert of["不支持非连续的Tensor。"] == "x"
    assert of["x的数据类型支持int8。"] == "", "constraints are of no paragraph"
    assert "x：数据类型支持int32。" not in of
    assert {each.text for each in found if not demands(each)} >= {"mode：整型，缺省为0。", "参数说明"}


def test_references_demand_what_their_functions_and_those_called_by_them_do() -> None:
    found = demanded()
    assert found["npu_swiglu"] > 0
    assert found["npu_no_operator"] == 0


def test_the_command_counts_what_a_plugin_calls(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wheel, plugin = tmp_path / "torch_npu.whl", tmp_path / "plugin"
    plugin.mkdir()
    (plugin / "ops.py").write_text(
        "import torch\ntorch.ops.npu.npu_made_up(x)\ntorch.ops.npu.npu_swiglu(y)\ntorch.ops.npu.npu_swiglu(z)\n"
    )
    schemas = [SCHEMA, SCHEMA.replace("npu_made_up", "npu_swiglu")]
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("torch_npu-9.0.dist-info/METADATA", "")
        archive.writestr(
            NATIVE_FUNCTIONS, "custom:\n" + "".join(f"- func: {json.dumps(each)}\n" for each in schemas)
        )
        archive.writestr(
            DOCUMENTS, f"add_docs('npu_made_up', {DOCUMENT!r})\nadd_docs('npu_swiglu', {DOCUMENT!r})\n"
        )
    assert command.main([str(plugin), "--wheel", str(wheel)]) == 0
    said = capsys.readouterr().out
    assert "2 operators of torch_npu 9.0 are called, 2 have a document, 1 of these are computed" in said
    assert "of their 7 sentences that may demand something, 0 are in 2 rows" in said
    assert command.main([str(plugin), "--wheel", str(wheel), "--unread"]) == 0
    unread = capsys.readouterr().out.splitlines()
    assert len(unread) == 7
    assert "npu_swiglu\tx的数据类型支持int8。" in unread, "what the reference alone does not hold to is shown"
    assert command.main([str(plugin), "--wheel", str(plugin / "ops.py")]) == 2
