from __future__ import annotations

from syncbot.upstream.checkout import TreeFolder, every_file
from syncbot.upstream.git_repository import GitRepository

from .conftest import Repo


def test_all_files_are_there_and_links_stand_for_their_target(repo: Repo) -> None:
    repo.write("pkg/__init__.py", "")
    repo.write("data/table.bin", b"\x00\xff")
    (repo.path / "alias.bin").symlink_to("data/table.bin")
    (repo.path / "outside").symlink_to("/etc/passwd")
    commit = repo.commit()
    with GitRepository(repo.path / ".git") as repository:
        files = every_file(repository, commit)
        assert set(files) == {"pkg/__init__.py", "data/table.bin", "alias.bin"}
        TreeFolder(repo.path.parent / "tree", repository).switch(commit, files)
    assert (repo.path.parent / "tree" / "alias.bin").read_bytes() == b"\x00\xff"


def test_what_a_partial_copy_lacks_is_left_out(repo: Repo) -> None:
    repo.write("small.py", "x = 1\n")
    repo.write("large.bin", b"0" * 1000)
    commit = repo.commit()
    lost = repo.git("rev-parse", "HEAD:large.bin")
    (repo.path / ".git" / "objects" / lost[:2] / lost[2:]).unlink()
    with GitRepository(repo.path / ".git") as repository:
        assert set(every_file(repository, commit)) == {"small.py"}
        kept = repo.git("rev-parse", "HEAD:small.py")
        assert repository.present([lost, kept]) == {kept}
