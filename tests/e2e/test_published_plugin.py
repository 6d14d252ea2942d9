"""A published plugin, unchanged, on the upstream that it was made for, without an NPU."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from syncbot.lanes import plugin_matrix

pytestmark = pytest.mark.machine


def test_qwen3_says_what_transformers_says(
    project: Path, syncbot: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    asked = ("--release", "0.30.0rc2", "--check", "simulate-qwen3-v1")
    done = syncbot("verify-plugin", *asked)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("v0.30.0rc2  simulate-qwen3-v1  pass")
    release = plugin_matrix.load(project / "overlays/as-published/plugin_matrix.yaml").release("0.30.0rc2")
    assert release.shown("simulate-qwen3-v1") == "pass"
    stale = syncbot("matrix", "--stale").stdout.splitlines()
    assert not [line for line in stale if line.split()[:2] == ["v0.30.0rc2", "simulate-qwen3-v1"]]
