"""The patches of overlays hold what a rewrite needs of somebody else's sources, and no copies of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from syncbot.patching import model
from syncbot.patching.model import Patch, UpstreamChange
from syncbot.patching.three_way.recorded_merge import RecordedMerge, Resolution

ROOT = Path(__file__).parents[2]
AT_ONE_PLACE, IN_A_PATCH = 44, 160
FILES = [*ROOT.glob("overlays/*/patches/*.yaml")]


def texts(patch: Patch) -> Iterator[str]:
    """All that a patch holds of sources, a text for each place."""
    for rewrite in (*patch.rewrites, *patch.sketch):
        for key in ("diff", "before", "after", "code"):
            yield from str(rewrite.arguments.get(key, "")).split("\n@@ ")
    for resolution in (each for merge in patch.merges for each in merge.resolutions):
        yield from (resolution.diff or resolution.lines or "").split("\n@@ ")


def too_much(patch: Patch) -> list[str]:
    """Return the reasons why a patch copies sources rather than changes them; none for a good one."""
    sizes = [len([line for line in text.split("\n") if line.strip()]) for text in texts(patch)]
    found = [f"{size} lines at one place" for size in sizes if size > AT_ONE_PLACE]
    found += [f"{sum(sizes)} lines"] * (sum(sizes) > IN_A_PATCH)
    return found + ["notes quote a difference"] * ("\n@@ " in f"\n{patch.notes}")


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parts[-3]}-{file.stem}")
def test_a_patch_holds_no_copy_of_sources(file: Path) -> None:
    assert too_much(model.load_file(file)) == []


def test_what_counts_as_a_copy() -> None:
    quoted = Patch(
        id="a", upstream=UpstreamChange(name="up", first_version="2.0.0"), symbol="up.f", reason="Why.",
        status="needs-author", notes="up.f changed\n@@ -1 +1 @@\n-a\n+b\n",
    )  # fmt: skip
    assert too_much(quoted) == ["notes quote a difference"]
    lines = "\n".join(f"x{n}" for n in range(50))
    merge = RecordedMerge(
        file="a.py", within="f", original="up.f", base="1.0.0", end="2.0.0",
        resolutions=(Resolution(conflict="0", lines=lines), Resolution(conflict="1", take="ours")),
    )  # fmt: skip
    assert too_much(quoted.model_copy(update={"notes": "", "merges": (merge,)})) == ["50 lines at one place"]
