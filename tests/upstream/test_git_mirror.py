from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from syncbot.errors import EnvironmentFailure, UsageError
from syncbot.upstream import git_command
from syncbot.upstream.git_command import Access, GitCommand, without_credentials
from syncbot.upstream.git_mirror import is_url, mirror, mirror_path
from syncbot.upstream.git_repository import GitRepository
from syncbot.upstream.process_lock import held
from syncbot.worktree import repository_around

from .conftest import Repo


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


def test_what_git_tells_without_end_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server's progress is among it."""
    monkeypatch.setattr(git_command, "_MOST_TOLD", 1 << 20)
    git = GitCommand(tmp_path)
    with pytest.raises(EnvironmentFailure, match="it tells more than 1 MiB beside its answer"):
        git.run("-c", "alias.loud=!yes >&2", "loud")
    long = git.attempt(
        "-c", "alias.long=!yes | head -c 500000 >&2; echo it; echo fatal: why >&2; exit 3", "long"
    )
    assert (long.returncode, long.stdout) == (3, b"it\n")
    assert len(long.stderr) <= 1 << 16
    assert git_command.reason(long.stderr) == "why"


@pytest.fixture
def remote(make_repo: Callable[..., Repo]) -> Repo:
    """A repository that serves partial clones, with a file whose renaming can only be seen in its blobs."""
    remote = make_repo("remote")
    remote.git("config", "uploadpack.allowFilter", "true")
    remote.git("config", "uploadpack.allowAnySHA1InWant", "true")
    remote.write("pkg/old.py", "".join(f"line {number}\n" for number in range(40)))
    for number in range(60):
        remote.write(f"pkg/part{number}.py", f"n = {number}\n")
    remote.commit("Begin")
    remote.git("tag", "v1.0")
    (remote.path / "pkg/old.py").unlink()
    remote.write("pkg/new.py", "".join(f"line {number}\n" for number in range(41)))
    remote.commit("Rename old to new (#2)")
    return remote


def url(repo: Repo) -> str:
    return repo.path.as_uri()


def opened(git_dir: Path) -> GitRepository:
    return GitRepository(git_dir, Access.OWN)


def packs(git_dir: Path) -> int:
    return len(list((git_dir / "objects/pack").glob("*.pack")))


def present(git_dir: Path) -> int:
    """How many objects are here, without asking the remote."""
    command = GitCommand(git_dir, Access.OWN)
    listed = command.run(
        "cat-file", "--batch-all-objects", "--batch-check", environment={"GIT_NO_LAZY_FETCH": "1"}
    )
    return len(listed.splitlines())


def test_a_remote_is_mirrored_without_its_blobs(remote: Repo, cache: Path) -> None:
    git_dir = mirror(url(remote), cache)
    assert git_dir.is_relative_to(cache)
    assert present(git_dir) == 6  # two commits, and two trees each
    with opened(git_dir) as git:
        assert git.history_head() == remote.git("rev-parse", "HEAD")
        assert git.resolve("1.0") == remote.git("rev-parse", "v1.0")
        renamed = git.commits("v1.0", "main")[0].files
        assert [(file.status, file.old_path, file.new_path) for file in renamed] == [
            ("R", "pkg/old.py", "pkg/new.py")
        ]


def test_missing_blobs_are_fetched_in_one_go(remote: Repo, cache: Path) -> None:
    git_dir = mirror(url(remote), cache)
    with opened(git_dir) as git:
        oids = [entry.blob for entry in git.tree("HEAD").values()]
        before = packs(git_dir)
        git.prefetch(oids)
        assert packs(git_dir) == before + 1
        assert present(git_dir) == 6 + len(set(oids))
        git.prefetch(oids)
        assert packs(git_dir) == before + 1
        assert dict(git.blobs(oids))[git.tree("HEAD")["pkg/part7.py"].blob] == b"n = 7\n"


def test_a_blob_that_nobody_prefetched_is_fetched(remote: Repo, cache: Path) -> None:
    with opened(mirror(url(remote), cache)) as git:
        assert git.blob(git.tree("HEAD")["pkg/part7.py"].blob) == b"n = 7\n"


def test_a_mirror_follows_its_remote(remote: Repo, cache: Path) -> None:
    git_dir = mirror(url(remote), cache)
    sha = remote.commit("One more")
    remote.git("branch", "topic")
    remote.git("tag", "--force", "v1.0")
    assert mirror(url(remote), cache) == git_dir
    with opened(git_dir) as git:
        assert git.history_head() == git.resolve("v1.0") == git.resolve("topic") == sha
    remote.git("branch", "--delete", "topic")
    remote.git("commit", "--amend", "--allow-empty", "--quiet", "-m", "History rewritten")
    mirror(url(remote), cache)
    with opened(git_dir) as git:
        assert git.commits(None, git.history_head())[0].subject == "History rewritten"
        with pytest.raises(UsageError):
            git.resolve("topic")


