"""The backend's own patches: every lane can be generated, and leads back to the sources it came from."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from syncbot import config as configuration
from syncbot.lanes import matrix, update
from syncbot.lanes.generate import render
from syncbot.patching.apply import Direction, Step, apply_steps

ROOT = Path(__file__).parents[2]
INPUTS = update.inputs_of(configuration.load(ROOT))
LANES = matrix.load(ROOT / "compat_matrix.yaml").lanes


def texts() -> dict[str, str]:
    return {path: raw.decode() for path, raw in INPUTS.files.items() if path.endswith(".py")}


@pytest.mark.parametrize("tag", [lane.tag for lane in LANES])
def test_a_lane_leads_back_to_the_sources(tag: str) -> None:
    """Undone and followed again, in any number: the same code, comments and layout aside."""
    there = INPUTS.steps(INPUTS.matrix.lane(tag))
    opposite = {Direction.FORWARD: Direction.BACKWARD, Direction.BACKWARD: Direction.FORWARD}
    back = [Step(step.patch, opposite[step.direction]) for step in reversed(there)]
    lane = apply_steps(texts(), there)
    again = apply_steps(lane, back)
    assert {path for path, text in lane.items() if text != texts()[path]} or not there
    for path, text in texts().items():
        assert ast.dump(ast.parse(again[path])) == ast.dump(ast.parse(text)), path
    assert apply_steps(again, there) == lane


@pytest.mark.parametrize("tag", [lane.tag for lane in LANES])
def test_every_file_of_a_lane_is_python_for_its_oldest_interpreter(tag: str) -> None:
    files = render(INPUTS, INPUTS.matrix.lane(tag))
    for path, raw in files.items():
        if path.endswith(".py"):
            ast.parse(raw, path, feature_version=(3, 10))


def test_every_patch_matters_to_a_lane_and_says_to_which() -> None:
    used = {
        patch.id: tuple(x.tag for x in LANES if patch.id in {s.patch.id for s in INPUTS.steps(x)})
        for patch in INPUTS.patches
        if patch.status == "active"
    }
    assert used == {patch.id: patch.lanes for patch in INPUTS.patches if patch.status == "active"}
    assert all(used.values())
