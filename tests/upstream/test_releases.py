from __future__ import annotations

import logging
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from syncbot.errors import EnvironmentFailure, UsageError
from syncbot.upstream.commit_range import resolve
from syncbot.upstream.git_command import Access
from syncbot.upstream.git_repository import GitRepository
from syncbot.upstream.release_choice import Between, During, Follow, These, Wanted
from syncbot.upstream.releases import Releases

from .package_index import File, Index, build_toy, tar

VERSIONS = ("0.1.0", "0.2.0", "0.3.0", "0.10.0")


@pytest.fixture(scope="session")
def sdists(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("toy")
    return {version: build_toy(folder, version).read_bytes() for version in VERSIONS}


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return build_toy(tmp_path_factory.mktemp("toy"), "0.4.0", "wheel").read_bytes()


@pytest.fixture
def index(sdists: dict[str, bytes]) -> Iterator[Index]:
    """Releases a month apart; the page does not say when the newest was uploaded, as happens."""
    files = [
        File(f"toy-{version}.tar.gz", content, uploaded=f"2026-0{month}-02T03:04:05.678901Z")
        for month, (version, content) in enumerate(sdists.items(), 1)
    ]
    files[-1].uploaded = None
    with Index(files, json_times={"toy-0.10.0.tar.gz": "2026-04-02T03:04:05.678901Z"}) as index:
        yield index


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


FOLLOW = Follow()


def ask(
    index: Index | str, cache: Path, wanted: Wanted, follow: Follow = FOLLOW, hours: float = 1.0
) -> Path | None:
    url = index if isinstance(index, str) else index.url
    return Releases("toy", cache, follow, url, hours).history(wanted)


def bring(
    index: Index | str, cache: Path, *versions: str, follow: Follow = FOLLOW, hours: float = 1.0
) -> Path:
    git_dir = ask(index, cache, These(versions), follow, hours)
    assert git_dir is not None
    return git_dir


def between(index: Index, cache: Path, old: str, new: str, follow: Follow = FOLLOW) -> list[str]:
    git_dir = ask(index, cache, Between(old, new), follow)
    assert git_dir is not None
    return list(tags(git_dir))


def opened(git_dir: Path) -> GitRepository:
    return GitRepository(git_dir, Access.OWN)


def tags(git_dir: Path) -> dict[str, str]:
    with opened(git_dir) as git:
        return {tag: git.resolve(tag) for _, tag in git.version_tags()}


def subjects(git_dir: Path, old: str | None = None, new: str | None = None) -> list[str]:
    with opened(git_dir) as git:
        return [commit.subject for commit in git.commits(old, new or git.history_head())]


# What an import gives


def test_each_release_is_a_commit_and_a_tag(index: Index, cache: Path) -> None:
    git_dir = bring(index, cache, "0.3", "latest")
    assert list(tags(git_dir)) == ["v0.3.0", "v0.10.0"]
    with opened(git_dir) as git:
        newest, older = git.commits(None, git.history_head())
        assert (newest.subject, newest.author, newest.pr) == ("toy 0.10.0", "toy", None)
        assert newest.body.startswith("File: toy-0.10.0.tar.gz\nSHA-256: ")
        assert newest.parents == (older.sha,)
        assert (older.parents, older.date) == ((), datetime(2026, 3, 2, 3, 4, 5, tzinfo=UTC))
        assert newest.date == datetime(2026, 4, 2, 3, 4, 5, tzinfo=UTC)
        changes = {(file.status, file.old_path, file.new_path) for file in newest.files}
        assert ("M", "toy/core.py", "toy/core.py") in changes
        assert git.resolve("0.10") == newest.sha


def test_python_sources_and_metadata_only(index: Index, cache: Path) -> None:
    with opened(bring(index, cache, "0.1.0")) as git:
        tree = git.tree("v0.1.0")
        assert set(tree) == {
            "PKG-INFO", "pyproject.toml", "requirements/cuda.txt",
            "toy/__init__.py", "toy/core.py", "toy/new_in_0_1_0.py", "toy/operators.yaml",
        }  # fmt: skip
        assert git.blob(tree["toy/__init__.py"].blob) == b"__version__ = '0.1.0'\n"
        assert b"Name: toy\n" in git.blob(tree["PKG-INFO"].blob)


def test_a_history_has_what_was_asked_for_and_nothing_else(index: Index, cache: Path) -> None:
    ends = bring(index, cache, "0.1.0", "0.10.0")
    assert subjects(ends) == ["toy 0.10.0", "toy 0.1.0"]
    assert between(index, cache, "0.1.0", "latest") == [f"v{version}" for version in VERSIONS]
    assert subjects(bring(index, cache, "0.10.0", "0.1.0")) == ["toy 0.10.0", "toy 0.1.0"]
    whole = ask(index, cache, Between("0.1.0", "latest"))
    assert whole is not None
    assert subjects(whole, "v0.2.0", "v0.3.0") == ["toy 0.3.0"]
    with opened(whole) as git:
        files = [{file.new_path for file in commit.files} for commit in git.commits("v0.1.0", "v0.10.0")]
        assert "toy/new_in_0_2_0.py" in files[2]
        assert "toy/__init__.py" in files[1]


def test_shas_do_not_depend_on_order_page_or_company(index: Index, cache: Path) -> None:
    all_at_once = tags(bring(index, cache / "a", *VERSIONS))
    for version in reversed(VERSIONS):
        one_by_one = bring(index, cache / "b", version)
    index.json_page = True
    by_json = tags(bring(index, cache / "c", "0.2.0"))
    assert tags(one_by_one) == {"v0.1.0": all_at_once["v0.1.0"]}
    assert tags(bring(index, cache / "b", *VERSIONS)) == all_at_once
    assert by_json == {"v0.2.0": all_at_once["v0.2.0"]}


def test_the_time_of_upload_falls_back_to_the_archive(cache: Path) -> None:
    content = tar({"toy-1.0/toy/a.py": b"x = 1\n", "toy-1.0/PKG-INFO": b"Name: toy\n"}, mtime=1_750_000_000)
    with Index([File("toy-1.0.tar.gz", content, uploaded=None)]) as index, opened(bring(index, cache)) as git:
        assert git.date("v1.0") == datetime.fromtimestamp(1_750_000_000, UTC)


# Which releases


def test_prereleases_yanked_and_wheels_only_when_asked_for(index: Index, cache: Path, wheel: bytes) -> None:
    content = index.files[0].content
    index.files += [
        File("toy-0.11.0rc1.tar.gz", content),
        File("toy-0.12.0.dev3.tar.gz", content),
        File("toy-0.13.0.tar.gz", content, yanked=True),
        File("toy-0.4.0-py3-none-any.whl", wheel),
        File("toy-0.14.0.tar.gz", content),
    ]
    assert between(index, cache, "0.2.0", "latest") == ["v0.2.0", "v0.3.0", "v0.10.0", "v0.14.0"]
    # Those that are named are ends; they come into no other range.
    named = bring(index, cache, "0.11.0rc1", "0.13.0", "0.4.0")
    assert list(tags(named)) == ["v0.4.0", "v0.11.0rc1", "v0.13.0"]
    assert between(index, cache, "0.2.0", "latest") == ["v0.2.0", "v0.3.0", "v0.10.0", "v0.14.0"]
    assert between(index, cache, "0.4.0", "0.13.0") == ["v0.4.0", "v0.10.0", "v0.13.0"]
    with opened(named) as git:
        assert set(git.tree("v0.4.0")) == {
            "PKG-INFO", "toy/__init__.py", "toy/core.py", "toy/new_in_0_4_0.py", "toy/operators.yaml",
        }  # fmt: skip
    admitted = Follow("!=0.14.1", prereleases=True)
    assert between(index, cache, "0.10.0", "0.14.0", admitted) == [
        *("v0.10.0", "v0.11.0rc1", "v0.12.0.dev3", "v0.14.0")
    ]


def test_latest_counts_followed_releases(index: Index, cache: Path) -> None:
    with opened(bring(index, cache, "latest~2")) as git:
        assert resolve(git, "latest~2") == git.resolve("v0.2.0")
    assert between(index, cache, "latest~2", "latest~1") == ["v0.2.0", "v0.3.0"]
    assert between(index, cache, "latest~1", "latest", Follow("<0.10")) == ["v0.2.0", "v0.3.0"]
    with pytest.raises(UsageError, match="latest~4 asks for release 5 from the end, but there are 4"):
        bring(index, cache, "latest~4")
    with pytest.raises(UsageError, match="'main' names no release of toy, which is followed by releases"):
        between(index, cache, "0.1.0", "main")


def test_a_period_brings_its_releases_and_the_one_before(index: Index, cache: Path) -> None:
    def during(since: str | None, until: str | None, **others: float) -> list[str] | None:
        ends = (datetime.fromisoformat(f"{end}T00:00:00+00:00") if end else None for end in (since, until))
        git_dir = ask(index, cache, During(*ends), **others)
        return list(tags(git_dir)) if git_dir is not None else None

    asked = len(index.requests)
    assert during("2026-04-03", None) is None
    # The page tells no day of the newest release here: the other interface of the index does.
    assert index.requests[asked:] == ["/simple/toy/", "/pypi/toy/json"]
    assert during("2026-04-03", None) is None
    assert len(index.requests) == asked + 2
    assert during("2026-04-02", None) == ["v0.3.0", "v0.10.0"]
    assert sorted(index.requests[asked + 2 :]) == ["/files/toy-0.10.0.tar.gz", "/files/toy-0.3.0.tar.gz"]
    assert during("2026-02-01", "2026-03-03") == ["v0.1.0", "v0.2.0", "v0.3.0"]
    assert during("2026-02-03", "2026-02-20") is None
    with pytest.raises(UsageError, match=r"reaches back to toy 0\.1\.0, before which there is no release"):
        during(None, "2026-02-20")


def test_days_that_no_index_tells_are_read_from_the_newest_archives(cache: Path) -> None:
    months = {"1.0": 1_750_000_000, "2.0": 1_752_000_000, "3.0": 1_754_000_000, "4.0": 1_756_000_000}
    files = [
        File(f"toy-{version}.tar.gz", tar({f"toy-{version}/toy/a.py": b"x = 1\n"}, mtime=time), uploaded=None)
        for version, time in months.items()
    ]
    since = datetime.fromtimestamp(1_755_000_000, UTC)
    with Index(files) as index:
        git_dir = ask(index, cache, During(since, None))
        assert git_dir is not None
        assert list(tags(git_dir)) == ["v3.0", "v4.0"]
        assert not [path for path in index.requests if path.endswith(("1.0.tar.gz", "2.0.tar.gz"))]


def test_a_distribution_of_wheels_is_followed_by_them(cache: Path, wheel: bytes) -> None:
    with Index([File("toy-0.4.0-py3-none-any.whl", wheel)]) as index:
        assert list(tags(bring(index, cache))) == ["v0.4.0"]


@pytest.mark.parametrize(
    ("version", "nearest"),
    [("0.2.5", "0.1.0, 0.2.0, 0.3.0, 0.10.0"), ("0.0.1", "0.1.0, 0.2.0"), ("9", "0.3.0, 0.10.0")],
)
def test_a_version_that_does_not_exist(index: Index, cache: Path, version: str, nearest: str) -> None:
    with pytest.raises(
        UsageError, match=f"there is no toy {version} on the package index: the nearest are {nearest}$"
    ):
        bring(index, cache, version)


# When the network is needed


def test_a_second_run_asks_nobody(index: Index, cache: Path) -> None:
    git_dir = bring(index, cache)
    asked = len(index.requests)
    assert bring(index, cache) == git_dir
    bring(index, cache, "0.10.0")
    assert len(index.requests) == asked
    bring(index, cache, "0.10.0", hours=0)  # named, and there
    assert len(index.requests) == asked
    bring(index, cache, hours=0)
    assert index.requests[asked:] == ["/simple/toy/"]
    assert index.requests.count("/files/toy-0.10.0.tar.gz") == 1


def test_a_release_newer_than_the_listing_is_asked_for(
    index: Index, cache: Path, sdists: dict[str, bytes]
) -> None:
    newest = index.files.pop()
    bring(index, cache)
    index.files.append(newest)
    assert "v0.10.0" in tags(bring(index, cache, "0.10.0"))


def test_offline_one_warning_if_nothing_is_missing(
    index: Index, cache: Path, caplog: pytest.LogCaptureFixture
) -> None:
    git_dir = bring(index, cache)
    url = index.url
    index.stop()
    with caplog.at_level(logging.WARNING, logger="syncbot"):
        assert bring(url, cache, hours=0) == git_dir
        assert bring(url, cache, "latest", hours=0) != git_dir
    warned = [record.getMessage() for record in caplog.records if record.name.startswith("syncbot")]
    assert len(warned) == 2
    assert all("cannot be reached" in message and "\n" not in message for message in warned)
    assert all("(going on with what the index listed on 20" in message for message in warned)
    with pytest.raises(
        EnvironmentFailure, match=r"toy-0\.1\.0\.tar\.gz cannot be reached: check the network"
    ):
        bring(url, cache, "0.1.0", hours=0)
    with pytest.raises(EnvironmentFailure, match=r"/simple/toy/ cannot be reached"):
        bring(url, cache / "empty")


def test_the_environment_names_the_index(index: Index, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", index.url + "/")
    git_dir = Releases("Toy", cache).history(These(("0.1.0",)))
    assert git_dir == bring(index, cache, "0.1.0")


def test_a_password_goes_to_the_index_only(index: Index, cache: Path) -> None:
    with Index(index.files, credentials="ada:s3cret", files_at=index.url.removesuffix("/simple")) as private:
        url = private.url.replace("//", "//ada:s3cret@")
        git_dir = bring(url, cache, "0.1.0")
        assert private.authorised == ["/simple/toy/"]
        assert index.requests == ["/files/toy-0.1.0.tar.gz"]
        assert index.authorised == []
        wrong = private.url.replace("//", "//ada:wr0ng@")
        with pytest.raises(EnvironmentFailure, match="answered 401: check the user and password") as caught:
            bring(wrong, cache, "0.2.0", hours=0)
        assert "wr0ng" not in str(caught.value)
        assert list(tags(git_dir)) == ["v0.1.0"]
    kept = [path.read_bytes() for path in cache.rglob("*") if path.is_file()]
    assert not any(b"s3cret" in content for content in kept)


# What may go wrong


def test_a_download_with_another_digest(index: Index, cache: Path) -> None:
    index.files[1].sha256 = "0" * 64
    with pytest.raises(EnvironmentFailure, match=r"toy-0\.2\.0\.tar\.gz is not what the package index says"):
        bring(index, cache, "0.1.0", "0.2.0")
    index.files[1].sha256 = None
    with pytest.raises(EnvironmentFailure, match="gives no sha256"):
        bring(index, cache, "0.2.0", hours=0)
    leftover = [path for path in (cache / "downloads").rglob("*") if path.is_file()]
    assert [path.name for path in leftover] == [index.files[0].sha256]
    assert list(tags(bring(index, cache, "0.1.0"))) == ["v0.1.0"]


def test_a_damaged_cached_download_is_fetched_again(index: Index, cache: Path) -> None:
    bring(index, cache / "first", "0.1.0")
    kept = next(path for path in (cache / "first/downloads").rglob("*") if path.is_file())
    copy = cache / "second" / kept.relative_to(cache / "first")
    copy.parent.mkdir(parents=True)
    copy.write_bytes(b"damaged")
    assert list(tags(bring(index, cache / "second", "0.1.0"))) == ["v0.1.0"]
    assert copy.read_bytes() == kept.read_bytes()


@pytest.mark.parametrize("content", [b"", b"no archive", b"\x1f\x8b\x08\x00truncated"])
def test_a_damaged_archive(cache: Path, content: bytes) -> None:
    whole = tar({"toy-1.0/toy/a.py": b"x = 1\n"})
    with Index(
        [File("toy-1.0.tar.gz", whole), File("toy-2.0.tar.gz", content), File("toy-3.0.zip", content)]
    ) as index:
        for version in ("2.0", "3.0"):
            with pytest.raises(EnvironmentFailure, match=rf"toy-{version}\.(tar\.gz|zip) cannot be read"):
                bring(index, cache, "1.0", version)
        assert list(tags(bring(index, cache, "1.0"))) == ["v1.0"]


def test_a_truncated_archive_is_not_imported_by_half(index: Index, cache: Path) -> None:
    index.files[0] = File("toy-0.1.0.tar.gz", index.files[0].content[:-60])
    with pytest.raises(EnvironmentFailure, match="cannot be read"):
        bring(index, cache, "0.1.0")
    with opened(next(cache.glob("releases/*.git"))) as git:
        assert git.version_tags() == []


def test_hostile_members_are_left_out(cache: Path, tmp_path: Path) -> None:
    def other(name: str, kind: bytes, target: str = "") -> tarfile.TarInfo:
        info = tarfile.TarInfo(name)
        info.type, info.linkname = kind, target
        return info

    content = tar(
        {
            "toy-1.0/toy/good.py": b"x = 1\n",
            "toy-1.0/../escaped.py": b"x = 1\n",
            "toy-1.0/toy/../../escaped.py": b"x = 1\n",
            "/toy-1.0/absolute.py": b"x = 1\n",
            "toy-1.0//etc/double.py": b"x = 1\n",
            "toy-1.0/.git/hooks/evil.py": b"x = 1\n",
            "toy-1.0/toy/.GIT/evil.py": b"x = 1\n",
            "toy-1.0/./dot.py": b"x = 1\n",
            'toy-1.0/toy/quo"te\\n\nnew.py': b"M 100644 inline x\n",
            "toy-1.0/toy/caf\udce9.py": b"x = 1\n",
            "toy-1.0/toy/huge.py": b"#" * ((8 << 20) + 1),
            "toy-1.0/toy/twice.py": b"x = 2\n",
            "top.py": b"x = 1\n",
        },
        other("toy-1.0/toy/link.py", tarfile.SYMTYPE, "/etc/passwd"),
        other("toy-1.0/toy/hard.py", tarfile.LNKTYPE, "toy-1.0/toy/good.py"),
        other("toy-1.0/toy/fifo.py", tarfile.FIFOTYPE),
        other("toy-1.0/toy/folder.py", tarfile.DIRTYPE),
        other("toy-1.0/toy/twice.py", tarfile.REGTYPE),
    )
    with Index([File("toy-1.0.tar.gz", content)]) as index, opened(bring(index, cache)) as git:
        tree = git.tree("v1.0")
        assert set(tree) == {'toy/quo"te\\n\nnew.py', "toy/caf\\xe9.py", "toy/good.py", "toy/twice.py"}
        assert git.blob(tree["toy/twice.py"].blob) == b"x = 2\n"
    assert not list(tmp_path.rglob("escaped.py"))


@pytest.mark.parametrize(
    ("distribution", "message"),
    [("missing", "has no distribution 'missing'"), ("prose", "is no page of a package index")],
)
def test_pages_that_do_not_help(index: Index, cache: Path, distribution: str, message: str) -> None:
    with pytest.raises((UsageError, EnvironmentFailure), match=message):
        Releases(distribution, cache, index=index.url).history(These())


@pytest.mark.parametrize("url", ["file:///srv/simple", "index.example/simple", "https://"])
def test_an_index_that_is_no_address(cache: Path, url: str) -> None:
    with pytest.raises(UsageError, match="must have an http or https URL"):
        bring(url, cache, "1.0")


def test_a_store_that_was_removed_is_made_again(index: Index, cache: Path) -> None:
    git_dir = bring(index, cache, *VERSIONS)
    whole = subjects(git_dir)
    (store,) = cache.glob("releases/*.git")
    shutil.rmtree(store)
    assert subjects(bring(index, cache, *VERSIONS)) == whole
    (store / "packed-refs.lock").touch()
    assert subjects(bring(index, cache, *VERSIONS)) == whole


@pytest.mark.long
def test_several_processes_at_once(index: Index, cache: Path) -> None:
    program = """
import sys
from pathlib import Path
from syncbot.upstream.release_choice import These
from syncbot.upstream.releases import Releases
Releases("toy", Path(sys.argv[1]), index=sys.argv[2]).history(These(tuple(sys.argv[3:])))
"""
    wanted = [("0.1.0", "0.3.0"), ("0.2.0",), ("0.3.0", "0.10.0"), VERSIONS]
    children = [
        subprocess.Popen([sys.executable, "-c", program, str(cache), index.url, *versions])
        for versions in wanted
    ]
    assert [child.wait() for child in children] == [0] * 4
    assert subjects(bring(index, cache, *VERSIONS)) == ["toy 0.10.0", "toy 0.3.0", "toy 0.2.0", "toy 0.1.0"]
