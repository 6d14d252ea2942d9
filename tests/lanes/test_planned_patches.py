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


DRAWS = "{base}\n    def draw(self{more}):\n        return 1\n"
OURS = """\
from up.base import Base


class Late(Base):
    def draw(self):
        return super().draw()

    def twice(self, pens):
        return self.draw(), [pen.draw() for pen in pens]
"""


def test_what_the_planner_refuses_gets_no_rule_that_only_takes_a_value(project: Project) -> None:
    newest(project, {"up/base.py": DRAWS.format(base=NEW["up/base.py"], more="")})
    upstream = project.root.parent / "upstream"
    write(upstream, {"up/base.py": DRAWS.format(base=NEW["up/base.py"], more=", size")})
    git(upstream, "commit", "-qam", "Sizes")
    git(upstream, "tag", "v3.0.0")
    matrix = project.root / "compat_matrix.yaml"
    row = '  - {tag: v3.0.0, wheel: 3.0.0, python: ">=3.10", stack: {torch: 2.13.0}}\n'
    matrix.write_text(matrix.read_text() + row)
    write(project.root / "backend", {"src/mine/more.py": OURS})
    code, output = project.run("apply", "--lane", "v3.0.0")
    patch = yaml.safe_load((project.root / "patches/3.0.0-base-draw.yaml").read_text())
    assert code == 1, output
    assert patch["status"] == "needs-author"
    assert "No rewrite: the project itself calls it without size (src/mine/more.py:9)" in patch["notes"]
    assert (project.root / "build/lanes/v3.0.0/src/mine/more.py").read_text() == OURS
