"""Every lane of the project, statically: its upstream keeps all contracts of its sources."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

from syncbot.lanes import matrix


def test_every_lane_keeps_to_its_upstream(
    project: Path, syncbot: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    done = syncbot("verify", "--static")
    assert done.returncode == 0, done.stdout + done.stderr
    listed = matrix.load(project / "compat_matrix.yaml")
    assert done.stdout.splitlines() == [f"{lane.tag}  static  pass" for lane in listed]
    assert all(lane.shown("static") == "pass" for lane in listed)
    # Derived from each lane's own source: the parameter that upstream removed between the two.
    layers = "src/ascend_backend/layers/mm_encoder_attention.py"
    older, newer = (
        (project / "build/lanes" / tag / layers).read_text(encoding="utf-8") for tag in ("v0.14.1", "v0.15.1")
    )
    assert "multimodal_config: MultiModalConfig | None = None" in older
    assert "def __init__" in newer
    assert "multimodal_config" not in newer
