"""``syncbot triage`` with real releases of vLLM: errors that users and the simulated device really saw."""

from __future__ import annotations

import json
import shutil
import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from syncbot.patching import model as patches
from tests.forked_command import command

pytestmark = pytest.mark.machine

REPOSITORY = Path(__file__).parents[2]
CORPUS = REPOSITORY / "tests/triage/corpus"
SETTINGS = """
[tool.syncbot]
upstream = "vllm"

[tool.syncbot.upstreams.vllm]
packages = ["vllm"]
release = "vllm"
"""


def triaged(root: Path, log: Path, old: str, new: str) -> list[dict[str, Any]]:
    asked = ("--from", old, "--to", new, "--backend", str(root), "--format", "json")
    done = command("triage", str(log), *asked, folder=REPOSITORY)
    assert done.returncode == 1, done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout)["causes"]
    return found


def project(root: Path, files: Mapping[str, str]) -> Path:
    for path, text in {"pyproject.toml": SETTINGS, **files}.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(textwrap.dedent(text).lstrip("\n"), encoding="utf-8")
    return root


ENCODER = """
    from vllm.model_executor.layers.attention.mm_encoder_attention import MMEncoderAttention


    class Encoder(MMEncoderAttention):
        def __init__(self, heads: int, size: int, multimodal_config: object = None):
            super().__init__(heads, size, multimodal_config=multimodal_config)
"""


def test_the_keyword_that_a_release_took_away(tmp_path: Path) -> None:
    root = project(tmp_path / "plugin", {"src/plugin/__init__.py": "", "src/plugin/encoder.py": ENCODER})
    log = tmp_path / "notes.txt"
    log.write_text(
        "TypeError: MMEncoderAttention.__init__() got an unexpected keyword argument 'multimodal_config'\n",
        encoding="utf-8",
    )
    (cause,) = triaged(root, log, "0.14.1", "0.15.1")
    first = cause["guilty"][0]
    # A machine that imported the release between knows that it was that one.
    assert first["subject"] in ("vllm 0.15.0", "vllm 0.15.1")
    assert cause["place"] == {"file": "src/plugin/encoder.py", "line": 6}
    assert any("no longer takes multimodal_config" in reason for reason in first["reasons"])
    assert any("before: takes multimodal_config" in reason for reason in first["reasons"])


PAGED = """
    from vllm.v1.attention.backend import AttentionBackend


    class NPUAttentionBackend(AttentionBackend):
        @staticmethod
        def get_supported_kernel_block_sizes() -> list[int]:
            return [128]
"""


def test_the_lane_of_an_older_release_on_a_newer_one(tmp_path: Path) -> None:
    """The log is that of the backend's own lane for 0.28.0 when it really ran on 0.32.0."""
    files = {"src/ascend_backend/__init__.py": "", "src/ascend_backend/attention/__init__.py": "",
             "src/ascend_backend/attention/paged.py": PAGED}  # fmt: skip
    root = project(tmp_path / "backend", files)
    shutil.copytree(REPOSITORY / "patches", root / "patches")
    (cause,) = triaged(root, CORPUS / "device-old-lane.log", "0.28.0", "0.32.0")
    assert (cause["kind"], cause["origin"]) == ("too-many-arguments", "upstream")
    first = cause["guilty"][0]
    # The method's parameter came with 0.31.0; where that release was not imported, it is 0.32.0 that has it.
    assert first["subject"] in ("vllm 0.31.0", "vllm 0.32.0")
    assert "gained kv_cache_spec" in first["reasons"][0]
    assert first["fix"]["rule"] == "override_parameter_added"
    method = "vllm.v1.attention.backend.AttentionBackend.get_supported_kernel_block_sizes"
    assert first["patch"] in {patch.id for patch in patches.load(root / "patches") if patch.symbol == method}
    (follower,) = cause["followers"]
    assert follower["message"].startswith("Engine core initialization failed.")
