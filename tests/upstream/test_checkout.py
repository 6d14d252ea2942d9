from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from syncbot.errors import EnvironmentFailure
from syncbot.upstream.checkout import MARKER, Form, TreeFolder, digest, python_files
from syncbot.upstream.git_repository import GitRepository

from .conftest import Repo


def contents(folder: Path) -> dict[str, str]:
    files = (path for path in folder.rglob("*") if path.is_file() and path.name != MARKER)
    return {path.relative_to(folder).as_posix(): path.read_text() for path in files}


def opened(repo: Repo) -> GitRepository:
    return GitRepository(repo.path / ".git")


def test_switching_writes_only_what_differs_and_removes_emptied_folders(
    make_repo: Callable[..., Repo], tmp_path: Path
) -> None:
    repo = make_repo()
    repo.write("pkg/__init__.py", "")
    repo.write("pkg/old/__init__.py", "x = 1\n")
    repo.write("pkg/same.py", "s = 1\n")
    repo.write("pkg/data.json", "{}")
    first = repo.commit()
    repo.git("mv", "pkg/old", "pkg/new")
    second = repo.commit()
    tree = TreeFolder(tmp_path / "tree", opened(repo))

    assert tree.switch(first) == 3
    kept = (tmp_path / "tree/pkg/same.py").stat()
    assert tree.switch(second) == 2
    assert tree.commit == second
    assert contents(tmp_path / "tree") == {
        "pkg/__init__.py": "",
        "pkg/new/__init__.py": "x = 1\n",
        "pkg/same.py": "s = 1\n",
    }
    assert not (tmp_path / "tree/pkg/old").exists()
    assert (tmp_path / "tree/pkg/same.py").stat().st_mtime_ns == kept.st_mtime_ns
    assert tree.switch(second) == 0


def test_an_interrupted_switch_is_seen_and_made_anew(make_repo: Callable[..., Repo], tmp_path: Path) -> None:
    repo = make_repo()
    repo.write("a.py", "a = 1\n")
    first = repo.commit()
    repo.write("a.py", "a = 2\n")
    repo.write("b.py", "b = 2\n")
    second = repo.commit()

    class Stopped(Exception):
        pass

    def stop(source: bytes) -> bytes:
        if source == b"b = 2\n":
            raise Stopped
        return source

    folder = tmp_path / "tree"
    tree = TreeFolder(folder, opened(repo), form=Form("verbatim", stop))
    tree.switch(first)
    with pytest.raises(Stopped):
        tree.switch(second)
    assert tree.commit is None

    again = TreeFolder(folder, opened(repo))
    assert again.switch(first) == 1
    assert contents(folder) == {"a.py": "a = 1\n"}


def test_another_form_is_written_anew(make_repo: Callable[..., Repo], tmp_path: Path) -> None:
    repo = make_repo()
    repo.write("a.py", "a = 1\n")
    sha = repo.commit()
    TreeFolder(tmp_path / "tree", opened(repo)).switch(sha)
    TreeFolder(tmp_path / "tree", opened(repo), form=Form("upper", bytes.upper)).switch(sha)
    assert contents(tmp_path / "tree") == {"a.py": "A = 1\n"}


def test_a_folder_of_somebody_elses_is_left_alone(make_repo: Callable[..., Repo], tmp_path: Path) -> None:
    repo = make_repo()
    repo.write("a.py", "a = 1\n")
    sha = repo.commit()
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "thesis.py").write_text("years of work")
    with pytest.raises(EnvironmentFailure, match="name an empty folder"):
        TreeFolder(mine, opened(repo)).switch(sha)
    assert contents(mine) == {"thesis.py": "years of work"}


def test_links_stand_for_files_of_the_tree_and_for_nothing_outside(
    make_repo: Callable[..., Repo], tmp_path: Path
) -> None:
    repo = make_repo()
    (tmp_path / "secret.py").write_text("token = 1\n")
    repo.write("pkg/real.py", "r = 1\n")
    os.symlink("real.py", repo.path / "pkg/inside.py")
    os.symlink(tmp_path / "secret.py", repo.path / "pkg/outside.py")
    os.symlink("../../../secret.py", repo.path / "pkg/above.py")
    os.symlink("loop.py", repo.path / "pkg/loop.py")
    sha = repo.commit()
    TreeFolder(tmp_path / "tree", opened(repo)).switch(sha)
    assert contents(tmp_path / "tree") == {"pkg/real.py": "r = 1\n", "pkg/inside.py": "r = 1\n"}
    assert not any(path.is_symlink() for path in (tmp_path / "tree").rglob("*"))


