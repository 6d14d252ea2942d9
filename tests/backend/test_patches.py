"""The backend's own patches: every lane can be generated, and leads back to the sources it came from."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest

from syncbot import config as configuration
from syncbot.lanes import matrix, update
from syncbot.lanes.generate import render
from syncbot.patching.apply import Chain, Direction, Files, Step, apply_steps, steps
from tests.budget import some

ROOT = Path(__file__).parents[2]
INPUTS = update.inputs_of(configuration.load(ROOT))
LANES = matrix.load(ROOT / "compat_matrix.yaml").lanes
TEXTS = {path: raw.decode() for path, raw in INPUTS.files.items() if path.endswith(".py")}
ALL_AT_ONCE = Chain()
#: What a step made of files: the ways to neighbouring lanes, and back, are mostly one way.
TAKEN: dict[tuple[str, Direction, frozenset[tuple[str, str]]], Files] = {}


def taken(files: Files, steps: Sequence[Step]) -> Files:
    """The files after the steps, taken one by one."""
    for step in steps:
        key = (step.patch.id, step.direction, frozenset(files.items()))
        if key not in TAKEN:
            TAKEN[key] = apply_steps(files, [step])
        files = TAKEN[key]
    return files


@pytest.mark.long
@pytest.mark.parametrize("tag", [lane.tag for lane in LANES])
def test_a_lane_leads_back_to_the_sources(tag: str) -> None:
    """Undone and followed again, in any number: the same code, comments and layout aside."""
    there = INPUTS.steps(INPUTS.matrix.lane(tag))
    opposite = {Direction.FORWARD: Direction.BACKWARD, Direction.BACKWARD: Direction.FORWARD}
    back = [Step(step.patch, opposite[step.direction]) for step in reversed(there)]
    lane = ALL_AT_ONCE.apply(TEXTS, there)
    assert taken(TEXTS, there) == lane
    again = taken(lane, back)
    assert {path for path, text in lane.items() if text != TEXTS[path]} or not there
    for path, text in TEXTS.items():
        assert again[path] == text or ast.dump(ast.parse(again[path])) == ast.dump(ast.parse(text)), path
    assert taken(again, there) == lane


@cache
def refusal(raw: bytes) -> str | None:
    """The words of the oldest interpreter where it refuses a file; most lanes have the same files."""
    try:
        ast.parse(raw, feature_version=(3, 10))
    except SyntaxError as error:
        return str(error)
    return None


@pytest.mark.parametrize("tag", [lane.tag for lane in LANES])
def test_every_file_of_a_lane_is_python_for_its_oldest_interpreter(tag: str) -> None:
    files = render(INPUTS, INPUTS.matrix.lane(tag))
    for path, raw in files.items():
        if path.endswith(".py"):
            assert refusal(raw) is None, path


def test_every_patch_matters_to_a_lane_and_says_to_which() -> None:
    used = {
        patch.id: tuple(x.tag for x in LANES if patch.id in {s.patch.id for s in INPUTS.steps(x)})
        for patch in INPUTS.patches
        if patch.status == "active"
    }
    assert used == {patch.id: patch.lanes for patch in INPUTS.patches if patch.status == "active"}
    assert all(used.values())


def test_every_patch_says_why_upstream_did_it_and_names_the_pull_request_or_says_why_not() -> None:
    for patch in INPUTS.patches:
        change = patch.upstream
        assert change.why, patch.id
        untold = "compared: " in change.why and change.why.endswith("No pull request is known.")
        assert untold is (change.pr is None), patch.id


@pytest.mark.long
def test_any_patch_may_be_deleted(tmp_path: Path) -> None:
    """None of the others then fails to find its lines: the way to the oldest lane passes all lanes."""
    baseline, oldest = INPUTS.matrix.baseline_lane.version, min(lane.version for lane in LANES)
    # Most files are the same on all ways.
    chain = Chain(tmp_path)
    # Ways that have most in common come one after the other.
    for gone in some(sorted(INPUTS.patches, key=lambda patch: patch.order), 3):
        chain.apply(TEXTS, steps([p for p in INPUTS.patches if p is not gone], baseline, oldest))


def test_what_patches_build_on_are_patches_of_newer_versions() -> None:
    known = {patch.id: patch for patch in INPUTS.patches}
    for patch in INPUTS.patches:
        assert all(known[name].order > patch.order for name in patch.builds_on), patch.id
