"""Lanes of the project, statically: their upstream keeps all contracts of their sources."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from syncbot.lanes import matrix

pytestmark = pytest.mark.machine

#: The two ends, what lies beside them, and two between: each is a release to fetch and to read. A whole
#: `syncbot verify --static` has all of them.
LANES = ("v0.33.0", "v0.32.0", "v0.28.0", "v0.27.0", "v0.15.1", "v0.14.1")

#: Of them, those between whose versions upstream changed what a lane derives.
ANEW = LANES[-2:]


def asked(tags: Sequence[str]) -> list[str]:
    return [f"--lane={tag}" for tag in tags]


def test_lanes_keep_to_their_upstream(
    project: Path, syncbot: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    # Both anew, whatever was kept of an earlier look; at the others nobody need look again.
    looks = (
        syncbot("verify", "--static", "--force", *asked(ANEW)),
        syncbot("verify", "--static", *asked(LANES)),
    )
    assert [done.returncode for done in looks] == [0, 0], [done.stdout + done.stderr for done in looks]
    listed = matrix.load(project / "compat_matrix.yaml")
    first, whole = (done.stdout.splitlines() for done in looks)
    assert first == [f"{tag}  static  pass" for tag in ANEW]
    assert [line.removesuffix(" (known)") for line in whole] == [f"{tag}  static  pass" for tag in LANES]
    assert whole[-2:] == [f"{tag}  static  pass (known)" for tag in ANEW]
    assert all(listed.lane(tag).shown("static") == "pass" for tag in LANES)
    # Derived from each lane's own source: the parameter that upstream removed between the two.
    layers = "src/ascend_backend/layers/mm_encoder_attention.py"
    older, newer = (
        (project / "build/lanes" / tag / layers).read_text(encoding="utf-8") for tag in ("v0.14.1", "v0.15.1")
    )
    assert "multimodal_config: MultiModalConfig | None = None" in older
    assert "def __init__" in newer
    assert "multimodal_config" not in newer
