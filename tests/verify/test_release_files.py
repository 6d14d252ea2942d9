from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from syncbot.errors import EnvironmentFailure, UsageError
from syncbot.verify.release_files import open_index, published_source


def test_the_sdist_of_a_version_is_found_with_its_digest(server: str, sdist: Path, tmp_path: Path) -> None:
    found = published_source("tiny", "1.5", server, tmp_path / "cache")
    assert found.filename == "tiny-1.5.tar.gz"
    assert found.sha256 == hashlib.sha256(sdist.read_bytes()).hexdigest()
    # PEP 440: the same version, spelled differently.
    assert published_source("tiny", "v1.5.0", server, tmp_path / "cache").url == found.url


def test_what_is_known_needs_no_index(server: str, sdist: Path, tmp_path: Path) -> None:
    cache, nobody = tmp_path / "cache", "http://127.0.0.1:9/simple"
    found = published_source("tiny", "1.5", server, cache)
    file = open_index(server).download(found, cache)
    assert file.read_bytes() == sdist.read_bytes()
    assert published_source("tiny", "1.5", nobody, cache) == found
    assert open_index(nobody).download(found, cache) == file


def test_the_index_that_pip_is_told_to_use_is_the_default(
    server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", server)
    assert published_source("tiny", "1.5", None, tmp_path / "cache").version == "1.5"


def test_a_release_without_sdist_is_an_environment_failure(server: str, tmp_path: Path) -> None:
    with pytest.raises(EnvironmentFailure, match=r"neither a source distribution of tiny 1\.6 nor a wheel"):
        published_source("tiny", "1.6", server, tmp_path / "cache")


def test_an_unknown_distribution_is_wrong_use(server: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="giant"):
        published_source("giant", "1.5", server, tmp_path / "cache")
