"""``syncbot doctor`` on the environment that runs the tests, which has no upstream."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

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
    assert "to fix it for v0.2.0:" in text
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


def environment(folder: Path, **versions: str) -> Path:
    """The interpreter of an environment with distributions of these versions."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    (packages,) = folder.glob("lib/python3*/site-packages")
    for name, version in versions.items():
        info = packages / f"{name}-{version}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n", encoding="utf-8"
        )
    return folder / "bin" / "python"


def tagged(project: Project, tag: str, dockerfile: str) -> None:
    """A version of the plugin with what its Dockerfile says."""
    project.write({"Dockerfile": dockerfile})
    quiet = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    who = {f"GIT_{a}_{b}": "ada@example.com" for a in ("AUTHOR", "COMMITTER") for b in ("NAME", "EMAIL")}
    for line in (("init", "-q"), ("add", "-A"), ("commit", "-qm", tag), ("tag", tag)):
        subprocess.run(["git", "-C", str(project.plugin), *line], check=True, env=os.environ | quiet | who)


def test_without_a_matrix_the_plugins_own_pins_decide(project: Project, tmp_path: Path) -> None:
    tagged(project, "v0.1.0", "ARG ENGINE_TAG=v0.1.0\n")
    tagged(project, "v0.2.0", "ARG ENGINE_TAG=v0.2.0\n")
    project.write({"requirements.txt": "helper==1.5\nother>=2\n", "requirements-dev.txt": "absent==1\n"})
    python = environment(tmp_path / "env", engine="0.1.0", helper="1.4", other="2.1")
    result = project.run("doctor", "--python", str(python), "--format", "json")
    assert result.exit_code == 1, result.output
    found = json.loads(result.stdout)
    assert (found["upstream"], found["found"], found["fits"]) == ("engine", "0.1.0", False)
    assert (found["wanted"]["version"], found["versions_for_found"]) == ("0.2.0", ["v0.1.0"])
    assert {row["name"]: row["fit"] for row in found["requirements"]} == {"helper": "differs", "other": "ok"}
    assert found["mend"][0].endswith("engine==0.2.0 helper==1.5")
    first = project.run("doctor", "--python", str(python)).stdout.splitlines()[0]
    assert first.startswith("DIFFERS: ")
    assert "is for engine 0.2.0, and 0.1.0 is installed: install engine 0.2.0, or take" in first
    assert first.endswith("v0.1.0, which is for 0.1.0")


def test_a_plugin_without_a_matrix_that_fits_exits_with_0(project: Project, tmp_path: Path) -> None:
    sha = "2918c1b49c88c29783c86f78d2c4221cb9622379"
    project.write({".github/engine-main.commit": f"{sha}\n"})
    fine = environment(tmp_path / "fine", engine="0.3.0.dev1+g2918c1b49")
    result = project.run("doctor", "--python", str(fine))
    assert (result.exit_code, result.stdout.partition(":")[0]) == (0, "FITS")
    other = environment(tmp_path / "other", engine="0.3.0.dev1+g0000000aa")
    result = project.run("doctor", "--python", str(other))
    assert (result.exit_code, result.stdout.partition(":")[0]) == (1, "UNKNOWN")
    none = environment(tmp_path / "none")
    result = project.run("doctor", "--python", str(none))
    assert result.exit_code == 1
    assert result.stdout.startswith("MISSING: engine is not installed; ")
    # Where a version is named, it decides, and a bound only where nothing exact is.
    project.write({".github/engine-main.commit": "0.4.0\n", "requirements.txt": "engine>=0.3\n"})
    assert project.run("doctor", "--python", str(fine)).exit_code == 1
    project.write({".github/engine-main.commit": "nothing\n"})
    newer = environment(tmp_path / "newer", engine="0.3.1")
    assert project.run("doctor", "--python", str(newer)).exit_code == 0
