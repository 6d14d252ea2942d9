from __future__ import annotations

import shutil
import subprocess
import tempfile
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from packaging.version import Version

from syncbot.errors import EnvironmentFailure, UsageError
from syncbot.upstream.git_log import pull_request, raw_date
from syncbot.upstream.git_repository import GitRepository
from syncbot.upstream.model import Commit, FileChange

from .conftest import START, Repo


def opened(repo: Repo) -> GitRepository:
    return GitRepository(repo.path / ".git")


def all_commits(repo: Repo) -> list[Commit]:
    with opened(repo) as git:
        return git.commits(None, git.history_head())


# History


def test_a_history_newest_first_with_its_files(repo: Repo) -> None:
    source = "".join(f"line {number}\n" for number in range(30))
    repo.write("pkg/a.py", source)
    repo.write("pkg/b.py", "b = 1\n")
    first = repo.commit("Begin")
    repo.write("pkg/b.py", "b = 2\n")
    second = repo.commit("Change b (#12345)\n\nWhy: because.\n\nSecond paragraph.")
    repo.git("mv", "pkg/a.py", "pkg/moved.py")
    (repo.path / "pkg/b.py").unlink()
    third = repo.commit("Move a, drop b")

    newest, middle, oldest = all_commits(repo)
    assert (newest.sha, middle.sha, oldest.sha) == (third, second, first)
    assert (oldest.parents, middle.parents) == ((), (first,))
    assert (middle.author, middle.subject, middle.pr) == ("Ada Lovelace", "Change b (#12345)", 12345)
    assert middle.body == "Why: because.\n\nSecond paragraph."
    assert middle.date == datetime.fromtimestamp(START + 7200, UTC)
    assert middle.date.utcoffset() == timedelta(hours=8)
    assert oldest.pr is None
    assert [(change.status, change.old_path, change.new_path) for change in newest.files] == [
        ("D", "pkg/b.py", None),
        ("R", "pkg/a.py", "pkg/moved.py"),
    ]
    moved = newest.files[1]
    assert moved.old_blob == moved.new_blob == repo.git("rev-parse", f"{third}:pkg/moved.py")
    changed = middle.files[0]
    with opened(repo) as git:
        assert git.blob(changed.old_blob or "") == b"b = 1\n"
        assert git.blob(changed.new_blob or "") == b"b = 2\n"


def test_ranges(repo: Repo) -> None:
    shas = [repo.commit(f"Number {number}") for number in range(5)]
    with opened(repo) as git:
        assert [commit.sha for commit in git.commits(shas[1], shas[3])] == [shas[3], shas[2]]
        assert git.commits(shas[3], shas[1]) == []
        assert git.commits(shas[2], shas[2]) == []
        second, fourth = git.date(shas[1]), git.date(shas[3])
        inside = git.commits(None, "main", since=second, until=fourth)
        assert [commit.sha for commit in inside] == [shas[3], shas[2], shas[1]]
        after = git.commits(None, "main", since=second + timedelta(seconds=1))
        assert [commit.sha for commit in after] == [shas[4], shas[3], shas[2]]
        assert git.commits(None, "main", until=datetime(1960, 1, 1, tzinfo=UTC)) == []


def test_merges_are_listed_with_what_they_change_against_their_first_parent(repo: Repo) -> None:
    repo.write("base.py", "x = 1\n")
    repo.commit("Base")
    for name in ("one", "two", "three"):
        repo.git("checkout", "--quiet", "-b", name, "main")
        repo.write(f"{name}.py", f"{name} = 1\n")
        repo.commit(f"Add {name}")
    repo.git("checkout", "--quiet", "main")
    merge = repo.merge("one", message="Merge pull request #7 from fork/one")
    octopus = repo.merge("two", "three", message="Octopus")

    commits = {commit.sha: commit for commit in all_commits(repo)}
    assert [commit.subject for commit in commits.values()] == [
        "Octopus", "Merge pull request #7 from fork/one", "Add three", "Add two", "Add one", "Base",
    ]  # fmt: skip
    assert len(commits[merge].parents) == 2
    assert len(commits[octopus].parents) == 3
    assert [file.new_path for file in commits[merge].files] == ["one.py"]
    assert [file.new_path for file in commits[octopus].files] == ["three.py", "two.py"]
    assert commits[merge].pr is None


