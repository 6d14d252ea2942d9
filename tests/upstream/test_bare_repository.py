"""The bare repositories of the cache: made as a whole, and mended where their maker was killed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from syncbot.upstream.bare_repository import prepare
from syncbot.upstream.git_command import Access, GitCommand
from syncbot.upstream.release_store import tags

_READER = """
import sys
from pathlib import Path
from syncbot.upstream.git_command import Access, GitCommand
from syncbot.upstream.release_store import tags

folder = Path(sys.argv[1])
print("begun", flush=True)
while not (folder / "ended").exists():
    for store in sorted(folder.glob("*.git"))[-3:]:
        tags(GitCommand(store, Access.OWN))
"""


def test_one_that_is_being_made_is_not_seen(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _READER, tmp_path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as reader:
        assert reader.stdout is not None
        assert reader.stdout.readline() == "begun\n"
        for number in range(10, 50):
            prepare(GitCommand(tmp_path / f"{number}.git", Access.OWN))
        (tmp_path / "ended").touch()
        _, errors = reader.communicate(timeout=60)
    assert reader.returncode == 0, errors


@pytest.mark.parametrize("rest", ["store.git", "store.new"])
def test_what_a_killed_maker_left_is_made_whole(rest: str, tmp_path: Path) -> None:
    (tmp_path / rest).mkdir()
    (tmp_path / rest / "config").touch()
    git = GitCommand(tmp_path / "store.git", Access.OWN)
    prepare(git)
    assert tags(git) == {}
    assert [path.name for path in tmp_path.iterdir()] == ["store.git"]
