"""``syncbot apply`` on a real git upstream: from a finding to a generated lane."""

from __future__ import annotations

import os
import signal
import zipfile

import pytest
import yaml

from tests.forked_program import forked

from .conftest import Project, git, write

OLD_LANE = """\
from up.base import Base
from up.utils import Thing


class Mine(Base):
    # sizes of blocks
    def sizes(self):
        return [Thing( 1 )]
"""


def test_patches_lanes_and_matrix_are_written(project: Project) -> None:
    code, output = project.run("apply")
    assert code == 0, output
    assert sorted(p.name for p in (project.root / "patches").iterdir()) == [
        "2.0.0-base-sizes.yaml",
        "2.0.0-up-things.yaml",
    ]
    moved = yaml.safe_load((project.root / "patches/2.0.0-up-things.yaml").read_text())
    assert moved["rewrites"] == [
        {"rule": "import_moved", "arguments": {"old": "up.utils", "new": "up.things"}}
    ]
    assert moved["lanes"] == ["v1.0.0"]
    lanes = project.root / "build/lanes"
    assert (lanes / "v1.0.0/src/mine/base.py").read_text() == OLD_LANE
    assert (lanes / "v2.0.0/src/mine/base.py").read_bytes() == (
        project.root / "backend/src/mine/base.py"
    ).read_bytes()
    rows = {
        row["tag"]: row for row in yaml.safe_load((project.root / "compat_matrix.yaml").read_text())["lanes"]
    }
    assert rows["v1.0.0"]["patches"] == ["2.0.0-base-sizes", "2.0.0-up-things"]
    assert rows["v2.0.0"]["patches"] == []
    assert rows["v1.0.0"]["note"] == "the old one"


def test_a_second_run_changes_nothing(project: Project) -> None:
    project.run("apply")
    before = project.files()
    code, output = project.run("apply")
    assert code == 0
    assert "lane v1.0.0: unchanged, 2 patches" in output
    assert project.files() == before
    assert project.run("apply", "--check") == (0, "")


def test_a_backend_that_is_the_root_is_no_source_of_its_own_matrix(project: Project) -> None:
    config = (project.root / "pyproject.toml").read_text(encoding="utf-8")
    own = (project.root / "backend/pyproject.toml").read_text(encoding="utf-8")
    for path in sorted((project.root / "backend").iterdir()):
        path.rename(project.root / path.name)
    (project.root / "backend").rmdir()
    text = own + "\n" + config.replace('backend = "backend"\n', "")
    (project.root / "pyproject.toml").write_text(text, encoding="utf-8")
    assert project.run("apply")[0] == 0
    before = project.files()
    assert project.run("apply", "--check")[0] == 0
    assert project.run("apply")[0] == 0
    assert project.files() == before


def test_check_says_what_would_change_and_changes_nothing(project: Project) -> None:
    before = project.files()
    code, output = project.run("apply", "--check")
    assert code == 1
    assert "would write patches/2.0.0-base-sizes.yaml" in output
    assert project.files() == before


def test_one_lane_alone_gives_the_same_files(project: Project) -> None:
    project.run("apply", "--lane", "1.0.0")
    alone = project.files()
    for path in alone:
        if path.startswith(("patches/", "build/")):
            (project.root / path).unlink()
    project.run("apply")
    assert project.files() == alone


