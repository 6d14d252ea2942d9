"""Derived overrides in generated lanes: each from the source of its own upstream."""

from __future__ import annotations

import pytest

from tests.lanes.conftest import Project, write

DECLARED = """\
id: base-run
reason: Runs twice.
file: src/mine/base.py
name: Mine.run
edits:
  - edit: replace_statement
    arguments:
      statement: return self.sizes({})
      code: return self.sizes() * 2
"""
OLD, NEW = "build/lanes/v1.0.0/src/mine/base.py", "build/lanes/v2.0.0/src/mine/base.py"
FOR_OLD = DECLARED.format("").replace("edits:", "versions: <2\nedits:")


@pytest.fixture
def derived(project: Project) -> Project:
    write(project.root, {"derived/base-run.yaml": FOR_OLD})
    return project


def test_a_lane_has_the_override_and_the_sources_do_not(derived: Project) -> None:
    code, output = derived.run("apply")
    assert code == 0, output
    files = derived.files()
    assert b"def run(self):\n        return self.sizes() * 2\n" in files[OLD]
    assert b"def run" not in files[NEW]
    assert b"def run" not in files["backend/src/mine/base.py"]
    before = derived.files()
    code, output = derived.run("apply")
    assert (code, "unchanged" in output, derived.files() == before) == (0, True, True)


def test_a_changed_declaration_makes_the_lane_anew(derived: Project) -> None:
    derived.run("apply")
    write(derived.root, {"derived/base-run.yaml": FOR_OLD.replace("* 2", "* 3")})
    assert derived.run("apply", "--check")[0] == 1
    _, output = derived.run("apply")
    assert "lane v2.0.0: unchanged" in output
    assert "lane v1.0.0: generated" in output
    assert b"self.sizes() * 3" in derived.files()[OLD]


def test_an_edit_that_finds_no_place_stops_everything(derived: Project) -> None:
    write(derived.root, {"derived/base-run.yaml": DECLARED.format("")})
    before = derived.files()
    code, output = derived.run("apply")
    assert code == 2
    assert output.strip().splitlines()[-1] == (
        "syncbot: derived base-run: up.base.Base.run: edit replace_statement finds no place: "
        "it does not hold 'return self.sizes()'"
    )
    assert derived.files() == before


def test_a_function_that_upstream_does_not_have(derived: Project) -> None:
    write(derived.root, {"derived/base-run.yaml": FOR_OLD.replace("Mine.run", "Mine.ran")})
    code, output = derived.run("apply")
    assert (code, "up 1.0.0 has no function up.base.Base.ran" in output) == (2, True)


def test_patch_shows_and_tests_it(derived: Project) -> None:
    derived.run("apply")
    assert "base-run  derived  <2  Runs twice." in derived.run("patch", "show")[1]
    assert derived.run("patch", "show", "base-run") == (0, FOR_OLD)
    code, output = derived.run("patch", "test", "base-run")
    assert code == 0
    assert "+        return self.sizes() * 2" in output
    assert "v2.0.0" not in output
    code, output = derived.run("patch", "test", "base-runs")
    assert (code, "the nearest is 'base-run'" in output) == (2, True)


def test_the_static_check_sees_the_override(derived: Project) -> None:
    derived.run("apply")
    code, output = derived.run("verify", "--static", "--lane", "v1.0.0")
    assert (code, output.splitlines()[0]) == (0, "v1.0.0  static  pass")


def test_an_override_that_is_declared_is_not_retired_as_a_patch(derived: Project) -> None:
    before = derived.files()
    code, output = derived.run("patch", "retire", "base-run")
    assert code == 2
    assert "base-run is a derived override, not a patch" in output
    assert "derived/base-run.yaml" in output
    assert "the nearest is 'base-run'" in derived.run("patch", "retire", "base-runs")[1]
    assert derived.files() == before
