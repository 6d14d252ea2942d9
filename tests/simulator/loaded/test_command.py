"""``python -m torch_npu_sim`` says what is simulated, and what of a plugin is."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from torch_npu_sim.__main__ import main
from torch_npu_sim.schemas import wheel

WHEEL = os.environ["TORCH_NPU_SIM_WHEEL"]


def lines(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return capsys.readouterr().out.splitlines()


def test_what_is_simulated(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TORCH_NPU_SIM_STRICT", raising=False)
    assert main([]) == 0
    text = "\n".join(lines(capsys))
    assert "8 devices npu:0 to npu:7, 256 MiB each" in text
    assert f"torch_npu  {wheel.locate().version}, names and" in text
    assert "1 operators of torch.ops._C_of_test" in text
    assert "acl: CANN's Python interface comes with CANN" in text
    assert "npu_scatter_pa_kv_cache: strided caches" in text
    assert "variable   TORCH_NPU_SIM_MEMORY  256MiB" in text
    assert "variable   TORCH_NPU_SIM_STRICT  not set: 0" in text


def test_strict_has_no_exceptions(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TORCH_NPU_SIM_STRICT", "1")
    assert main([]) == 0
    text = "\n".join(lines(capsys))
    assert "exceptions included" in text
    assert "strided caches" not in text


def test_without_a_wheel(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TORCH_NPU_SIM_WHEEL")
    assert main([]) == 0
    assert "torch_npu  none: TORCH_NPU_SIM_WHEEL names no wheel" in lines(capsys)


@pytest.fixture
def plugin(tmp_path: Path) -> Path:
    (tmp_path / "plugin").mkdir()
    (tmp_path / "plugin/ops.py").write_text(
        "import torch_npu\ntorch_npu.npu_swiglu(1)\ntorch_npu.npu_iou(1)\ntorch_npu.npu_unheard_of(1)\n"
        "torch_npu.get_npu_format(1)\n"
    )
    return tmp_path / "plugin"


def test_the_operators_of_a_plugin(capsys: pytest.CaptureFixture[str], plugin: Path) -> None:
    assert main(["operators", str(plugin)]) == 0
    version = wheel.locate().version
    assert lines(capsys) == [
        f"4 operators are named; 3 have a schema in torch_npu {version} or in the plugin's C++; 2 have a reference",
        "  activation: 1 of 1",
        "  format and memory: 1 of 1",
        "  other: 0 of 2",
        "without a reference:",
        "  npu.npu_iou  (other; ops.py:3)",
        f"    {wheel.read(wheel.locate())['npu_iou']}",
        "without a schema:",
        "  npu.npu_unheard_of  (other; ops.py:4)",
    ]


def test_the_operators_as_json(capsys: pytest.CaptureFixture[str], plugin: Path) -> None:
    assert main(["operators", str(plugin), "--json", "--wheel", WHEEL]) == 0
    found = {each["name"]: each for each in json.loads(capsys.readouterr().out)}
    assert found["npu_swiglu"]["reference"] is True
    assert found["npu_unheard_of"] == {
        "namespace": "npu", "name": "npu_unheard_of", "family": "other", "places": ["ops.py:4"], "schemas": [],
        "reference": False,
    }  # fmt: skip


def test_who_stops_reading_sees_no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "w") as unread:
        monkeypatch.setattr("sys.stdout", unread)
        assert main([]) == 0


def test_a_wrong_variable_is_told_in_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("TORCH_NPU_SIM_TRITON", "compiled"), ("TORCH_NPU_SIM_DEVICES", "many")):
        with monkeypatch.context() as patch:
            patch.setenv(name, value)
            assert main([]) == 2
        assert capsys.readouterr().err.startswith(f"torch_npu_sim: {name}={value} is no")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["operators", "/none.tar.gz"], "/none.tar.gz"),
        (["operators", "/", "--wheel", "/none.whl"], "cannot read the wheel /none.whl"),
    ],
)
def test_what_cannot_be_read(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert message in error
    assert len(error.splitlines()) == 1
