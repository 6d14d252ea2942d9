from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from syncbot.config import Config, UpstreamConfig
from syncbot.errors import EnvironmentFailure, UsageError
from syncbot.upstream.following import By, followed_source, release_source
from syncbot.upstream.named_repository import named_repository
from syncbot.upstream.opening import open_range, open_source
from syncbot.upstream.release_choice import These

from .conftest import Repo
from .git_server import served
from .package_index import File, Index, tar


@pytest.fixture
def index() -> Iterator[Index]:
    files = [
        File(f"toy-{version}.tar.gz", tar({f"toy-{version}/toy/__init__.py": version.encode()}))
        for version in ("0.1", "0.2")
    ]
    with Index(files) as index:
        yield index


@pytest.fixture
def web(repo: Repo) -> Iterator[str]:
    """The address of a repository that can be reached."""
    repo.write("toy/__init__.py", "")
    repo.commit("Begin")
    repo.git("tag", "v0.1")
    repo.write("toy/core.py", "x = 1\n")
    repo.commit("Add core (#7)")
    with served(repo.path.parent) as url:
        yield f"{url}/{repo.path.name}/.git"


def kind(config: Config, cache: Path, by: By | None = None) -> str:
    with open_range(config, None, cache, "0.1", None, by=by) as opened:
        return opened.kind


def told(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.name.startswith("syncbot")]


def test_commits_are_followed_where_the_repository_can_be_reached(
    index: Index, web: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    config = Config(index=index.url, upstream="toy", upstreams={"toy": UpstreamConfig(web=web)})
    with open_range(config, None, tmp_path / "cache", "0.1", None) as opened:
        assert (opened.kind, opened.name, opened.packages, opened.web) == ("git", "toy", ("toy",), web)
        commits = opened.repository.commits("v0.1", opened.head)
        assert [(commit.subject, commit.pr) for commit in commits] == [("Add core (#7)", 7)]
        # Without blobs: one is fetched when it is read.
        blob = commits[0].files[0].new_blob
        assert blob is not None
        assert opened.repository.is_partial
        assert opened.repository.blob(blob) == b"x = 1\n"
    assert told(caplog) == [f"toy is followed by the commits of {web} (--by releases: by its releases)"]
    assert index.requests == []


def test_releases_are_followed_where_it_cannot(
    index: Index, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    web = "http://127.0.0.1:9/toy"
    config = Config(index=index.url, upstream="toy", upstreams={"toy": UpstreamConfig(web=web)})
    assert kind(config, tmp_path / "cache") == "release"
    (line,) = told(caplog)
    assert line.startswith(f"toy is followed by releases: {web} cannot be reached (Failed to connect")
    assert "\n" not in line
    with pytest.raises(EnvironmentFailure, match="cannot be fetched"):
        kind(config, tmp_path / "cache", "commits")


@pytest.mark.parametrize(("by", "expected"), [("releases", "release"), ("commits", "git")])
def test_somebody_may_say_which(
    index: Index, web: str, tmp_path: Path, caplog: pytest.LogCaptureFixture, by: By, expected: str
) -> None:
    config = Config(index=index.url, upstream="toy", upstreams={"toy": UpstreamConfig(web=web)})
    assert kind(config, tmp_path / "cache", by) == expected
    assert told(caplog) == []


def test_the_configuration_may_decide(index: Index, web: str, repo: Repo, tmp_path: Path) -> None:
    def config(**values: str) -> Config:
        return Config(index=index.url, upstreams={"toy": UpstreamConfig(packages=("toy",), **values)})

    released = config(release="toy", web=web)
    assert kind(released, tmp_path / "cache") == "release"
    assert kind(released, tmp_path / "cache", "commits") == "git"
    committed = config(git=str(repo.path))
    assert kind(committed, tmp_path / "cache") == "git"
    with pytest.raises(UsageError, match="toy is followed by its git repository: for releases"):
        kind(committed, tmp_path / "cache", "releases")


def test_the_name_alone_is_enough(index: Index, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    config = Config(index=index.url, upstream="toy")
    with open_range(config, None, tmp_path / "cache", "0.1", None) as opened:
        assert (opened.kind, opened.name, opened.packages) == ("release", "toy", ("toy",))
    assert told(caplog) == ["toy is followed by releases: the package index names no git repository"]
    with pytest.raises(UsageError, match="nothing names the git repository of toy: give its URL"):
        followed_source(config, None, tmp_path / "cache", "commits")


def test_lanes_are_of_releases_wherever_commits_could_be_followed(
    index: Index, web: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    config = Config(index=index.url, upstream="toy", upstreams={"toy": UpstreamConfig(web=web)})
    source = release_source(config, None, tmp_path / "cache")
    with open_source(config, source, These(("0.1",)), tmp_path / "cache") as opened:
        assert opened.kind == "release"
    assert caplog.records == []


@pytest.mark.parametrize(
    ("urls", "home", "found"),
    [
        ({"Homepage": "https://toy.example", "Source": "https://github.com/a/toy/"}, None, "https://github.com/a/toy"),
        ({"Homepage": "https://github.com/a/toy"}, None, "https://github.com/a/toy"),
        ({"Docs": "https://github.com/a/docs", "Source Code": "https://gitlab.com/a/toy"}, None, "https://gitlab.com/a/toy"),
        ({"Source": "https://toy.example/git"}, "https://codeberg.org/a/toy", "https://codeberg.org/a/toy"),
        ({"Issues": "https://github.com/a/toy/issues"}, "https://toy.example", None),
        ({}, None, None),
    ],
)  # fmt: skip
def test_the_repository_that_metadata_names(
    urls: dict[str, str], home: str | None, found: str | None
) -> None:
    assert named_repository(urls, home) == found