def test_a_patch_that_builds_on_one_that_was_deleted_is_no_end(project: Project) -> None:
    """The lane is made all the same; both the patch and what it waits for are named."""
    project.run("apply")
    file = project.root / "patches/2.0.0-up-things.yaml"
    more = "  - rule: import_moved\n    arguments: {old: up.a.X, new: up.b.X}\n"
    text = file.read_text(encoding="utf-8").replace("rewrites:\n", f"rewrites:\n{more}")
    file.write_text(text, encoding="utf-8")
    code, output = project.run("apply")
    assert (code, "patch 2.0.0-up-things, rule import_moved (backward) matches nothing" in output) == (
        2,
        True,
    )
    file.write_text(f"{text}builds_on: [3.0.0-gone]\n", encoding="utf-8")
    code, output = project.run("apply")
    assert code == 1
    assert "2.0.0-up-things builds on 3.0.0-gone, which is not active: rewrites that find nothing" in output
    assert (project.root / "build/lanes/v1.0.0/src/mine/base.py").read_text() == OLD_LANE
    code, output = project.run("apply", "--check")
    assert (code, output.startswith("2.0.0-up-things builds on 3.0.0-gone")) == (1, True)


def test_what_no_rule_answers_needs_an_author(project: Project) -> None:
    more = "from up.extra import only_new\n\nx = only_new(1)\n"
    write(project.root / "backend", {"src/mine/more.py": more})
    code, output = project.run("apply")
    assert code == 1
    assert "needs an author: patches/2.0.0-up-extra.yaml" in output
    patch = yaml.safe_load((project.root / "patches/2.0.0-up-extra.yaml").read_text())
    assert patch["status"] == "needs-author"
    assert "src/mine/more.py: from up.extra import only_new" in patch["notes"]
    # The file is written once; the lane is generated without it.
    before = project.files()
    assert project.run("apply")[0] == 1
    assert project.files() == before
    assert (project.root / "build/lanes/v1.0.0/src/mine/more.py").read_text() == more
    # An author completes it.
    text = (project.root / "patches/2.0.0-up-extra.yaml").read_text()
    text = text.replace("status: needs-author\n", "")
    text += (
        "rewrites:\n"
        "  - rule: replace_statement\n"
        "    arguments:\n"
        "      file: src/mine/more.py\n"
        "      before: |\n        def only_new(x):\n            return x + 1\n"
        "      after: from up.extra import only_new\n"
    )
    (project.root / "patches/2.0.0-up-extra.yaml").write_text(text)
    code, output = project.run("apply")
    assert code == 0, output
    lane = (project.root / "build/lanes/v1.0.0/src/mine/more.py").read_text()
    assert lane == "def only_new(x):\n    return x + 1\n\nx = only_new(1)\n"
    code, output = project.run("patch", "test", "2.0.0-up-extra")
    assert code == 0
    assert "+def only_new(x):" in output


def test_what_nobody_wants_is_not_written_again_and_told_once_it_is_stale(project: Project) -> None:
    write(project.root / "backend", {"src/mine/more.py": "from up.extra import only_new\n"})
    name = "2.0.0-up-extra"
    assert project.run("apply")[0] == 1
    assert project.run("patch", "retire", name, "--declined", "Nobody imports it.")[0] == 0
    before = project.files()
    assert (project.run("apply")[0], project.files()) == (0, before)
    assert "declined: Nobody imports it." in project.run("patch", "show", name)[1]
    assert project.run("apply")[1].count("delete its file") == 0
    write(project.root / "backend", {"src/mine/more.py": "\n"})
    stale = f"declined {name}: nothing asks for it any more; delete its file"
    assert stale in project.run("apply", "--check")[1].splitlines()
    assert stale in project.run("apply")[1].splitlines()
    (project.root / f"patches/{name}.yaml").unlink()
    assert "declined" not in project.run("apply")[1]


def test_notes_quote_the_lines_of_the_lane(project: Project) -> None:
    # On the lane, a line above is gone.
    more = "from up.base import Base\n\nx = 1\n\n\nclass Late(Base):\n    pass\n\n\nfrom up.extra import only_new\n"
    write(project.root / "backend", {"src/mine/more.py": more})
    write(
        project.root / "patches",
        {
            "2.0.0-x.yaml": "id: 2.0.0-x\nupstream: {name: up, first_version: 2.0.0}\nsymbol: up.base\n"
            "reason: Nothing.\nrewrites:\n- rule: replace_statement\n  arguments:\n"
            '    {file: src/mine/more.py, before: "x = (\\n    1\\n)", after: x = 1}\n'
        },
    )
    assert project.run("apply")[0] == 1
    lane = (project.root / "build/lanes/v1.0.0/src/mine/more.py").read_text()
    assert len(lane.splitlines()) == len(more.splitlines()) + 2
    notes = yaml.safe_load((project.root / "patches/2.0.0-up-extra.yaml").read_text())["notes"]
    assert "src/mine/more.py: from up.extra import only_new" in notes


