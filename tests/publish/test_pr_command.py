"""``syncbot publish pr``: a real repository, a real push, and the pull request."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import cmarkgfm
import pytest
import yaml
from bs4 import BeautifulSoup
from click.testing import Result

from syncbot import config as configuration
from syncbot.lanes import update
from syncbot.lanes.dependence import Present, Sources
from syncbot.lanes.generate import files_of

from .github_server import Fault, State, complaints
from .project import Project, write
from .test_report_command import printed

pytestmark = pytest.mark.long

Run = Callable[..., Result]
MOVED = "patches/17-engine-home.yaml"
ADDED = "patches/17-base-run.yaml"


def table(state: State, number: int = 1) -> list[list[str]]:
    html = cmarkgfm.github_flavored_markdown_to_html(state.issues[number - 1]["body"])
    rows = BeautifulSoup(html, "html.parser").find("table").find_all("tr")
    return [[cell.get_text("\n") for cell in row.find_all(["th", "td"])] for row in rows]


def edit(project: Project, path: str, **changes: object) -> None:
    file = project.plugin / path
    file.write_text(yaml.safe_dump({**yaml.safe_load(file.read_text()), **changes}), encoding="utf-8")


def test_patches_and_matrix_become_a_pull_request(state: State, run: Run, project: Project) -> None:
    change = {"name": "engine", "first_version": "2.0.0", "pr": 17}
    edit(project, ADDED, upstream=change)
    before = project.files()
    done = run("pr")
    assert done.exit_code == 0, done.output
    assert (done.exit_code, done.output) == (0, f"pull request opened: {state.issues[0]['html_url']}\n")
    assert project.files() == before
    sha = project.pushed()
    assert project.shown("show", "-s", "--format=%P %an%n%B", sha) == [
        f"{project.head()} Robot",
        "Follow engine 2.0.0: 2 patches",
        "",
        "Generated-by: syncbot publish pr",
    ]
    assert project.shown("diff", "--name-status", project.head(), sha) == [
        "M\tcompat_matrix.yaml",
        f"A\t{ADDED}",
        f"A\t{MOVED}",
    ]
    assert state.heads == {1: {"ref": "syncbot/patches", "sha": sha, "base": "main"}}
    assert state.issues[0]["title"] == "Follow engine 2.0.0: 2 patches"
    head, added, moved = table(state)
    assert head == ["File", "Upstream change", "Our adaptation", "Why", "Evidence"]
    assert added[0] == moved[0] == "code/src/plugin/mine.py"
    assert added[1].split("\n")[0] == "engine.base.Base.run"
    assert "#17" in added[1]
    assert added[2].startswith("17-base-run\n: new\noverride_parameter_added\n (")
    assert "base \nengine.base.Base" in added[2]
    assert added[3] == "Upstream added a parameter to a method that the backend overrides."
    assert added[4] == "v1.0.0: unknown"
    assert "https://github.com/octocat/engine/pull/17" in state.issues[0]["body"]
    assert "| v2.0.0 (baseline) |" in state.issues[0]["body"]


def test_who_commits_where_nobody_is_named(
    state: State, run: Run, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("AUTHOR_NAME", "AUTHOR_EMAIL", "COMMITTER_NAME", "COMMITTER_EMAIL"):
        monkeypatch.delenv(f"GIT_{name}")
    monkeypatch.setenv("HOME", str(project.root))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(project.root))
    run("pr", "--branch", "one")
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    run("pr", "--branch", "two")
    assert project.shown("show", "-s", "--format=%an %cn", "one", "two") == [
        "syncbot syncbot",
        "github-actions[bot] github-actions[bot]",
    ]


def test_a_second_run_changes_nothing(state: State, run: Run, project: Project) -> None:
    run("pr")
    sha, body, writes = project.pushed(), state.issues[0]["body"], len(state.writes())
    done = run("pr")
    assert (done.exit_code, done.output) == (0, f"pull request looked at: {state.issues[0]['html_url']}\n")
    assert (project.pushed(), state.issues[0]["body"], len(state.writes())) == (sha, body, writes)


def test_a_change_updates_branch_and_pull_request(state: State, run: Run, project: Project) -> None:
    run("pr")
    body = state.issues[0]["body"].strip().replace("\n", "\r\n")
    state.issues[0]["body"] = f"Please look at row 2.\r\n\r\n{body}\r\n\r\nI did. @reader"
    edit(project, MOVED, reason="The part has a home | of its own")
    first = project.pushed()
    assert run("pr").exit_code == 0
    assert project.pushed() != first
    assert project.shown("rev-list", "--count", "main..syncbot/patches") == ["1"]
    assert len(state.issues) == 1
    body = state.issues[0]["body"]
    assert body.startswith("Please look at row 2.\n\n<!-- syncbot pull")
    assert body.endswith("-->\n\nI did. @reader\n")
    assert table(state)[2][3] == "The part has a home | of its own"
    writes = len(state.writes())
    assert run("pr").exit_code == 0
    assert len(state.writes()) == writes


def test_evidence_is_that_of_the_matrix(state: State, run: Run, project: Project) -> None:
    matrix = yaml.safe_load((project.plugin / "compat_matrix.yaml").read_text())
    lane = next(lane for lane in matrix["lanes"] if lane["tag"] == "v1.0.0")
    config = configuration.load(project.plugin)
    inputs = update.inputs_of(config)
    files = files_of(inputs, inputs.matrix.lane("v1.0.0"), config.root / config.lanes / "v1.0.0")
    digest = Present(Sources(files)).digest(None, None)
    proof = {"status": "pass", "command": "x", "date": "2026-01-23T10:00:00+00:00", "digest": digest}
    lane["checks"] = {"static": proof, "simulate": {**proof, "digest": "other"}}
    (project.plugin / "compat_matrix.yaml").write_text(yaml.safe_dump(matrix), encoding="utf-8")
    run("pr")
    assert table(state)[1][4] == "v1.0.0: simulate stale 2026-01-23, static ✅ 2026-01-23"
    # Sources that changed after `syncbot apply` are not those of the evidence, whatever the matrix says.
    source = project.plugin / "code/src/plugin/mine.py"
    source.write_text(source.read_text(encoding="utf-8") + "\nx = 1\n", encoding="utf-8")
    run("pr")
    assert table(state)[1][4] == "v1.0.0: simulate stale 2026-01-23, static stale 2026-01-23"
    assert "✅" not in state.issues[0]["body"]


def test_what_needs_an_author_and_what_is_gone(state: State, run: Run, project: Project) -> None:
    project.commit(project.plugin, "Take the patches")
    project.git(project.plugin, "push", "--quiet", "origin", "main")
    notes = "engine.base.run: gained <b>\n  src/plugin/mine.py: x | y\n"
    edit(project, ADDED, status="needs-author", rewrites=[], notes=notes)
    (project.plugin / MOVED).unlink()
    assert run("pr").exit_code == 0
    assert state.issues[0]["title"] == "Follow engine 2.0.0: 2 patches"
    _, added, moved = table(state)
    assert added[0] == "none"
    assert added[2].split("\n") == ["17-base-run", ": changed", "needs an author"]
    assert moved[2].split("\n")[:2] == ["17-engine-home", ": removed"]
    assert "    engine.base.run: gained <b>\n" in state.issues[0]["body"]


def test_other_changes_stay_with_the_user(state: State, run: Run, project: Project) -> None:
    write(project.plugin, {"staged.txt": "s", "untracked.txt": "u", "code/src/plugin/mine.py": "x = 1\n"})
    write(project.plugin, {"patches/.hidden": "h", "patches/.d/x": "h"})
    write(
        project.plugin, {"code/src/plugin/mine.py": (project.plugin / "code/src/plugin/mine.py").read_text()}
    )
    write(
        project.plugin,
        {
            "code/src/plugin/mine.py": project.git(project.plugin, "show", "HEAD:code/src/plugin/mine.py")
            + "\n# mine\n"
        },
    )
    project.git(project.plugin, "checkout", "--quiet", "-b", "work")
    project.git(project.plugin, "add", "staged.txt", ADDED)
    before = project.files()
    assert run("pr", "--branch", "bot/x").exit_code == 0
    assert project.files() == before
    changed = project.shown("diff", "--name-only", project.head(), project.pushed("bot/x"))
    assert changed == ["compat_matrix.yaml", ADDED, MOVED]


def test_lanes_that_git_does_not_ignore(state: State, run: Run, project: Project) -> None:
    (project.plugin / ".gitignore").unlink()
    write(project.plugin, {"build/lanes/.apply/0.new": "journal"})
    assert run("pr").exit_code == 0
    changed = project.shown("diff", "--name-only", project.head(), project.pushed())
    assert "build/lanes/v1.0.0/src/plugin/mine.py" in changed
    assert not [path for path in changed if "/." in path]


def test_the_backend_may_be_a_folder_of_the_repository(state: State, run: Run, project: Project) -> None:
    inner = project.plugin / "inner"
    inner.mkdir()
    for name in ("code", "patches", "pyproject.toml", "compat_matrix.yaml"):
        (project.plugin / name).rename(inner / name)
    project.git(project.plugin, "add", "inner/code", "inner/pyproject.toml")
    project.git(project.plugin, "commit", "--quiet", "-m", "Move")
    assert run("pr", "--backend", "inner").exit_code == 0
    changed = project.shown("diff", "--name-only", project.head(), project.pushed())
    assert changed == ["inner/compat_matrix.yaml", f"inner/{ADDED}", f"inner/{MOVED}"]
    assert len(table(state)) == 3


def test_a_branch_with_others_commits_is_not_overwritten(state: State, run: Run, project: Project) -> None:
    run("pr")
    clone = project.root / "clone"
    project.git(project.root, "clone", "--quiet", "--branch", "syncbot/patches", str(project.remote), "clone")
    write(clone, {"fix.py": "x = 1\n"})
    sha = project.commit(clone, "Mend it by hand\n\nText")
    project.git(clone, "push", "--quiet")
    edit(project, MOVED, reason="Another")
    done = run("pr")
    assert done.exit_code == 2
    assert done.stderr == (
        f"syncbot: branch syncbot/patches has the commit {sha[:10]} by Ada, which would be lost: "
        "merge it, or name another --branch\n"
    )
    assert project.pushed() == sha


def test_head_has_moved(state: State, run: Run, project: Project) -> None:
    run("pr")
    write(project.plugin, {"other.txt": "x"})
    project.git(project.plugin, "add", "other.txt")
    project.git(project.plugin, "commit", "--quiet", "-m", "Go on")
    assert run("pr").exit_code == 0
    assert project.shown("rev-parse", "syncbot/patches^") == [project.head()]
    assert len(state.issues) == 1


def test_what_somebody_rejected_is_not_proposed_again(state: State, run: Run, project: Project) -> None:
    run("pr")
    state.issues[0]["state"] = "closed"
    sha = project.pushed()
    write(project.plugin, {"other.txt": "x"})
    project.git(project.plugin, "add", "other.txt")
    project.git(project.plugin, "commit", "--quiet", "-m", "Go on")
    done = run("pr")
    assert (
        done.output == f"somebody closed the pull request with this content: {state.issues[0]['html_url']}\n"
    )
    assert (len(state.issues), project.pushed()) == (1, sha)
    edit(project, MOVED, reason="Another")
    assert run("pr").exit_code == 0
    assert [issue["state"] for issue in state.issues] == ["closed", "open"]


def test_nothing_to_publish(state: State, run: Run, project: Project) -> None:
    project.commit(project.plugin, "Take them")
    done = run("pr")
    assert (done.exit_code, done.output) == (
        0,
        "nothing to publish: patches, lanes and matrix are as in HEAD\n",
    )
    assert state.calls == []


def test_a_dry_run_says_too_that_there_is_nothing(run: Run, project: Project) -> None:
    project.commit(project.plugin, "Take them")
    assert "nothing to publish" in run("pr", "--dry-run").output


def test_a_dry_run_sends_nothing(
    state: State, run: Run, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = project.files()
    with monkeypatch.context() as patch:
        patch.delenv("GITHUB_TOKEN")
        done = run("pr", "--dry-run")
    assert done.exit_code == 0, done.output
    assert state.calls == []
    assert project.shown("for-each-ref", "--format=%(refname)") == ["refs/heads/main"]
    assert project.files() == before
    push = re.search(
        r"^git push (\S+) [0-9a-f]{40}:refs/heads/syncbot/patches\n((?: [AMD] \S+\n)+)",
        done.stdout,
        re.MULTILINE,
    )
    assert push is not None
    assert push[1] == str(project.remote)
    assert push[2].split("\n") == [" M compat_matrix.yaml", f" A {ADDED}", f" A {MOVED}", ""]
    shown = printed(done.stdout.replace(push[0], ""))
    assert [complaint for call in shown for complaint in complaints(call)] == []
    assert run("pr").exit_code == 0
    assert shown == [call for call in state.calls if "/git/commits/" not in call.path]


def test_a_long_table_goes_on_in_comments(state: State, run: Run, project: Project) -> None:
    document = yaml.safe_load((project.plugin / MOVED).read_text())
    for number in range(16):
        name = f"17-x{number}"
        extra = {
            **document,
            "id": name,
            "status": "needs-author",
            "rewrites": [],
            "reason": "r" * 2000,
            "notes": "n" * 3000,
        }
        write(project.plugin, {f"patches/{name}.yaml": yaml.safe_dump(extra)})
    assert run("pr").exit_code == 0
    bodies = [state.issues[0]["body"], *state.thread(1)]
    assert len(bodies) == 2
    assert all(len(body) <= 65_536 for body in bodies)
    assert sum(body.count("17-x15") for body in bodies) == 2
    writes = len(state.writes())
    assert run("pr").exit_code == 0
    assert len(state.writes()) == writes


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("--branch", "main"), "main is the branch to merge into"),
        (("--branch", "a..b"), "'a..b' is no name of a branch"),
        (("--branch", "-x"), "'-x' is no name of a branch"),
        (("--remote", "elsewhere"), "has no remote 'elsewhere'"),
    ],
)
def test_wrong_use(state: State, run: Run, project: Project, args: tuple[str, ...], message: str) -> None:
    done = run("pr", *args)
    assert done.exit_code == 2
    assert message in done.stderr
    assert state.writes() == []
    assert project.shown("for-each-ref", "--format=%(refname)") == ["refs/heads/main"]


def test_no_repository_and_no_commit(run: Run, project: Project, tmp_path: Path) -> None:
    bare = tmp_path / "bare"
    write(bare, {"compat_matrix.yaml": (project.plugin / "compat_matrix.yaml").read_text()})
    done = run("pr", "--backend", str(bare))
    assert done.exit_code == 2
    assert "is in no working tree of git" in done.stderr
    project.git(bare, "init", "--quiet")
    project.git(bare, "remote", "add", "origin", str(project.remote))
    done = run("pr", "--backend", str(bare))
    assert (done.exit_code, "has no commit yet" in done.stderr) == (2, True)


def test_a_pull_request_that_may_have_been_made(state: State, run: Run, project: Project) -> None:
    state.faults.append(Fault("POST", "/pulls$", 504, done=True))
    assert run("pr").exit_code == 0
    assert len(state.issues) == 1