def test_the_default_branch_is_the_remotes(make_repo: Callable[..., Repo], cache: Path) -> None:
    remote = make_repo("remote")
    remote.commit("On main")
    remote.git("checkout", "--quiet", "-b", "trunk")
    sha = remote.commit("On trunk")
    with opened(mirror(url(remote), cache)) as git:
        assert git.history_head() == sha


def test_what_a_killed_fetch_leaves_does_not_stop_the_next(remote: Repo, cache: Path) -> None:
    git_dir = mirror(url(remote), cache)
    remote.commit("One more")
    for left in ("packed-refs.lock", "HEAD.lock", "config.lock", "shallow.lock", "refs/heads/main.lock"):
        (git_dir / left).touch()
    stale = git_dir / "objects/pack/tmp_pack_dead"
    recent = git_dir / "objects/pack/tmp_pack_live"
    for path in (stale, recent):
        path.write_bytes(b"x")
    os.utime(stale, (0, 0))
    mirror(url(remote), cache)
    with opened(git_dir) as git:
        assert git.commits(None, git.history_head())[0].subject == "One more"
    assert not stale.exists()
    assert recent.exists()


def test_a_mirror_killed_before_it_was_configured(remote: Repo, cache: Path) -> None:
    git_dir = mirror_path(url(remote), cache)
    git_dir.mkdir(parents=True)
    assert mirror(url(remote), cache) == git_dir
    (git_dir / "config").unlink()
    (git_dir / "HEAD").unlink()
    mirror(url(remote), cache)
    with opened(git_dir) as git:
        assert len(git.commits(None, git.history_head())) == 2


def test_kill_9_during_a_fetch(make_repo: Callable[..., Repo], cache: Path) -> None:
    remote = make_repo("large")  # it does not filter, so that the fetch takes its time
    for number in range(5):
        remote.write(f"{number}.bin", os.urandom(3_000_000))
    remote.commit("Large")
    program = """
import sys
from pathlib import Path
from syncbot.upstream.git_mirror import mirror
mirror(sys.argv[1], Path(sys.argv[2]))
"""
    git_dir = mirror_path(url(remote), cache)
    child = subprocess.Popen([sys.executable, "-c", program, url(remote), str(cache)])
    while not list((git_dir / "objects/pack").glob("tmp_pack*")) and child.poll() is None:
        time.sleep(0.002)
    child.send_signal(signal.SIGKILL)
    assert child.wait() == -signal.SIGKILL
    # The next one waits for the orphaned git, then fetches whatever is missing.
    mirror(url(remote), cache)
    check = GitCommand(git_dir, Access.OWN).attempt("fsck", "--connectivity-only", "--strict")
    assert (check.returncode, b"missing" in check.stdout) == (0, False)
    with opened(git_dir) as git:
        assert git.history_head() == remote.git("rev-parse", "HEAD")


def test_several_processes_at_once(remote: Repo, cache: Path) -> None:
    program = """
import sys
from pathlib import Path
from syncbot.upstream.git_command import Access
from syncbot.upstream.git_repository import GitRepository
from syncbot.upstream.git_mirror import mirror
with GitRepository(mirror(sys.argv[1], Path(sys.argv[2])), Access.OWN) as git:
    git.prefetch(entry.blob for entry in git.tree("HEAD").values())
    print(git.history_head())
"""
    children = [
        subprocess.Popen(
            [sys.executable, "-c", program, url(remote), str(cache)], stdout=subprocess.PIPE, text=True
        )
        for _ in range(4)
    ]
    heads = {child.communicate()[0].strip() for child in children}
    assert [child.returncode for child in children] == [0] * 4
    assert heads == {remote.git("rev-parse", "HEAD")}


