"""Which files a rewritten state judges again."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from syncbot import config as configuration
from syncbot.contracts.discovery import FileFinder
from syncbot.impact.session import backend_of, opened
from syncbot.planning.backend_states import BackendState, RewrittenState
from syncbot.upstream.opening import open_upstream

from .test_plan import git

FILES = {
    "mine.py": "from up.base import Base\n\nTOP = 1\n\n\nclass Mine(Base):\n    def go(self, x):\n        return 1\n",
    "user.py": "from .mine import Mine\n\n\nclass More(Mine):\n    pass\n",
    "package.py": "import plugin.mine\n\nMORE = plugin.mine.Mine\n",
    "stars.py": "from .mine import *\n",
    "text.py": 'WHERE = ("plugin.mine", "Mine.go")\n',
    "top.py": "from .mine import TOP\n",
    "other.py": "from up.base import Base\n\nMine = TOP = Base\n",
}


def differing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *changes: Mapping[str, str]) -> list[set[str]]:
    """The files that each state of the backend sees otherwise than the one before; they are walked, and no
    others."""
    upstream, plugin = tmp_path / "upstream", tmp_path / "plugin"
    for folder, files in (
        (upstream / "up", {"base.py": "class Base: ...\n"}),
        (plugin / "src/plugin", FILES),
    ):
        folder.mkdir(parents=True)
        for name, text in {"__init__.py": "", **files}.items():
            (folder / name).write_text(text)
    git(upstream, "init", "--quiet", "--initial-branch=main")
    git(upstream, "add", "--all")
    git(upstream, "commit", "--quiet", "-m", "First")
    config = configuration.load(plugin)
    found, walked = [], list[str]()
    with (
        open_upstream(config, str(upstream), tmp_path / "cache") as followed,
        opened(config, followed, backend_of(config), tmp_path / "cache") as trees,
    ):
        head = followed.repository.resolve("main")
        assert head is not None
        last = BackendState(trees, head, head, {})
        last.breaking({"src/plugin/mine.py"})
        finds = FileFinder.found
        monkeypatch.setattr(
            FileFinder, "found", lambda f, file: (walked.append(file.path), finds(f, file))[1]
        )
        for texts in changes:
            written = {f"src/plugin/{name}": text for name, text in texts.items()}
            state = RewrittenState(trees, head, head, written, last)
            walked.clear()
            state.breaking(state.differing)
            assert set(walked) == state.differing
            found.append({path.removeprefix("src/plugin/") for path in state.differing})
            last = state
    return found


def test_files_that_name_what_is_defined_otherwise_are_judged_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = FILES["mine.py"].replace("go(self, x)", "go(self, x, y)")
    found = differing(
        tmp_path, monkeypatch, {"mine.py": text}, {"mine.py": text.replace("TOP = 1", "TOP = 2")}
    )
    assert found == [
        {"mine.py", "user.py", "package.py", "stars.py", "text.py"},
        {"mine.py", "top.py", "stars.py"},
    ]


def test_what_a_body_does_is_seen_by_its_own_file_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = FILES["mine.py"].replace("return 1", "print(x)\n        return 1")
    assert differing(tmp_path, monkeypatch, {"mine.py": text}, {"mine.py": text}) == [{"mine.py"}, set()]
