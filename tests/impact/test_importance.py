from __future__ import annotations

import json
import os
import subprocess
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from syncbot.impact.changed_files import Kind, LineCount, kind_of, line_counts
from syncbot.impact.commit_messages import TYPES
from syncbot.impact.importance import LEVELS, CommitFacts, classify, facts_of
from syncbot.upstream.git_command import Access
from syncbot.upstream.git_repository import GitRepository
from syncbot.upstream.model import Commit, FileChange

DAY = Path(__file__).parents[1] / "report" / "data" / "day-2026-01-23.json"


def commit(subject: str, *files: FileChange, body: str = "") -> Commit:
    return Commit("0" * 40, (), datetime(2026, 1, 23, tzinfo=UTC), "Ada", subject, body, None, files)


def changed(path: str, status: str = "M", old: str | None = None) -> FileChange:
    before = None if status == "A" else old or path
    return FileChange(status, before, None if status == "D" else path, None, None)


def judge(subject: str, *paths: str, lines: int = 1) -> tuple[str, tuple[str, ...]]:
    made = commit(subject, *(changed(path) for path in paths))
    return classify(made, facts_of(made, {path: LineCount(lines, lines // 2) for path in paths}))


def level(subject: str, *paths: str, lines: int = 1) -> str:
    return judge(subject, *paths, lines=lines)[0]


def code(number: int) -> list[str]:
    return [f"pkg/module{n}.py" for n in range(number)]


def test_a_day_as_its_reader_judged_it() -> None:
    """The 33 commits of vLLM of 23 January 2026, and the levels that the daily report of that day gave."""
    table: Counter[int] = Counter()
    for row in json.loads(DAY.read_text(encoding="utf-8")):
        files = [FileChange(f[0], f[1], f[2], None, None) for f in row["files"]]
        lines = {f[2] or f[1]: LineCount(f[3], f[4]) for f in row["files"] if len(f) == 5}
        made = commit(row["subject"], *files)
        ours, _ = classify(made, facts_of(made, lines))
        table[abs(LEVELS.index(ours) - LEVELS.index(row["judged"]))] += 1
    assert table.total() == 33
    assert table[0] >= 0.75 * 33
    assert table[2] == 0


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("vllm/v1/worker/worker.py", Kind.CODE),
        ("csrc/cache_kernels.cu", Kind.CODE),
        ("tests/kernels/utils.py", Kind.TESTS),
        ("pkg/test_it.py", Kind.TESTS),
        ("pkg/latest.py", Kind.CODE),
        ("docs/conf.py", Kind.DOCS),
        ("pkg/README.md", Kind.DOCS),
        (".buildkite/test-pipeline.yaml", Kind.CI),
        (".pre-commit-config.yaml", Kind.CI),
        ("docker/Dockerfile.cpu", Kind.BUILD),
        ("CMakeLists.txt", Kind.BUILD),
        ("requirements/cpu.txt", Kind.BUILD),
        ("requirements-dev.txt", Kind.BUILD),
        ("setup.py", Kind.BUILD),
        ("pkg/benchmarks/serve.py", Kind.TOOLS),
        (".gitignore", Kind.OTHER),
        ("pkg/model.json", Kind.OTHER),
    ],
)
def test_kind_of(path: str, kind: Kind) -> None:
    assert kind_of(path) is kind


def test_size_decides_where_nothing_else_does() -> None:
    assert level("Tweak it", "pkg/a.py", lines=10) == "low"
    assert level("Tweak it", "pkg/a.py", lines=20) == "medium"
    assert level("Tweak them", *code(5)) == "medium"
    assert level("Rework it", *code(6), lines=40) == "high"
    assert level("Rework it", "pkg/a.py", lines=700) == "high"
    assert level("Put a header into all files", *code(400), lines=2) == "medium"


def test_tests_and_documents_never_raise_it() -> None:
    paths = [f"tests/test_{n}.py" for n in range(30)] + ["docs/guide.md", ".github/workflows/a.yml"]
    assert judge("Rework the tests", *paths, lines=500) == ("low", ("test", "CI", "documentation"))


def test_deleting_only_is_less_than_rebuilding() -> None:
    made = commit("Remove what nobody uses", *(changed(path, "D") for path in code(8)))
    facts = facts_of(made, {path: LineCount(0, 200) for path in code(8)})
    assert classify(made, facts) == ("medium", ("architecture", "refactor"))


def test_what_raises_a_small_commit() -> None:
    assert level("Change a name", "pkg/a.py") == "low"
    assert level("Change a name", "pkg/envs.py") == "medium"
    assert level("Raise a pin", "requirements/common.txt") == "medium"
    assert level("Raise a pin", "requirements/cpu.txt") == "low"
    assert level("[Security] Check the path", "pkg/a.py") == "medium"
    assert level("Fix CVE-2026-12345", "pkg/a.py") == "medium"
    assert level("[Breaking] Drop it", "pkg/a.py") == "high"
    assert level("feat(api)!: take a list", "pkg/a.py") == "high"
    announced = commit("Take a list", changed("pkg/a.py"), body="Why.\n\nBREAKING CHANGE: lists only")
    assert classify(announced, facts_of(announced))[0] == "high"


def test_api_changes_raise_it_and_additions_do_not() -> None:
    made = commit("Change a name", changed("pkg/a.py"))
    for api, expected in (
        ({"symbol-added": 40}, "low"),
        ({"parameter-removed": 1}, "medium"),
        ({"parameter-removed": 6, "symbol-moved": 4}, "high"),
    ):
        assert classify(made, facts_of(made, {}, api))[0] == expected


def test_without_line_counts_files_decide() -> None:
    for number, expected in ((4, "low"), (5, "medium"), (15, "high")):
        made = commit("Rework", *(changed(path) for path in code(number)))
        assert classify(made, facts_of(made))[0] == expected


@pytest.mark.parametrize(
    ("subject", "path", "types"),
    [
        ("[Bugfix][Core] Fix it (#1)", "pkg/a.py", ("bug fix",)),
        ("Fix it", "pkg/a.py", ("bug fix",)),
        ("Prefix caching for all", "pkg/a.py", ("feature",)),
        ("[CI/Build] Add a job", ".github/workflows/a.yml", ("CI",)),
        ("[Perf] Fuse two kernels", "csrc/a.cu", ("performance",)),
        ("perf(core): fuse", "csrc/a.cu", ("performance",)),
        ("[Doc] Say how", "docs/a.md", ("documentation",)),
        ("[MoE Refactor] Split a class", "pkg/a.py", ("refactor",)),
        ("[Kernel] Rename the entry point", "pkg/a.py", ("refactor",)),
        ("Add an option", "pkg/config/cache.py", ("feature", "configuration")),
        ("Bump torch to 2.10", "requirements/common.txt", ("dependency", "configuration")),
        ("Ignore a folder", ".gitignore", ("configuration",)),
        ("[Unknown] Do things", "pkg/a.py", ("feature",)),
    ],
)
def test_types(subject: str, path: str, types: tuple[str, ...]) -> None:
    assert judge(subject, path)[1] == types


def test_a_new_file_among_models_is_model_support() -> None:
    made = commit("Qwen9", changed("pkg/models/qwen9.py", "A"), changed("pkg/models/registry.py"))
    assert classify(made, facts_of(made))[1] == ("model support",)
    fixed = commit("[Bugfix] Split a model", changed("pkg/models/qwen9.py", "A"))
    assert classify(fixed, facts_of(fixed))[1] == ("bug fix",)


@given(
    st.text(),
    st.text(),
    st.lists(
        st.tuples(st.text(min_size=1), st.sampled_from("AMDRT"), st.integers(0, 2000), st.integers(0, 2000))
    ),
)
def test_every_commit_has_a_level_and_a_type(
    subject: str, body: str, files: list[tuple[str, str, int, int]]
) -> None:
    made = commit(subject, *(changed(path, status) for path, status, _, _ in files), body=body)
    lines = {path: LineCount(added, removed) for path, _, added, removed in files}
    for facts in (facts_of(made), facts_of(made, lines), CommitFacts({})):
        found, types = classify(made, facts)
        assert found in LEVELS
        assert types
        assert set(types) <= set(TYPES)


@dataclass
class Repo:
    """A git repository that a test makes with git itself."""

    path: Path

    def git(self, *args: str | Path) -> str:
        kept = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
        who = {f"GIT_{role}_{what}": "a@b" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        env = kept | who | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        done = subprocess.run(["git", "-C", self.path, *args], env=env, check=True, capture_output=True)
        return done.stdout.decode().strip()

    def commit(self) -> str:
        self.git("add", "--all")
        self.git("commit", "--quiet", "-m", "Change")
        return self.git("rev-parse", "HEAD")


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    made = Repo(tmp_path / "upstream")
    made.path.mkdir()
    made.git("init", "--quiet", "--initial-branch=main")
    return made


def test_line_counts_of_a_real_repository(repo: Repo) -> None:
    (repo.path / "a.py").write_text("".join(f"a{n} = {n}\n" for n in range(20)))
    (repo.path / "naïve name.py").write_text("x = 1\n")
    (repo.path / "data.bin").write_bytes(bytes(range(256)))
    first = repo.commit()
    repo.git("mv", "a.py", "b.py")
    with (repo.path / "b.py").open("a") as file:
        file.write("more = 1\n")
    (repo.path / "naïve name.py").unlink()
    second = repo.commit()
    repo.git("checkout", "--quiet", "-b", "side")
    (repo.path / "c.cu").write_text("one\ntwo\n")
    third = repo.commit()
    repo.git("checkout", "--quiet", "main")
    repo.git("merge", "--quiet", "--no-ff", "-m", "Merge", "side")
    merge = repo.git("rev-parse", "HEAD")
    (repo.path / "README.md").write_text("words\n")
    documents = repo.commit()

    with GitRepository(repo.path / ".git") as repository:
        counted = line_counts(repository, None, "main")
        assert line_counts(repository, second, third) == {third: {"c.cu": LineCount(2, 0)}}
    assert counted[first] == {"a.py": LineCount(20, 0), "naïve name.py": LineCount(1, 0)}
    assert counted[second] == {"b.py": LineCount(1, 0), "naïve name.py": LineCount(0, 1)}
    assert counted[third] == counted[merge] == {"c.cu": LineCount(2, 0)}
    assert documents not in counted


def test_line_counts_of_a_partial_clone_fetch_code_only(repo: Repo, tmp_path: Path) -> None:
    repo.git("config", "uploadpack.allowFilter", "true")
    repo.git("config", "uploadpack.allowAnySHA1InWant", "true")
    (repo.path / "a.py").write_text("".join(f"a{n} = {n}\n" for n in range(20)))
    first = repo.commit()
    (repo.path / "data.json").write_text("[]\n")
    repo.commit()
    repo.git("mv", "a.py", "b.py")
    with (repo.path / "b.py").open("a") as file:
        file.write("more = 1\n")
    second = repo.commit()
    mirror = tmp_path / "mirror.git"
    repo.git("clone", "--quiet", "--bare", "--filter=blob:none", f"file://{repo.path}", mirror)

    with GitRepository(mirror, Access.OWN) as repository:
        counted = line_counts(repository, None, "main")
    assert counted == {
        first: {"a.py": LineCount(20, 0)},
        second: {"b.py": LineCount(1, 0)},
    }
    missing = Repo(mirror).git("rev-list", "--objects", "--all", "--missing=print").splitlines()
    assert len([line for line in missing if line.startswith("?")]) == 1


def test_line_counts_follow_the_history_that_the_repository_shows(repo: Repo) -> None:
    """A mirror of releases joins commits without parents by replacement objects."""
    (repo.path / "a.py").write_text("one = 1\n" * 9)
    first = repo.commit()
    repo.git("checkout", "--quiet", "--orphan", "next")
    (repo.path / "a.py").write_text("one = 1\n" * 10)
    second = repo.commit()
    repo.git("replace", "--graft", second, first)
    for access, added in ((Access.OWN, 1), (Access.FOREIGN, 10)):
        with GitRepository(repo.path / ".git", access) as repository:
            assert line_counts(repository, first, second) == {second: {"a.py": LineCount(added, 0)}}