@pytest.mark.parametrize(
    ("calls", "value"),
    [
        ("make(1, size=1 + 1)\n", "1 + 1"),
        ("make(1, size=2)\nmake(2, size=2)\n", "2"),
        ("make(1, size=2)\nmake(2, size=3)\n", None),
    ],
)
def test_what_older_lanes_do_not_take_is_proposed_with_what_is_passed(
    project: Project, calls: str, value: str | None
) -> None:
    upstream = project.root.parent / "upstream"
    write(upstream, {"up/made.py": "def make(a):\n    return a\n"})
    git(upstream, "checkout", "-q", "v1.0.0")
    write(upstream, {"up/made.py": "def make(a):\n    return a\n"})
    git(upstream, "add", "-A")
    git(upstream, "commit", "-qm", "Make")
    git(upstream, "tag", "-f", "v1.0.0")
    git(upstream, "checkout", "-q", "main")
    write(upstream, {"up/made.py": "def make(a, size=4):\n    return a\n"})
    git(upstream, "add", "-A")
    git(upstream, "commit", "-qm", "Make of a size")
    git(upstream, "tag", "-f", "v2.0.0")
    text = "from up.made import make\n\n" + calls
    write(project.root / "backend", {"src/mine/more.py": text})
    code, output = project.run("apply")
    assert code == 0, output
    patch = yaml.safe_load((project.root / "patches/2.0.0-made-make.yaml").read_text())
    (rewrite,) = patch["rewrites"]
    assert rewrite["rule"] == "call_argument_added"
    assert rewrite["arguments"].get("value") == value
    lane = (project.root / "build/lanes/v1.0.0/src/mine/more.py").read_text()
    assert "size" not in lane


FIRST = """\
upstream: {name: up, first_version: 2.0.0}
symbol: up.base.Base.sizes
reason: Upstream renamed a parameter.
rewrites:
  - {rule: override_parameter_renamed, arguments: {base: up.base.Base, method: sizes, old: first, new: spec}}
"""
SECOND = """\
upstream: {name: up, first_version: 1.5.0}
symbol: up.base.Base.sizes
reason: Upstream named a parameter of the renamed one.
rewrites:
  - rule: replace_statement
    arguments:
      file: src/mine/base.py
      within: Mine.sizes
      before: return [Thing( 1 ), self.old(first)]
      after: return [Thing( 1 ), first]
"""


def test_the_difference_of_a_patch_that_a_later_one_builds_on(project: Project) -> None:
    """Backward, the second finds the name that only the first one brings."""
    source = project.root / "backend/src/mine/base.py"
    source.write_text(source.read_text().replace("Thing( 1 )]", "Thing( 1 ), spec]"))
    patches = {
        "patches/2.0.0-a.yaml": f"id: 2.0.0-a\n{FIRST}",
        "patches/1.5.0-b.yaml": f"id: 1.5.0-b\n{SECOND}",
    }
    write(project.root, patches)
    code, output = project.run("patch", "test", "2.0.0-a")
    assert code == 0, output
    assert "-    def sizes(self, spec=None):\n" in output
    assert "+    def sizes(self, first=None):\n" in output
    assert "self.old" not in output
    code, output = project.run("patch", "test", "1.5.0-b")
    assert code == 0, output
    assert [line for line in output.splitlines() if line[:1] in "+-"][2:] == [
        "-        return [Thing( 1 ), first]",
        "+        return [Thing( 1 ), self.old(first)]",
    ]


