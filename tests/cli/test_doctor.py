"""``syncbot doctor`` on the environment that runs the tests, which has no upstream."""

from __future__ import annotations

import json
import sys

import pytest

from .conftest import Project

MATRIX = """
upstream: engine
baseline: v0.2.0
lanes:
  - {{tag: v0.2.0, wheel: 0.2.0, python: ">=3.8", stack: {{pytest: "{version}"}}}}
  - {{tag: v0.1.0, wheel: 0.1.0, python: ">=3.8", stack: {{pytest: "0.1"}}}}
"""


def test_what_is_missing_is_told_with_the_command_that_mends_it(project: Project) -> None:
    project.write({"compat_matrix.yaml": MATRIX.format(version=pytest.__version__)})
    result = project.run("doctor", "--python", sys.executable, "--format", "json")
    assert result.exit_code == 1, result.output
    found = json.loads(result.stdout)
    assert found["fits"] == []
    lanes = {lane["tag"]: lane for lane in found["lanes"]}
    fits = {row["name"]: row["fit"] for row in lanes["v0.2.0"]["stack"]}
    assert fits == {"python": "ok", "engine": "missing", "pytest": "ok"}
    assert [step.rpartition(" ")[2] for step in lanes["v0.2.0"]["mend"]] == ["engine==0.2.0"]
    text = project.run("doctor", "--python", sys.executable).stdout
    assert text.index("lane v0.2.0: 1 of 3 do not fit") < text.index("lane v0.1.0: 2 of 3 do not fit")
    assert "to mend it for v0.2.0:" in text
    # The nearest lane in full, of any other one line.
    assert "engine  missing" in text
    assert "(needs 0.1)" not in text
    assert "(--lane v0.1.0 shows it)" in text
    assert "(needs 0.1)" in project.run("doctor", "--python", sys.executable, "--lane", "v0.1.0").stdout


def test_an_environment_that_fits_a_lane_exits_with_0(project: Project) -> None:
    text = MATRIX.format(version="1").replace("upstream: engine", "upstream: pytest")
    text = text.replace("v0.2.0", f"v{pytest.__version__}").replace("0.2.0", pytest.__version__)
    config = '[tool.syncbot.upstreams.pytest]\npackages = ["pytest"]\nrelease = "pytest"\n'
    project.write({"compat_matrix.yaml": text.replace('pytest: "1"', ""), "pyproject.toml": config})
    result = project.run("doctor", "--python", sys.executable)
    assert result.exit_code == 0, result.output
    assert f"lane v{pytest.__version__}: fits" in result.stdout
    assert project.run("doctor", "--python", sys.executable, "--lane", "v0.1.0").exit_code == 1
    assert project.run("doctor", "--lane", "v9").exit_code == 2
