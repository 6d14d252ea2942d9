"""``syncbot matrix --stale``: what is claimed and not known of the sources as they are."""

from __future__ import annotations

from tests.lanes.conftest import Project


def test_it_prints_nothing_while_all_is_current(project: Project) -> None:
    project.run("apply")
    assert project.run("verify", "--static")[0] == 0
    assert project.run("matrix", "--stale") == (0, "")
    source = project.root / "backend/src/mine/base.py"
    source.write_text("# A comment.\n" + source.read_text())
    (project.root / "backend/README.md").write_text("# Mine\n")
    assert project.run("matrix", "--stale") == (0, "")
    before = project.files()
    source.write_text(source.read_text() + "\n\nNEW = 1\n")
    assert project.run("matrix", "--stale") == (1, "v2.0.0  static  stale\nv1.0.0  static  stale\n")
    # Nothing is written for it.
    assert {**project.files(), "backend/src/mine/base.py": ""} == {**before, "backend/src/mine/base.py": ""}


def test_a_tier_claims_what_nobody_has_run(project: Project) -> None:
    project.run("apply")
    table = project.root / "compat_matrix.yaml"
    text = table.read_text().replace("lanes:", "tiers:\n  some: [static]\nlanes:", 1)
    table.write_text(text.replace("  - tag: v1.0.0\n", "  - tag: v1.0.0\n    claimed: some\n"))
    assert project.run("matrix", "--stale") == (1, "v1.0.0  static  unknown\n")
    code, shown = project.run("matrix")
    assert code == 0
    assert "v1.0.0" in shown
    assert "some" in shown
    assert project.run("matrix", "--stale", "--all")[0] == 2
