"""Lanes of the project, statically: their upstream keeps all contracts of their sources."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from syncbot.lanes import matrix
from tests.budget import some

pytestmark = pytest.mark.machine

#: The two ends and what lies beside the older; at night the baseline and two between, too. Each is a release to
#: fetch and to read. A whole `syncbot verify --static` has all of them.
LANES = (*some(("v0.33.0", "v0.32.0", "v0.28.0", "v0.27.0"), 4), "v0.15.1", "v0.14.1")


def test_lanes_keep_to_their_upstream(
    project: Path, syncbot: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    # Anew, whatever was kept of an earlier look.
    done = syncbot("verify", "--static", "--force", *(f"--lane={tag}" for tag in LANES))
    assert done.returncode == 0, done.stdout + done.stderr
    listed = matrix.load(project / "compat_matrix.yaml")
    assert done.stdout.splitlines() == [f"{tag}  static  pass" for tag in LANES]
    assert all(listed.lane(tag).shown("static") == "pass" for tag in LANES)
    # Derived from each lane's own source: the parameter that upstream removed between the two.
    layers = "src/ascend_backend/layers/mm_encoder_attention.py"
    older, newer = (
        (project / "build/lanes" / tag / layers).read_text(encoding="utf-8") for tag in ("v0.14.1", "v0.15.1")
    )
    assert "multimodal_config: MultiModalConfig | None = None" in older
    assert "def __init__" in newer
    assert "multimodal_config" not in newer
