"""The check tells a sound backend from a broken one, with the real engine."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest


def check(folder: Path, *arguments: str) -> tuple[int, str, dict[str, Any]]:
    output = folder / "result.json"
    command = [sys.executable, "-m", "vllm_npu_cases.check", "--output", str(output)]
    process = subprocess.run(
        [*command, "--work", str(folder), *arguments], capture_output=True, text=True, cwd=folder
    )
    return process.returncode, process.stdout, json.loads(output.read_text())


@pytest.mark.parametrize("runner", ["v1", "v2"])
def test_tokens_equal_those_of_transformers(tmp_path: Path, runner: str) -> None:
    code, line, result = check(tmp_path, "--case", "qwen3", "--runner", runner)
    assert (code, result["equal"]) == (0, True), line
    assert line.startswith(f"qwen3 on {runner}: equal in ")
    assert result["answer"] == result["reference"]
    assert result["operators"]["npu_fused_infer_attention_score"] > 0
    assert result["runner_class"].endswith("V2") == (runner == "v2")


def test_a_wrong_attention_scale_gives_other_tokens(tmp_path: Path) -> None:
    code, line, result = check(tmp_path, "--control", "scale")
    assert (code, result["equal"]) == (1, False)
    assert "error" not in result
    assert result["took_effect"]["scale"] > 0
    assert "differ from the reference" in line


@pytest.mark.parametrize(
    ("control", "reason"),
    [
        ("keyword", "npu_rms_norm"),
        ("missing", "has no operator npu_scatter_pa_kv_cache; torch_npu 2.10.0 is the first release"),
        ("reference", "no reference implementation of npu_gemma_rms_norm"),
        ("slot", "slots must not repeat"),
    ],
)
def test_a_wrong_call_of_an_operator_fails_the_engine(tmp_path: Path, control: str, reason: str) -> None:
    code, line, result = check(tmp_path, "--control", control)
    assert (code, result["equal"]) == (1, False)
    assert reason in result["error"]
    assert len(line.splitlines()) == 1
