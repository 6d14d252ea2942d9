"""Checks the committed overlays' statements on their patches, by files alone: no fetching, no generating."""

from pathlib import Path

import pytest

from syncbot.lanes import matrix
from syncbot.patching import model

ROOT = Path(__file__).resolve().parents[2]
OVERLAYS = sorted(file.parent for file in ROOT.glob("overlays/*/compat_matrix.yaml"))


@pytest.mark.parametrize("overlay", OVERLAYS, ids=lambda overlay: overlay.name)
def test_no_patch_needs_an_author(overlay: Path) -> None:
    patches = model.load(overlay / "patches")

    assert patches
    assert [patch.id for patch in patches if patch.status == "needs-author"] == []


@pytest.mark.parametrize("overlay", OVERLAYS, ids=lambda overlay: overlay.name)
def test_a_lane_lists_the_patches_that_name_it(overlay: Path) -> None:
    active = [patch for patch in model.load(overlay / "patches") if patch.status == "active"]

    for lane in matrix.load(overlay / "compat_matrix.yaml"):
        assert sorted(lane.patches) == sorted(patch.id for patch in active if lane.tag in patch.lanes)


def test_the_static_check_passes_on_each_lane_of_the_newest_release() -> None:
    """Where it finds something, a patch is lacking. That it was made of the lanes as they are, `syncbot matrix
    --stale` says; whether `apply` of today would write more, `make nightly` asks."""
    lanes = matrix.load(ROOT / "overlays/vllm-ascend/compat_matrix.yaml")

    assert {lane.tag: lane.checks["static"].status for lane in lanes} == {lane.tag: "pass" for lane in lanes}