def test_a_patch_without_a_difference_says_why(project: Project) -> None:
    arguments = ("new", "thing", "--first-version", "2.0.0", "--symbol", "up.Thing", "--reason", "It goes")
    assert project.run("patch", *arguments)[0] == 0
    code, output = project.run("patch", "test", "2.0.0-thing")
    assert (code, output.splitlines()) == (
        1,
        ["2.0.0-thing needs an author, so no lane uses it: complete it and remove its status"],
    )
    file = project.root / "patches/2.0.0-thing.yaml"
    file.write_text(file.read_text().replace("status: needs-author", "status: retired"))
    assert project.run("patch", "test", "2.0.0-thing") == (
        1,
        "2.0.0-thing is retired, so no lane uses it\n",
    )
    newer = f"id: 3.0.0-a\n{FIRST}".replace("2.0.0", "3.0.0")
    write(project.root, {"patches/3.0.0-a.yaml": newer})
    code, output = project.run("patch", "test", "3.0.0-a")
    assert (code, output) == (1, "3.0.0-a changes nothing on the 2 lanes of the matrix\n")
    file.write_text(file.read_text().replace("status: retired\n", ""))
    code, output = project.run("patch", "test", "2.0.0-thing")
    assert code == 2
    assert "an active patch needs rewrites or code" in output


def test_a_patch_that_matches_nothing_any_more_is_an_error(project: Project) -> None:
    project.run("apply")
    source = project.root / "backend/src/mine/base.py"
    source.write_text(source.read_text().replace("from up.things import Thing", "Thing = list"))
    before = project.files()
    code, output = project.run("apply")
    assert code == 2
    assert "patch 2.0.0-up-things, rule import_moved (backward) matches nothing" in output
    assert project.files() == before


@pytest.mark.long
def test_a_killed_run_is_finished_or_forgotten_by_the_next(project: Project) -> None:
    """Killed at each step of writing: the tree is the old or the new one, after the next run the new."""
    before = project.files()
    project.run("apply")
    after = {path: text for path, text in project.files().items() if not path.startswith("build/")}
    for moment in range(1, 12):
        for path in project.files():
            if path not in before:
                (project.root / path).unlink()
        write(project.root, {path: text.decode() for path, text in before.items()})
        script = (
            "import os, signal, sys\n"
            "real, calls = os.replace, 0\n"
            "def replace(*a, **k):\n"
            "    global calls\n"
            "    calls += 1\n"
            f"    if calls == {moment}: os.kill(os.getpid(), signal.SIGKILL)\n"
            "    real(*a, **k)\n"
            "os.replace = replace\n"
            "from syncbot.cli import main\n"
            f"main(['apply', '--backend', {str(project.root)!r}])\n"
        )
        done = forked(script)
        if done.returncode == 0:
            assert moment > 6
            break
        assert done.returncode == -signal.SIGKILL
        for path, text in project.files("patches", "backend").items():
            assert text == after[path]
        assert (project.root / "compat_matrix.yaml").read_bytes() in (
            before["compat_matrix.yaml"],
            after["compat_matrix.yaml"],
        )
        assert project.run("apply")[0] == 0
        now = {path: text for path, text in project.files().items() if not path.startswith("build/")}
        assert now == after


def test_the_wheel_pins_its_upstream_and_is_reproducible(project: Project) -> None:
    project.run("apply")
    code, output = project.run("build", "--lane", "v1.0.0")
    assert code == 0, output
    wheel = project.root / "dist/mine-1.0.0.post1-py3-none-any.whl"
    first = wheel.read_bytes()
    with zipfile.ZipFile(wheel) as archive:
        metadata = archive.read("mine-1.0.0.post1.dist-info/METADATA").decode()
        assert archive.read("mine/base.py").decode() == OLD_LANE
        facts = archive.read("mine/_lane.py").decode()
    assert [line for line in metadata.splitlines() if line.startswith("Requires-")] == [
        "Requires-Python: >=3.10",
        "Requires-Dist: attrs",
        "Requires-Dist: torch==2.12.0",
        "Requires-Dist: up==1.0.0",
    ]
    assert 'UP = "1.0.0"\nTORCH = "2.12.0"\nWHEEL_VERSION = "1.0.0.post1"\n' in facts
    wheel.unlink()
    os.utime(project.root / "build/lanes/v1.0.0/src/mine/base.py", (1, 1))
    project.run("build", "--lane", "1.0.0")
    assert wheel.read_bytes() == first


