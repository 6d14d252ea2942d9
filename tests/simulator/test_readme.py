"""Checks the simulator's README: all variables, limits first, and an example that is code."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from torch_npu_sim.settings import VARIABLES

SIMULATOR = Path(__file__).parents[2] / "simulator"
README = (SIMULATOR / "README.md").read_text(encoding="utf-8")
ROWS = "\n".join(line for line in README.splitlines() if line.startswith("| `"))


def test_every_variable_that_is_read_is_told_and_no_other() -> None:
    told = [f"| `{each.name}` | {each.meaning} | {each.default} |" for each in VARIABLES.values()]
    assert [row for row in ROWS.splitlines() if "TORCH_NPU_SIM_" in row] == told


def test_limits_stand_before_everything_else() -> None:
    headings = re.findall(r"^## (.*)$", README, re.M)
    assert headings[0] == "Install"
    before = README.partition("## Install")[0]
    for limit in ("Numerics of kernels", "Speed", "HCCL", "Races between streams"):
        assert f"**{limit}.**" in before


def test_the_example_is_code_and_its_operator_has_a_reference() -> None:
    (example,) = re.findall(r"```python\n(.*?)```", README, re.S)
    ast.parse(example)
    (operator,) = re.findall(r"torch_npu\.(npu_\w+)\(", example)
    references = (SIMULATOR / "src/torch_npu_sim/references").glob("*.py")
    assert any(f'"{operator}"' in path.read_text(encoding="utf-8") for path in references)


def test_the_commands_for_ci_are_five_lines() -> None:
    (steps,) = re.findall(r"```yaml\n(.*?)```", README, re.S)
    assert len(re.findall(r"^- run: ", steps, re.M)) == 5