def test_names_and_messages_that_are_hard_to_parse(repo: Repo) -> None:
    names = [
        "with space.py",
        "new\nline.py",
        'quo"te.py',
        "tab\t.py",
        ":100644 colon.py",
        "überall/文件.py",
        "-dash.py",
    ]
    for name in names:
        repo.write(name, f"name = {name!r}\n")
    first = repo.commit("")
    repo.write("caf\udce9.py".encode("utf-8", "surrogateescape"), "latin = 1\n")
    repo.commit(":100644 100644 aaaa bbbb M\n\n\n:body\n\x01control\n")
    latin, named = all_commits(repo)
    assert sorted(file.new_path or "" for file in named.files) == sorted(names)
    assert (named.subject, named.body) == ("", "")
    assert [file.new_path for file in latin.files] == ["caf\\xe9.py"]
    assert latin.subject == ":100644 100644 aaaa bbbb M"
    assert latin.body == ":body\n\x01control"
    with opened(repo) as git:
        tree = git.tree("HEAD")
        assert set(tree) == {*names, "caf\\xe9.py"}
        assert git.blob(tree["caf\\xe9.py"].blob) == b"latin = 1\n"
        assert set(git.tree(first)) == set(names)


def test_a_message_in_another_encoding(repo: Repo) -> None:
    repo.git(
        "-c",
        "i18n.commitEncoding=ISO-8859-1",
        "commit",
        "-q",
        "--allow-empty",
        "-F",
        "-",
        input=b"Caf\xe9 (#3)",
    )
    assert all_commits(repo)[0].subject == "Café (#3)"


def test_symbolic_links_and_submodules_are_no_sources(repo: Repo, make_repo: Callable[..., Repo]) -> None:
    other = make_repo("other")
    other.write("inner.py", "x = 1\n")
    other.commit()
    repo.write("real.py", "x = 1\n")
    (repo.path / "link.py").symlink_to("real.py")
    repo.git("submodule", "--quiet", "add", str(other.path), "vendored")
    repo.commit("Begin")
    (repo.path / "link.py").unlink()
    repo.write("link.py", "now = 'a file'\n")
    repo.commit("Make the link a file")
    newest, first = all_commits(repo)
    blobs = {file.new_path: file.new_blob for file in first.files}
    assert blobs["link.py"] is None
    assert blobs["vendored"] is None
    assert blobs["real.py"] is not None
    assert newest.files == (FileChange("T", "link.py", "link.py", None, newest.files[0].new_blob),)
    assert newest.files[0].new_blob is not None
    with opened(repo) as git:
        tree = git.tree(first.sha)
        assert set(tree) == {".gitmodules", "link.py", "real.py"}
        assert tree["link.py"].mode == "120000"


def test_dates_that_no_datetime_can_hold(repo: Repo) -> None:
    tree = repo.git("hash-object", "-w", "-t", "tree", "/dev/null")
    parent = ""
    for date in ("99999999999999 +0000", "0 -1200", "1769097600 +9959", "1769097600 +0545"):
        text = f"tree {tree}\n{parent}author A <a@b> {date}\ncommitter A <a@b> {date}\n\nOdd\n"
        sha = repo.git("hash-object", "-w", "-t", "commit", "--literally", "--stdin", input=text.encode())
        parent = f"parent {sha}\n"
    repo.git("update-ref", "refs/heads/main", sha)
    kathmandu, beyond, epoch, future = (commit.date for commit in all_commits(repo))
    assert kathmandu.isoformat() == "2026-01-23T01:45:00+05:45".replace("T01", "T22").replace(
        "23T22", "22T21"
    )
    assert (beyond.year, beyond.utcoffset()) == (2026, timedelta())
    assert epoch.year == 1970
    assert future.year == 9999


TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=40).map("<{}>".format)
NAMES = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="/\0"), min_size=1, max_size=20
).filter(
    lambda name: name not in (".", "..") and not name.lower().startswith(".git") and len(name.encode()) < 200
)


@settings(max_examples=30)
@given(
    st.lists(
        st.tuples(TEXT, TEXT, st.dictionaries(NAMES, st.binary(max_size=50), max_size=4)),
        min_size=1,
        max_size=4,
    )
)
def test_what_is_committed_is_what_is_read(commits: list[tuple[str, str, dict[str, bytes]]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["git", "init", "--quiet", "--bare", folder], check=True)
        stream = bytearray(b"feature done\n")
        for number, (subject, body, files) in enumerate(commits):
            message = f"{subject}\n\n{body}".encode()
            stream += b"commit refs/heads/main\ncommitter A <a@b> %d +0000\n" % (START + number)
            stream += b"data %d\n%s\ndeleteall\n" % (len(message), message)
            for name, content in files.items():
                quoted = name.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").encode()
                stream += b'M 100644 inline "%s"\ndata %d\n%s\n' % (quoted, len(content), content)
        stream += b"done\n"
        subprocess.run(["git", f"--git-dir={folder}", "fast-import", "--quiet"], input=stream, check=True)
        with GitRepository(Path(folder)) as git:
            found = git.commits(None, "refs/heads/main")[::-1]
            for commit, (subject, body, files) in zip(found, commits, strict=True):
                assert (commit.subject, commit.body) == (subject, body)
                tree = git.tree(commit.sha)
                assert {path: git.blob(entry.blob) for path, entry in tree.items()} == files


# References


def test_references(repo: Repo) -> None:
    shas = {
        tag: repo.commit(tag)
        for tag in ("v0.30.0", "v0.31.0", "0.32.0rc1", "v0.32.0", "nightly", "v0.32.0.post1")
    }
    for tag, sha in shas.items():
        repo.git("tag", "--annotate", "-m", tag, tag, sha)
    repo.git("branch", "topic", shas["v0.31.0"])
    with opened(repo) as git:
        for ref in ("v0.31.0", "0.31.0", "0.31", "topic", shas["v0.31.0"], shas["v0.31.0"][:9], "HEAD~4"):
            assert git.resolve(ref) == shas["v0.31.0"], ref
        assert git.resolve("0.32rc1") == shas["0.32.0rc1"]
        assert git.version_tags() == [
            (Version("0.30.0"), "v0.30.0"),
            (Version("0.31.0"), "v0.31.0"),
            (Version("0.32.0rc1"), "0.32.0rc1"),
            (Version("0.32.0"), "v0.32.0"),
            (Version("0.32.0.post1"), "v0.32.0.post1"),
        ]
        assert git.history_head() == shas["v0.32.0.post1"]
        assert git.history_head("topic") == shas["v0.31.0"]


@pytest.mark.parametrize(
    ("ref", "message"),
    [
        ("0.31.1", "the nearest tags are v0.30.0, v0.31.0, v0.32.0, v0.33.0"),
        ("v9", "the nearest tags are v0.33.0, v0.34.0"),
        ("nihgtly", "the nearest tags are nightly"),
        ("zzz", "its newest tags are v0.32.0, v0.33.0, v0.34.0"),
        ("HEAD:file.py", "its newest tags"),
        ("--all", "its newest tags"),
        ("", "its newest tags"),
        ("a\0b", "its newest tags"),
        ("f" * 40, "its newest tags"),
    ],
)
def test_unknown_references_name_the_nearest(repo: Repo, ref: str, message: str) -> None:
    repo.write("file.py", "x = 1\n")
    repo.commit()
    for tag in ("v0.30.0", "v0.31.0", "v0.32.0", "v0.33.0", "v0.34.0", "nightly"):
        repo.git("tag", tag)
    with opened(repo) as git, pytest.raises(UsageError) as caught:
        git.resolve(ref)
    assert message in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


def test_without_tags_it_says_so(repo: Repo) -> None:
    repo.commit()
    with (
        opened(repo) as git,
        pytest.raises(UsageError, match="it has no tags, so give a branch or a commit sha"),
    ):
        git.resolve("0.32.0")


@pytest.mark.parametrize(
    ("subject", "number"),
    [
        ("Fix (#12)", 12),
        ("Revert (#1) (#22)  ", 22),
        ("See (#12) there", None),
        ("(#)", None),
        ("Merge #12", None),
    ],
)
def test_pull_requests(subject: str, number: int | None) -> None:
    assert pull_request(subject) == number


# Kinds of repositories


def test_an_empty_repository(repo: Repo) -> None:
    with opened(repo) as git:
        with pytest.raises(UsageError, match="has no commits yet"):
            git.history_head()
        assert git.version_tags() == []


def test_what_is_no_repository(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentFailure, match="is not a git directory"):
        GitRepository(tmp_path)


def test_a_bare_repository_without_a_configuration(repo: Repo, tmp_path: Path) -> None:
    repo.write("a.py", "x = 1\n")
    sha = repo.commit()
    bare = tmp_path / "bare"
    shutil.copytree(repo.path / ".git", bare)
    for name in ("config", "index", "logs", "hooks"):
        path = bare / name
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    with GitRepository(bare) as git:
        assert [commit.sha for commit in git.commits(None, "HEAD")] == [sha]
        assert set(git.tree("HEAD")) == {"a.py"}


def test_a_linked_worktree(repo: Repo, tmp_path: Path) -> None:
    repo.commit("On main")
    repo.git("worktree", "add", "--quiet", "-b", "side", str(tmp_path / "linked"))
    side = repo.git("-C", str(tmp_path / "linked"), "rev-parse", "HEAD")
    with GitRepository(repo.path / ".git" / "worktrees" / "linked") as git:
        assert git.history_head() == side


def test_a_head_that_points_nowhere(repo: Repo) -> None:
    sha = repo.commit()
    repo.git("symbolic-ref", "HEAD", "refs/heads/gone")
    with opened(repo) as git:
        assert git.history_head() == sha
        repo.git("tag", "v1.0", sha)
        assert git.history_head() == sha


# Trees and blobs


def test_trees_below_prefixes(repo: Repo) -> None:
    for path in ("pkg/a.py", "pkg/sub/b.py", "pkgother/c.py", "top.py", "[ab].py", "a.py"):
        repo.write(path, path)
    repo.commit()
    with opened(repo) as git:
        assert set(git.tree("HEAD", ["pkg"])) == {"pkg/a.py", "pkg/sub/b.py"}
        assert set(git.tree("HEAD", ["pkg/", "top.py"])) == {"pkg/a.py", "pkg/sub/b.py", "top.py"}
        assert set(git.tree("HEAD", ["[ab].py"])) == {"[ab].py"}
        assert git.tree("HEAD", ["missing"]) == {}
        assert len(git.tree("HEAD")) == 6


def test_a_tree_that_stands_for_a_hundred_million_files_is_refused(repo: Repo) -> None:
    inner = repo.git("hash-object", "-w", "--stdin", input=b"x = 1\n")
    kind = "100644 blob"
    for _ in range(8):
        entries = "".join(f"{kind} {inner}\tfolder{n}\n" for n in range(10))
        inner, kind = repo.git("mktree", input=entries.encode()), "040000 tree"
    bomb = repo.git("commit-tree", "-m", "Many files", inner)
    with opened(repo) as git, pytest.raises(EnvironmentFailure, match="git ls-tree lists more than 256 MiB"):
        git.tree(bomb)


def test_many_blobs_come_in_order_from_one_process(repo: Repo) -> None:
    for number in range(1500):
        repo.write(f"many/{number}.py", f"{number}\n" * (number % 50))
    repo.write("large.py", b"\0\n" * 1_900_000)
    repo.commit()
    with opened(repo) as git:
        entries = sorted(git.tree("HEAD").values(), key=lambda entry: entry.path)
        found = dict(git.blobs(entry.blob for entry in entries))
        for entry in entries:
            assert found[entry.blob] == (repo.path / entry.path).read_bytes()
        assert [oid for oid, _ in git.blobs([entries[3].blob] * 3)] == [entries[3].blob] * 3
        assert list(git.blobs([])) == []


def test_a_missing_blob_is_an_error_and_the_next_one_is_read(repo: Repo) -> None:
    repo.write("a.py", "a = 1\n")
    repo.commit()
    with opened(repo) as git:
        known = git.tree("HEAD")["a.py"].blob
        for wrong in ("0" * 40, "not an oid", "HEAD:a.py\n"):
            with pytest.raises(EnvironmentFailure, match="has no blob"):
                list(git.blobs([known, wrong, known]))
            assert git.blob(known) == b"a = 1\n"
        git.close()
        assert git.blob(known) == b"a = 1\n"
        git.prefetch([known, "0" * 40])  # not a partial clone: nothing to do


def test_threads_share_one_repository(repo: Repo) -> None:
    for number in range(200):
        repo.write(f"{number}.py", f"n = {number}\n")
    repo.commit()
    wrong: list[str] = []
    with opened(repo) as git:
        tree = git.tree("HEAD")

        def read() -> None:
            for oid, content in git.blobs([entry.blob for entry in tree.values()]):
                path = next(entry.path for entry in tree.values() if entry.blob == oid)
                if content != f"n = {path.removesuffix('.py')}\n".encode():
                    wrong.append(path)

        threads = [threading.Thread(target=read) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert wrong == []


# Hostile repositories


def test_nothing_that_a_repository_brings_along_is_run(repo: Repo, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    trap = tmp_path / "trap.sh"
    trap.write_text(f'#!/bin/sh\necho "$0 $*" >> {ran}\ncat\nexit 0\n')
    trap.chmod(0o755)
    repo.write("a.py", "a = 1\n")
    repo.write(".gitattributes", "*.py filter=evil diff=evil merge=evil\n")
    repo.commit()
    repo.git("tag", "v1.0")
    repo.write("a.py", "a = 2\n")
    repo.commit()
    signed = repo.git("cat-file", "commit", "HEAD").replace(
        "\n\n", "\ngpgsig -----BEGIN PGP SIGNATURE-----\n x\n\n", 1
    )
    sha = repo.git("hash-object", "-w", "-t", "commit", "--stdin", input=signed.encode())
    repo.git("update-ref", "refs/heads/main", sha)
    for hook in (
        "post-checkout",
        "reference-transaction",
        "post-index-change",
        "pre-auto-gc",
        "fsmonitor-watchman",
    ):
        (repo.path / ".git/hooks").mkdir(exist_ok=True)
        shutil.copy(trap, repo.path / ".git/hooks" / hook)
    included = tmp_path / "included.config"
    included.write_text(
        f"""
        [core]
            fsmonitor = {trap}
            pager = {trap}
            hooksPath = {tmp_path}
            sshCommand = {trap}
            askPass = {trap}
            gitProxy = {trap}
            alternateRefsCommand = {trap}
            editor = {trap}
        [filter "evil"]
            clean = {trap}
            smudge = {trap}
            process = {trap}
            required = true
        [diff]
            external = {trap}
        [diff "evil"]
            textconv = {trap}
            command = {trap}
        [gpg]
            program = {trap}
        [log]
            showSignature = true
        [credential]
            helper = "!{trap}"
        [protocol "ext"]
            allow = always
        [remote "origin"]
            url = "ext::{trap} %S"
            promisor = true
            uploadpack = {trap}
            partialclonefilter = blob:none
        [alias]
            log = "!{trap}"
            cat-file = "!{trap}"
        [extensions]
            partialClone = origin
        """
    )
    repo.git("config", "include.path", str(included))

    with opened(repo) as git:
        head = git.history_head()
        commits = git.commits("1.0", head)
        assert [file.new_path for commit in commits for file in commit.files] == ["a.py"]
        assert git.blob(git.tree(head)["a.py"].blob) == b"a = 2\n"
        assert git.date(head) == git.commits(None, head)[0].date
        missing = "1" * 40
        with pytest.raises(EnvironmentFailure):
            git.prefetch([missing])
        with pytest.raises(EnvironmentFailure):
            git.blob(missing)
        for address in ("ssh://git@localhost/x", "git://localhost/x", "file:///tmp", f"{tmp_path}"):
            repo.git("config", "--file", str(included), "remote.origin.url", address)
            with pytest.raises(EnvironmentFailure):
                git.blob(missing)
    assert not ran.exists()

    # The traps are live: plain git runs them.
    subprocess.run(["git", "-C", repo.path, "log", "-p", "-1"], capture_output=True, check=False)
    assert ran.exists()


def test_the_environment_does_not_redirect_what_is_read(repo: Repo, make_repo: Callable[..., Repo]) -> None:
    sha = repo.commit("The right one")
    other = make_repo("other")
    other.commit("The wrong one")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GIT_DIR", str(other.path / ".git"))
        patch.setenv("GIT_OBJECT_DIRECTORY", str(other.path / ".git/objects"))
        patch.setenv("GIT_CONFIG_COUNT", "1")
        patch.setenv("GIT_CONFIG_KEY_0", "log.showSignature")
        patch.setenv("GIT_CONFIG_VALUE_0", "maybe")
        patch.setenv("GIT_TRACE", "1")
        assert [commit.sha for commit in all_commits(repo)] == [sha]


def test_replacements_of_a_foreign_repository_are_not_followed(repo: Repo) -> None:
    first = repo.commit("Genuine")
    second = repo.commit("Forged")
    repo.git("replace", first, second)
    with opened(repo) as git:
        assert git.commits(None, first)[0].subject == "Genuine"


def test_git_is_not_there(repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.commit()
    with opened(repo) as git:
        monkeypatch.setenv("PATH", str(tmp_path))
        with pytest.raises(EnvironmentFailure, match="git was not found"):
            git.resolve("HEAD")


@pytest.mark.parametrize("raw", ["", " ", "x", "5 +ab99", "٣"])
def test_a_commit_without_a_date_is_as_old_as_can_be(raw: str) -> None:
    assert raw_date(raw).timestamp() == 86_400
    assert raw_date("9" * 5_000).year == 9999


def test_what_nobody_writes_into_a_message_is_cut(repo: Repo) -> None:
    repo.write("a.py", "")
    repo.commit(f"{'x' * 5_000} (#{'1' * 5_000})\n\n{'y' * 110_000}")
    repo.write("a.py", "x = 1\n")
    repo.commit(f"{'x' * 5_000} (#12)")
    with opened(repo) as git:
        newest, oldest = git.commits(None, "HEAD")
    assert (len(oldest.subject), len(oldest.body), oldest.pr) == (2_000, 100_000, None)
    assert (len(newest.subject), newest.body, newest.pr) == (2_000, "", 12)


def test_commits_are_named_by_their_version_tags(repo: Repo) -> None:
    repo.write("a.py", "")
    first = repo.commit()
    for tag in ("v1.0", "v1.0.0.post1", "other"):
        repo.git("tag", tag)
    repo.git("update-ref", "refs/tags/v2.0", repo.git("rev-parse", "HEAD:a.py"))
    repo.git("update-ref", "refs/tags/v3.0", repo.git("rev-parse", "HEAD^{tree}"))
    with opened(repo) as git:
        assert git.tagged_commits() == {first: "v1.0.0.post1"}