def test_patches_are_begun_shown_and_retired(project: Project) -> None:
    arguments = ("new", "thing", "--first-version", "3.0.0", "--symbol", "up.Thing", "--reason", "It goes")
    code, output = project.run("patch", *arguments)
    assert code == 0, output
    code, output = project.run("patch", "show", "3.0.0-thing")
    assert "status: needs-author" in output
    assert project.run("patch", *arguments, "--pr", "5", "--commit", "3f2a91c")[0] == 0
    assert "  pr: 5\n  commit: 3f2a91c\n" in project.run("patch", "show", "5-thing")[1]
    assert project.run("patch", "retire", "3.0.0-thing")[0] == 0
    assert "3.0.0-thing  retired" in project.run("patch", "show")[1]
    project.run("apply")
    code, output = project.run("patch", "retire", "2.0.0-base-sizes")
    assert code == 2
    assert "needed by v1.0.0" in output
    code, output = project.run("patch", "show", "2.0.0-base-size")
    assert code == 2
    assert "nearest is '2.0.0-base-sizes'" in output


@pytest.mark.parametrize("command", [["apply"], ["build", "--all"], ["doctor"]])
def test_an_upstream_that_is_not_configured_is_refused(project: Project, command: list[str]) -> None:
    file = project.root / "compat_matrix.yaml"
    file.write_text(file.read_text().replace("upstream: up\n", "upstream: nosuch\n"))
    before = project.files()
    code, output = project.run(*command)
    assert code == 2
    assert output == (
        "syncbot: compat_matrix.yaml: upstream 'nosuch' is not configured (up): name another, or add "
        "[tool.syncbot.upstreams.nosuch]\n"
    )
    assert project.files() == before


def test_the_matrix_is_shown(project: Project) -> None:
    project.run("apply")
    code, table = project.run("matrix", "--format", "markdown")
    assert code == 0
    assert "| v1.0.0 | 1.0.0.post1 | >=3.10 | 2.12.0 | unknown | 2 |" in table
    assert "v2.0.0 (baseline)" in project.run("matrix")[1]
    assert '"baseline": "v2.0.0"' in project.run("matrix", "--format", "json")[1]


def test_an_unknown_lane_is_named_with_those_there_are(project: Project) -> None:
    code, output = project.run("apply", "--lane", "v3")
    assert code == 2
    assert "no lane 'v3' in the matrix; it has v2.0.0, v1.0.0" in output


def test_a_lane_newer_than_the_baseline_follows_upstream(project: Project) -> None:
    matrix = project.root / "compat_matrix.yaml"
    matrix.write_text(matrix.read_text().replace("baseline: v2.0.0", "baseline: v1.0.0"))
    write(project.root / "backend", {"src/mine/base.py": OLD_LANE})
    code, output = project.run("apply")
    assert code == 0, output
    patches = sorted(path.stem for path in (project.root / "patches").iterdir())
    assert patches == ["2.0.0-base-sizes", "2.0.0-up-utils"]
    lane = (project.root / "build/lanes/v2.0.0/src/mine/base.py").read_text()
    assert lane == OLD_LANE.replace("up.utils", "up.things").replace("(self)", "(self, spec=None)")
    assert (project.root / "build/lanes/v1.0.0/src/mine/base.py").read_text() == OLD_LANE