def test_a_lock_outlives_its_holder_while_a_child_works(tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    with held(lock) as descriptor:
        orphan = subprocess.Popen(["cat"], stdin=subprocess.PIPE, pass_fds=(descriptor,))
    with pytest.raises(EnvironmentFailure, match="another syncbot holds"), held(lock, patience=0.2):
        pass
    assert orphan.stdin is not None
    orphan.stdin.close()
    orphan.wait()
    with held(lock, patience=0.2) as descriptor:
        assert descriptor > 2


def test_waiting_for_a_lock_is_told(tmp_path: Path) -> None:
    told: list[str] = []
    free = threading.Event()

    def tell(step: str, done: int, total: int | None) -> None:
        told.append(step)
        free.set()

    def hold() -> None:
        with held(tmp_path / "lock"):
            taken.set()
            free.wait()

    taken = threading.Event()
    holder = threading.Thread(target=hold)
    holder.start()
    taken.wait()
    with held(tmp_path / "lock", tell):
        holder.join()
    assert set(told) == {"waiting for another syncbot"}


# Addresses and paths


def test_a_path_is_read_in_place(remote: Repo, cache: Path) -> None:
    assert mirror(str(remote.path), cache) == remote.path / ".git"
    assert mirror(str(remote.path / ".git"), cache) == remote.path / ".git"
    remote.git("worktree", "add", "--quiet", str(remote.path.parent / "linked"))
    with GitRepository(mirror(str(remote.path.parent / "linked"), cache)) as git:
        assert git.history_head() == remote.git("rev-parse", "HEAD")
    assert not cache.exists()


def test_what_is_no_repository(tmp_path: Path, cache: Path) -> None:
    (tmp_path / "file").touch()
    for wrong, message in [
        ("missing", "does not exist"),
        (".", "is not a git repository"),
        ("file", "is not a git"),
    ]:
        with pytest.raises(UsageError, match=message):
            mirror(str(tmp_path / wrong), cache)


@pytest.mark.parametrize("password", ["s3cret", "s3cr/et@p"])
def test_the_network_fails_without_a_word_of_the_password(cache: Path, password: str) -> None:
    with pytest.raises(EnvironmentFailure) as caught:
        mirror(f"http://ada:{password}@127.0.0.1:1/group/project.git", cache)
    message = str(caught.value)
    assert message.startswith("http://127.0.0.1:1/group/project.git cannot be fetched")
    assert "s3cr" not in message
    assert "\n" not in message
    assert not any("s3cr" in str(path) for path in cache.rglob("*"))
    config = next(cache.rglob("config"))
    assert config.stat().st_mode & 0o077 == 0


def test_a_remote_that_does_not_exist(tmp_path: Path, cache: Path) -> None:
    with pytest.raises(EnvironmentFailure, match="cannot be fetched"):
        mirror((tmp_path / "gone").as_uri(), cache)


@pytest.mark.parametrize("source", ["ext::sh -c touch% x", "fd::3", "ftp://example.com/x", "ext://x"])
def test_transports_that_run_commands_are_refused(source: str, cache: Path) -> None:
    with pytest.raises(UsageError, match="give an https, ssh, git or file URL"):
        mirror(source, cache)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("https://example.com/x", True),
        ("git@example.com:group/x.git", True),
        ("example.com:x", True),
        ("/srv/x", False),
        ("x", False),
        ("./a:b", False),
        ("../x.git", False),
        ("file:///x", True),
    ],
)
def test_addresses(source: str, expected: bool) -> None:
    assert is_url(source) is expected


def test_one_mirror_an_address(cache: Path) -> None:
    plain = mirror_path("https://example.com/vllm-project/vllm", cache)
    assert plain.name.startswith("vllm-project-vllm-")
    for same in (
        "https://example.com/vllm-project/vllm.git",
        "https://ada:pw@example.com/vllm-project/vllm/",
    ):
        assert mirror_path(same, cache) == plain
    assert mirror_path("https://example.org/vllm-project/vllm", cache) != plain
    assert mirror_path("https://example.com/..", cache).parent == plain.parent


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("unable to access 'https://ada:pw@host/x'", "unable to access 'https://host/x'"),
        ("https://ada:p@ss/w@host/x and ssh://git@b/y", "https://host/x and ssh://b/y"),
        ("mail ada@example.com", "mail ada@example.com"),
        ("https://host/x", "https://host/x"),
    ],
)
def test_credentials_are_taken_out(text: str, expected: str) -> None:
    assert without_credentials(text) == expected


@pytest.mark.parametrize("url", ["http://[::1", "https://user:secret@[::1/x", "ssh://[a]b/c"])
def test_what_looks_like_a_url_and_is_none(tmp_path: Path, url: str) -> None:
    with pytest.raises(UsageError, match="is no URL") as caught:
        mirror(url, tmp_path)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    "content",
    [
        b"gitdir: a\0b",
        b"gitdir: " + b"x/" * 40_000,
        b"gitdir: " + b"x" * 300,
        b"gitdir: loop/x",
        b"\xff",
    ],
)
def test_a_git_file_that_leads_nowhere(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / ".git").write_bytes(content)
    for asked in (lambda: mirror(str(tmp_path), tmp_path / "cache"), lambda: repository_around(tmp_path)):
        with pytest.raises(UsageError, match="does not lead to a git directory: remove or fix it"):
            asked()


@pytest.mark.parametrize("name", ["HEAD", "config"])
def test_a_damaged_mirror_is_told_with_what_mends_it(remote: Repo, cache: Path, name: str) -> None:
    git_dir = mirror(url(remote), cache)
    (git_dir / name).write_bytes((git_dir / name).read_bytes()[:3])
    with pytest.raises(EnvironmentFailure, match=r"(is damaged: remove it|git init failed)"):
        mirror(url(remote), cache)
