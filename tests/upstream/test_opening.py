from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from syncbot.config import Config, UpstreamConfig
from syncbot.errors import EnvironmentFailure, UsageError
from syncbot.upstream.cache_folder import VARIABLE, cache_dir
from syncbot.upstream.opening import open_upstream

from .conftest import Repo
from .package_index import File, Index, tar


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


def git_upstream(source: str, branch: str | None = None) -> UpstreamConfig:
    return UpstreamConfig(packages=("toy",), git=source, branch=branch, web="https://code.example/toy")


def test_a_configured_repository_on_its_branch(repo: Repo, cache: Path) -> None:
    old = repo.commit("On main")
    repo.git("checkout", "--quiet", "-b", "topic")
    new = repo.commit("On topic")
    config = Config(
        root=repo.path.parent,
        upstreams={"toy": git_upstream("repo", "main"), "far": git_upstream(repo.path.as_uri(), "topic")},
    )
    with open_upstream(config, None, cache) as upstream:
        assert (upstream.name, upstream.kind, upstream.packages) == ("toy", "git", ("toy",))
        assert upstream.web == "https://code.example/toy"
        assert upstream.head == old
        assert upstream.repository.git_dir == repo.path / ".git"
    with open_upstream(config, "far", cache) as upstream:
        assert upstream.head == new
        assert upstream.repository.git_dir.is_relative_to(cache)


def test_a_path_or_url_stands_for_the_default_upstream(repo: Repo, cache: Path) -> None:
    repo.commit("Begin")
    config = Config(upstreams={"toy": UpstreamConfig(packages=("toy",), release="toy")})
    for source in (str(repo.path), repo.path.as_uri()):
        with open_upstream(config, source, cache) as upstream:
            assert (upstream.name, upstream.packages, upstream.kind) == ("repo", ("toy",), "git")


def test_without_configuration_the_packages_are_those_of_the_tree(repo: Repo, cache: Path) -> None:
    for path in (
        "toy/__init__.py",
        "toy/inner/__init__.py",
        "src/other/__init__.py",
        "tests/__init__.py",
        "setup.py",
    ):
        repo.write(path, "")
    repo.commit("Begin")
    with open_upstream(Config(), str(repo.path), cache) as upstream:
        assert upstream.packages == ("other", "toy")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("toi", "'toi' is neither a configured upstream (toy) nor a URL nor an existing path"),
        ("empty", "has no commits yet: fetch or commit something first"),
        ("./folder", "is not a git repository: give the folder that holds .git"),
        ("ext::sh -c true", "git remote helpers are not supported"),
    ],
)
def test_what_cannot_be_opened(
    make_repo: Callable[..., Repo],
    tmp_path: Path,
    cache: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    message: str,
) -> None:
    make_repo("empty")
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError) as caught:
        open_upstream(Config(upstreams={"toy": git_upstream("https://code.example/toy")}), name, cache)
    assert message in str(caught.value)


def test_no_upstream_at_all(cache: Path) -> None:
    with pytest.raises(UsageError, match="no upstream is configured"):
        open_upstream(Config(), None, cache)


def test_a_branch_that_does_not_exist(repo: Repo, cache: Path) -> None:
    repo.commit("Begin")
    with pytest.raises(UsageError, match="has no commit 'gone'"):
        open_upstream(Config(upstreams={"toy": git_upstream(str(repo.path), "gone")}), None, cache)


def test_releases_that_references_name_are_imported(cache: Path) -> None:
    files = [
        File(f"toy-{version}.tar.gz", tar({f"toy-{version}/toy/__init__.py": version.encode()}))
        for version in ("0.1", "0.2", "0.3", "0.4", "0.5")
    ]
    with Index(files) as index:

        def versions(*asked: str, specifier: str | None = None) -> list[str]:
            upstream = UpstreamConfig(
                packages=("toy",), release="toy", versions=specifier, web="https://code.example/toy"
            )
            config = Config(index=index.url, upstreams={"toy": upstream})
            with open_upstream(config, "toy", cache, asked) as opened:
                assert (opened.kind, opened.web) == ("release", None)
                tags = opened.repository.version_tags()
                assert opened.head == opened.repository.resolve(tags[-1][1])
                return [tag for _, tag in tags]

        assert versions("v0.1", "HEAD", "HEAD~1", "1234567", "12a4567") == ["v0.1"]
        assert versions() == ["v0.5"]
        assert versions(specifier="<0.5") == ["v0.4"]
        assert versions("0.4", "0.1", specifier="==0.2") == ["v0.1", "v0.4"]
        with pytest.raises(UsageError, match=r"there is no toy 0\.6"):
            versions("v0.6")


def test_the_cache_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "a" / "b"))
    assert cache_dir() == tmp_path / "a" / "b"
    assert cache_dir().is_dir()
    monkeypatch.delenv(VARIABLE)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_dir() == tmp_path / "xdg" / "syncbot"
    (tmp_path / "file").touch()
    monkeypatch.setenv(VARIABLE, str(tmp_path / "file" / "below"))
    with pytest.raises(EnvironmentFailure, match=r"cannot be made .*: set SYNCBOT_CACHE"):
        cache_dir()
