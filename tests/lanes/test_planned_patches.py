"""Patches of what only the planner knows: they make the older lane and lead back from it."""

from __future__ import annotations

import pytest
import yaml

from .conftest import NEW, Project, git, write

MORE = "from up.base import Base\n\n\nclass Late(Base):\n    def show(self):\n        return self.ident()\n"


def newest(project: Project, files: dict[str, str]) -> None:
    """Give the newest release of upstream other files."""
    upstream = project.root.parent / "upstream"
    write(upstream, files)
    git(upstream, "add", "-A")
    git(upstream, "commit", "-qm", "More")
    git(upstream, "tag", "-f", "v2.0.0")


@pytest.mark.parametrize(
    ("ident", "written"),
    [("(self):\n        return 7\n", True), ("(self, at=object()):\n        return 7\n", False)],
)
def test_a_method_that_the_older_upstream_lacks_is_kept_there(
    project: Project, ident: str, written: bool
) -> None:
    newest(project, {"up/base.py": f"{NEW['up/base.py']}\n    def ident{ident}"})
    write(project.root / "backend", {"src/mine/more.py": MORE})
    code, output = project.run("apply")
    assert (code == 0) is written, output
    patch = yaml.safe_load((project.root / "patches/2.0.0-base-ident.yaml").read_text())
    lane = (project.root / "build/lanes/v1.0.0/src/mine/more.py").read_text()
    assert ("def ident(self):" in lane) is written
    assert patch.get("status", "active") == ("active" if written else "needs-author")
    if written:
        # The newer side has no method of its own: that is what the patch says of upstream's change.
        assert [rewrite["rule"] for rewrite in patch["rewrites"]] == ["remove_method"]
        assert "def ident" in project.run("patch", "test", "2.0.0-base-ident")[1]
    else:
        assert "No rewrite: " in patch["notes"]


def test_the_baseline_stays_as_it_is(project: Project) -> None:
    newest(project, {"up/base.py": f"{NEW['up/base.py']}\n    def ident(self):\n        return 7\n"})
    write(project.root / "backend", {"src/mine/more.py": MORE})
    project.run("apply")
    assert (project.root / "build/lanes/v2.0.0/src/mine/more.py").read_text() == MORE
