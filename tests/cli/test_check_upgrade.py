"""``syncbot check --format upgrade`` on real repositories."""

from __future__ import annotations

import re

from .conftest import Project


def test_each_change_has_its_section_its_commit_and_our_lines(project: Project) -> None:
    project.files["pyproject.toml"] = '[project]\nname = "engine"\ndependencies = ["alpha>=1", "beta"]\n'
    start = project.commit("Begin")
    project.change("engine/text.py", ", strict: bool = False", "", "Drop strict (#11)")
    project.noise()
    project.change("engine/text.py", "return text, text", "return text, text[::-1]", "Turn it (#12)")
    project.change(
        "engine/config.py", "eager: bool = False", "eager: bool = False\n    wide: int = 2", "Wide (#13)"
    )
    project.change(
        "engine/worker.py",
        "\n\ndef main",
        "\n    def warm(self) -> None:\n        ...\n\n\ndef main",
        "Warm (#14)",
    )
    project.change("pyproject.toml", '"beta"', '"gamma"', "Another one (#15)")
    done = project.run("check", "--from", start, "--format", "upgrade")
    assert done.exit_code == 1
    # A number that is not of this repository must not be linked to it.
    text = done.stdout.replace("\\#&#8203;", "#")
    sections = dict(re.findall(r"^## (.+?) \(\d+\)\n+(.*?)(?=^## |\Z)", text, re.M | re.S))
    assert list(sections) == ["Breaking", "Behavioural", "New, optional", "Dependencies", "Unchanged"]
    assert re.search(r"`src/plugin/worker.py:9`: .* — \S+ #11\. Fix: ", sections["Breaking"])
    assert re.search(
        r"`engine.text.split` has another body — \S+ #12.*`src/plugin/worker.py:12`", sections["Behavioural"]
    )
    assert re.search(r"gained the field `wide`, by default `2` — \S+ #13", sections["New, optional"])
    assert re.search(
        r"gained the method `warm` — \S+ #14.*`src/plugin/worker.py:6`", sections["New, optional"]
    )
    assert re.search(r"`beta`: gone, before `beta` — \S+ #15", sections["Dependencies"])
    assert "`gamma`: new, `gamma`" in sections["Dependencies"]
    assert "alpha" not in sections["Dependencies"]
    assert "`engine.worker.Worker.execute`" in sections["Unchanged"]


def test_what_the_project_does_not_touch_is_not_told(project: Project) -> None:
    start = project.noise()
    project.files["engine/noise.py"] = "def f(x, y=1):\n    return 2\n"
    project.commit("Noise of another kind")
    done = project.run("check", "--from", start, "--format", "upgrade")
    assert done.exit_code == 0
    assert "noise" not in done.stdout
    assert done.stdout.count("None.") == 4