def forged(repo: Repo, entries: list[tuple[str, str, str]]) -> str:
    """A commit whose tree git itself would refuse to write."""
    raw = b"".join(f"{mode} {name}".encode() + b"\0" + bytes.fromhex(oid) for mode, name, oid in entries)
    tree = repo.git("hash-object", "-t", "tree", "-w", "--literally", "--stdin", input=raw)
    return repo.git("commit-tree", "-m", "forged", tree)


def test_nothing_is_written_outside_the_folder(make_repo: Callable[..., Repo], tmp_path: Path) -> None:
    repo = make_repo()
    blob = repo.git("hash-object", "-w", "--stdin", input=b"evil = 1\n")
    good = repo.git("hash-object", "-w", "--stdin", input=b"good = 1\n")
    inner = repo.git(
        "hash-object", "-t", "tree", "-w", "--literally", "--stdin",
        input=b"100644 evil.py\0" + bytes.fromhex(blob),
    )  # fmt: skip
    sha = forged(
        repo,
        [
            ("40000", "..", inner),
            ("40000", ".git", inner),
            ("100644", "Same.py", good),
            ("40000", "clash.py", inner),
            ("100644", "clash.py", good),
            ("100644", "same.py", good),
        ],
    )
    TreeFolder(tmp_path / "deep" / "tree", opened(repo)).switch(sha)
    assert contents(tmp_path / "deep/tree") == {
        "Same.py": "good = 1\n",
        "clash.py": "good = 1\n",
        "same.py": "good = 1\n",
    }
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["tree"]


def test_prefixes_limit_what_is_written(make_repo: Callable[..., Repo], tmp_path: Path) -> None:
    repo = make_repo()
    repo.write("pkg/a.py", "")
    repo.write("pkgs/b.py", "")
    repo.write("tests/c.py", "")
    sha = repo.commit()
    TreeFolder(tmp_path / "tree", opened(repo), ("pkg/",)).switch(sha)
    assert set(contents(tmp_path / "tree")) == {"pkg/a.py"}


def test_the_digest_is_the_same_for_the_same_python_files(make_repo: Callable[..., Repo]) -> None:
    repo = make_repo()
    repo.write("a.py", "a = 1\n")
    first = repo.commit()
    repo.write("README.md", "words")
    second = repo.commit()
    repo.write("a.py", "a = 2\n")
    third = repo.commit()
    with opened(repo) as repository:
        one, two, three = (digest(python_files(repository, sha)) for sha in (first, second, third))
    assert one == two
    assert one != three


NAMES = st.sampled_from(["a.py", "b.py", "d/a.py", "d/e/f.py", "d/e/g.pyi", "x.txt"])


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    states=st.lists(st.dictionaries(NAMES, st.sampled_from(["1\n", "2\n"])), min_size=1, max_size=4),
    data=st.data(),
)
def test_any_switch_gives_what_a_fresh_folder_gives(
    make_repo: Callable[..., Repo],
    tmp_path_factory: pytest.TempPathFactory,
    states: list[dict[str, str]],
    data: st.DataObject,
) -> None:
    repo = make_repo(f"repo-{os.urandom(6).hex()}")
    shas = []
    for state in states:
        repo.git("rm", "-r", "-f", "-q", "--ignore-unmatch", ".")
        for path, text in state.items():
            repo.write(path, text)
        shas.append(repo.commit())
    base = tmp_path_factory.mktemp("switch")
    with opened(repo) as repository:
        walked = TreeFolder(base / "walked", repository)
        for index in data.draw(st.lists(st.integers(0, len(shas) - 1), min_size=1, max_size=5)):
            walked.switch(shas[index])
            expected = {p: t for p, t in states[index].items() if not p.endswith(".txt")}
            assert contents(base / "walked") == expected
