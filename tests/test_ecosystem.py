"""Two states of syncbot compared on pairs of a plugin's release and a change of its upstream."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[1]
TWO = ("Flask-Login-0.6.1-Werkzeug-2.2.0", "pytest-mock-3.10.0-pytest-8.0.0")


@pytest.fixture(scope="module")
def ecosystem() -> ModuleType:
    spec = importlib.util.spec_from_file_location("ecosystem", ROOT / "benchmarks" / "ecosystem.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "benchmarks")
        spec.loader.exec_module(module)
    return module


def test_forty_pairs_with_digests(ecosystem: ModuleType) -> None:
    pairs = ecosystem.read_pairs(ROOT / "benchmarks" / "ecosystem.tsv")
    assert len({pair.id for pair in pairs}) == len(pairs) == 40
    assert all(len(pair.sha256) == 64 and pair.packages and pair.old != pair.new for pair in pairs)
    pairs += ecosystem.read_pairs(ROOT / "benchmarks" / "fresh-pairs.tsv")
    labels = (ROOT / "benchmarks" / "fresh-plugins.tsv").read_text(encoding="utf-8").splitlines()
    labelled = {line.split("\t")[1] for line in labels if not line.startswith(("#", "batch\t"))}
    assert labelled <= {pair.id for pair in pairs}


@pytest.fixture(scope="module")
def fresh_all(ecosystem: ModuleType) -> ModuleType:
    assert ecosystem.ROOT == ROOT
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "benchmarks")
        return importlib.import_module("fresh_all")


def test_what_is_told_worse_than_in_the_last_run_of_all_batches(
    fresh_all: ModuleType, tmp_path: Path
) -> None:
    names = ("gone", "moved", "dead", "new")
    gone, moved, dead, new = (fresh_all.Label("first", "pair", name) for name in names)
    kept = tmp_path / "missed.tsv"
    assert fresh_all.missed(kept) == {}
    silent = fresh_all.Label("first", "silent", "*")
    kept.write_text(fresh_all.table({moved: "at-risk", dead: "", silent: "not run"}, "c0ffee", ["first"]))
    before = fresh_all.missed(kept)
    run = {fresh_all.Label("first", "*", "*"): "c0ffee"}
    assert before == {moved: "at-risk", dead: "", silent: "not run", **run}
    now = {gone: "at-risk", moved: "at-risk", dead: "breaks", new: "breaks"}
    assert [*fresh_all.compared(now, before)] == [
        (False, "first pair dead: nothing, now breaks"),
        (True, "first pair gone: breaks, now at-risk"),
    ]
    unknown = {fresh_all.Label("second", "pair", "gone"): "", fresh_all.Label("first", "silent", "gone"): ""}
    assert [*fresh_all.compared(unknown, before)] == [], "nobody has run these before"
    other = fresh_all.Label("first", "other", "*")
    assert fresh_all.kept(before, now, [other]) == {
        gone: "at-risk", moved: "at-risk", silent: "not run", other: "not run", **run
    }  # fmt: skip


def test_breaks_of_pairs_that_gave_no_answer_are_not_counted(
    ecosystem: ModuleType, fresh_all: ModuleType, tmp_path: Path
) -> None:
    batch = "first"
    known = fresh_all.labels(ROOT / "benchmarks" / "fresh-plugins.tsv", batch)
    id_, label = next((i, n) for i, names in known.items() for n, seen in names.items() if seen == "yes")
    pair = next(p for name in ("ecosystem.tsv", "fresh-pairs.tsv")
                for p in ecosystem.read_pairs(ROOT / "benchmarks" / name) if p.id == id_)  # fmt: skip
    said = ecosystem.Told("breaks", "k", "a.py:1", f"{label} is gone")
    ran = fresh_all.told(batch, [pair], {id_: ecosystem.Outcome((said,), 1.0)}, tmp_path)
    assert ran[fresh_all.Label(batch, id_, label)] == "breaks"
    assert (
        fresh_all.told(batch, [pair], {id_: ecosystem.Outcome((), 300, "no answer in 300 s")}, tmp_path) == {}
    )


def test_the_difference_is_said_pair_by_pair(ecosystem: ModuleType) -> None:
    told, outcome = ecosystem.Told, ecosystem.Outcome
    gone, come = told("breaks", "k", "a.py:1", "x | y is gone"), told("at-risk", "k", "a.py:1", "x moved")
    same = told("breaks", "k", "b.py:2", "z is gone")
    before = {"p": outcome((gone, same), 1.0), "q": outcome((same,), 1.0)}
    after = {"p": outcome((same, come), 1.0), "q": outcome((same,), 1.0)}
    assert list(ecosystem.difference(before, before)) == ["2 pairs, 0 with a difference; findings 3 → 3"]
    assert list(ecosystem.difference(before, after)) == [
        "2 pairs, 1 with a difference; findings 3 → 3",
        "",
        "### p",
        "",
        "| | verdict | kind | place | message |",
        "|---|---|---|---|---|",
        "| - | breaks | k | a.py:1 | x \\| y is gone |",
        "| + | at-risk | k | a.py:1 | x moved |",
    ]
    lines = list(ecosystem.difference(before, {**after, "q": outcome((), 0.0, "exit 2: no such release")}))
    assert lines[-3:] == ["### Not run", "", "- q: exit 2: no such release"]


@pytest.mark.machine
def test_two_pairs_from_the_package_index(tmp_path: Path) -> None:
    command = [
        sys.executable,
        str(ROOT / "benchmarks" / "ecosystem.py"),
        "--before",
        "HEAD",
        "--after",
        "HEAD",
    ]
    only = [part for pair in TWO for part in ("--only", pair)]
    done = subprocess.run(
        [*command, *only, "--build", str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "2 pairs, 0 with a difference; findings 1 → 1" in done.stdout


def test_a_plugin_may_be_a_commit_of_a_repository(ecosystem: ModuleType, tmp_path: Path) -> None:
    repository = tmp_path / "worktree"
    (repository / "a_plugin").mkdir(parents=True)
    (repository / "a_plugin" / "__init__.py").write_text("old = 1\n", encoding="utf-8")
    git = ["git", "-C", str(repository), "-c", "user.name=n", "-c", "user.email=n@example.org"]
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-qm", "old"]):
        subprocess.run([*git, *arguments], check=True)
    commit = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout
    (tmp_path / "repositories").mkdir()
    (repository / ".git").rename(tmp_path / "repositories" / "somebody+a-plugin")
    folder = ecosystem.laid_out("somebody/a-plugin", commit.strip(), "-", tmp_path)
    assert (folder / "a_plugin" / "__init__.py").read_text(encoding="utf-8") == "old = 1\n"
    with pytest.raises(ecosystem.SyncbotError, match="feed"):
        ecosystem.laid_out("somebody/a-plugin", "feed", "-", tmp_path)
