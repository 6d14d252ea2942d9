"""Patches that need an author hold our lines, the change of the symbol, and a rewrite to begin with."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from syncbot import config as configuration
from syncbot.impact.upstream_hunk import LINES
from syncbot.lanes import findings, update
from syncbot.upstream.cache_folder import cache_dir
from syncbot.upstream.opening import open_upstream

from .conftest import NEW, Project, git, write

# A method that upstream brought, in a pull request between two other commits.
GAINED = NEW["up/base.py"] + "\n    def ident(self, at=object()):\n        return 7\n"
MORE = """\
from up.base import Base


class Late(Base):
    def name(self):
        return (
            self.ident()
        )
"""


def head(upstream: Path) -> str:
    done = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=upstream, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def commit(upstream: Path, files: dict[str, str], message: str) -> str:
    write(upstream, files)
    git(upstream, "add", "-A")
    git(upstream, "commit", "-qm", message)
    return head(upstream)


@pytest.fixture
def upstream(project: Project) -> Path:
    return project.root.parent / "upstream"


@pytest.fixture
def gained(project: Project, upstream: Path) -> str:
    """The commit that brought the method, before the newest lane."""
    commit(upstream, {"up/noise.py": "x = 1\n"}, "Noise (#6)")
    sha = commit(upstream, {"up/base.py": GAINED}, "Give bases an ident (#7)")
    commit(upstream, {"up/base.py": GAINED + "\n\nLAST = 1\n"}, "More (#8)")
    git(upstream, "tag", "-f", "v2.0.0")
    write(project.root / "backend", {"src/mine/more.py": MORE})
    return sha


def read(project: Project, name: str) -> dict[str, Any]:
    document = yaml.safe_load((project.root / f"patches/{name}.yaml").read_text())
    assert isinstance(document, dict)
    return document


def test_it_holds_our_lines_the_diff_and_a_sketch(project: Project, gained: str) -> None:
    code, output = project.run("apply")
    assert code == 1, output
    assert "needs an author: patches/7-base-ident.yaml" in output
    patch = read(project, "7-base-ident")
    assert patch["upstream"] == {"name": "up", "pr": 7, "commit": gained, "first_version": "2.0.0"}
    assert patch["status"] == "needs-author"
    notes = patch["notes"].splitlines()
    assert "  src/mine/more.py: self.ident()" in notes
    assert "+    def ident(self, at=object()):" in notes
    assert "+        return 7" in notes
    assert not any("LAST" in line for line in notes)
    assert notes[-1].startswith(
        "Complete the sketch: write into 'before' what versions older than 2.0.0 need"
    )
    statement = "return (\n    self.ident()\n)"
    assert patch["sketch"] == [
        {
            "rule": "replace_statement",
            "arguments": {
                "file": "src/mine/more.py",
                "within": "Late.name",
                "before": statement,
                "after": statement,
            },
        }
    ]
    assert "rewrites" not in patch
    # Texts are blocks that a person can edit.
    raw = (project.root / "patches/7-base-ident.yaml").read_text()
    assert "notes: |\n" in raw
    assert "before: |" in raw


def test_neither_notes_nor_sketch_change_a_lane(project: Project, gained: str) -> None:
    project.run("apply")
    assert (project.root / "build/lanes/v1.0.0/src/mine/more.py").read_text() == MORE
    file = project.root / "patches/7-base-ident.yaml"
    lanes, rows = project.files("build"), (project.root / "compat_matrix.yaml").read_bytes()
    file.write_text(file.read_text().replace("self.ident()", "other()"))
    assert project.run("apply")[0] == 1
    assert project.files("build") == lanes
    assert (project.root / "compat_matrix.yaml").read_bytes() == rows


def test_an_author_completes_the_sketch(project: Project, gained: str) -> None:
    project.run("apply")
    file = project.root / "patches/7-base-ident.yaml"
    patch = read(project, "7-base-ident")
    (rewrite,) = patch.pop("sketch")
    rewrite["arguments"]["before"] = "return 0"
    del patch["status"]
    file.write_text(yaml.safe_dump({**patch, "rewrites": [rewrite]}))
    code, output = project.run("apply")
    assert code == 0, output
    lane = (project.root / "build/lanes/v1.0.0/src/mine/more.py").read_text()
    assert lane == "from up.base import Base\n\n\nclass Late(Base):\n    def name(self):\n        return 0\n"
    assert "7-base-ident" in (project.root / "compat_matrix.yaml").read_text()


def test_a_symbol_that_changed_much_is_cut(project: Project, upstream: Path) -> None:
    body = "".join(f"        x{n} = {n}\n" for n in range(200))
    commit(
        upstream, {"up/base.py": NEW["up/base.py"] + f"\n    def ident(self, at=object()):\n{body}"}, "Long"
    )
    git(upstream, "tag", "-f", "v2.0.0")
    write(project.root / "backend", {"src/mine/more.py": MORE})
    assert project.run("apply")[0] == 1
    notes = read(project, "2.0.0-base-ident")["notes"].splitlines()
    assert any(line.startswith("… ") and line.endswith(" more lines") for line in notes)
    assert len(notes) < LINES + 8


def test_a_proposal_that_does_not_fit_is_a_part_of_the_sketch(project: Project) -> None:
    # A body on the line of its head has no place for what older versions lack.
    text = (project.root / "backend/src/mine/base.py").read_text()
    text = text.replace("spec=None):\n        return [Thing( 1 )]", "spec=None): return [spec, Thing( 1 )]")
    write(project.root / "backend", {"src/mine/base.py": text})
    code, output = project.run("apply")
    patch = read(project, "2.0.0-base-sizes")
    assert (code, patch.get("status")) == (1, "needs-author"), output
    assert "rewrites" not in patch
    assert patch["sketch"][0]["rule"] == "override_parameter_added"
    assert patch["sketch"][-1]["rule"] == "replace_statement"
    notes = patch["notes"]
    assert "  src/mine/base.py: def sizes(self, spec=None):" in notes
    assert "The proposed rewrite does not fit: " in notes
    assert "+    def sizes(self, spec=None):" in notes


def test_a_patch_with_rewrites_names_its_commit_too(project: Project, upstream: Path) -> None:
    project.run("apply")
    patch = read(project, "2.0.0-base-sizes")
    assert patch["upstream"]["commit"] == head(upstream)
    assert "notes" not in patch
    assert "sketch" not in patch


def test_an_untagged_commit_knows_its_pull_request(project: Project, upstream: Path) -> None:
    assert project.run("apply")[0] == 0
    write(project.root / "backend", {"src/mine/more.py": "from up.base import Base\n\nBase().run()\n"})
    assert project.run("apply")[0] == 0
    commit(upstream, {"up/noise.py": "x = 1\n"}, "Noise (#11)")
    guilty = commit(upstream, {"up/base.py": NEW["up/base.py"].replace("def run", "def walk")}, "Walk (#12)")
    last = commit(upstream, {"up/noise.py": "x = 2\n"}, "Noise (#13)")
    code, output = project.run("apply", "--to", "main")
    assert code == 1, output
    (file,) = (project.root / f"build/lanes/{last[:10]}-patches").iterdir()
    assert file.name == "12-base-run.yaml"
    patch = yaml.safe_load(file.read_text())
    assert (patch["upstream"]["pr"], patch["upstream"]["commit"]) == (12, guilty)
    assert patch["sketch"][0]["arguments"]["before"] == "Base().run()"
    assert "-    def run(self):" in patch["notes"]
    assert "write into 'after' what versions from 2.0.1" in patch["notes"]


def test_releases_have_no_commits_of_their_own_and_what_is_told_is_not_traced(
    project: Project, gained: str, tmp_path: Path
) -> None:
    config = configuration.load(project.root)
    inputs = update.inputs_of(config)
    lane = inputs.matrix.lane("v1.0.0")
    symbol = "up.base.Base.ident"
    with open_upstream(config, "up", cache_dir(), ["1.0.0", "2.0.0"]) as opened:
        released = type(opened)(opened.name, opened.packages, opened.repository, None, "release", opened.head)
        for source, told, expected in (
            (opened, (), (gained, 7, True)),
            (released, (), ("", None, True)),
            (opened, {(symbol, "2.0.0")}, ("", None, False)),
        ):
            sources = project.root / "backend"
            found = findings.findings(
                config,
                source,
                inputs.matrix,
                inputs.matrix.baseline_lane,
                lane,
                sources,
                cache_dir(),
                told=told,
            )
            (impact,) = [each.impact for each in found if each.impact.symbol == symbol]
            assert (impact.commit, impact.pr, "def ident" in impact.upstream_hunk) == expected
