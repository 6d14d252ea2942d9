"""Copies in a lane follow upstream, and what somebody edits in the lane's folder becomes patches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import Result

from syncbot.patching import model
from tests.upstream.package_index import File, Index, tar

from .conftest import plugin

OLD = """\
class Base:
    def run(self, batch):
        size = len(batch)
        first = batch[0]
        self.prepare(first)
        self.count(size)
        result = []
        for each in batch:
            result.append(self.one(each))
        self.finish(result)
        return result

    def one(self, each):
        return each
"""
NEW = "from collections import deque\n\n\n" + OLD.replace("result = []", "result = deque()").replace(
    "self.prepare(first)", "self.prepare(first, size)"
)
COPY = OLD.replace("class Base:", "from toy.base import Base\n\n\nclass Mine(Base):").replace(
    "self.finish(result)", "# Ours.\n        self.finish(result.npu())"
)


def release(version: str, text: str) -> File:
    folder = f"toy-{version}"
    files = {f"{folder}/toy/__init__.py": b"", f"{folder}/toy/base.py": text.encode()}
    return File(f"{folder}.tar.gz", tar(files))


@pytest.fixture
def copy() -> str:
    return COPY


@pytest.fixture
def later() -> str:
    return NEW


@pytest.fixture
def index(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, copy: str, later: str) -> Iterator[Index]:
    releases = [release("1.0.0", OLD), release("2.0.0", later), release("3.0.0", later)]
    published = plugin(
        "1.0.0rc2", **{"some_plugin/mine.py": copy, "some_plugin/other.py": "def f(a):\n    return 1\n"}
    )
    with Index(releases, {"some-plugin": [published]}) as served:
        monkeypatch.setenv("PIP_INDEX_URL", served.url)
        monkeypatch.setenv("SYNCBOT_CACHE", str(tmp_path / "cache"))
        yield served


@pytest.fixture
def overlay(run: Callable[..., Result], tmp_path: Path) -> Path:
    asked = ["--package", "some-plugin==1.0.0rc2", "--upstream", "toy", "--lane", "2.0.0", "--lane", "3.0.0"]
    assert run("overlay", "new", *asked).exit_code == 0
    return tmp_path / "overlay"


def lane(overlay: Path, file: str = "mine.py", tag: str = "v2.0.0") -> Path:
    return overlay / "build" / "lanes" / tag / "some_plugin" / file


def test_a_copy_without_conflicts_follows(overlay: Path, run: Callable[..., Result]) -> None:
    done = run("overlay", "merge", "--lane", "v2.0.0")
    assert (done.exit_code, "some_plugin/mine.py  Mine.run  merged" in done.output) == (0, True), done.output
    wanted = COPY.replace("result = []", "result = deque()").replace("prepare(first)", "prepare(first, size)")
    wanted = wanted.replace("import Base\n", "import Base\nfrom collections import deque\n")
    assert lane(overlay).read_text() == wanted
    assert run("apply").exit_code == 0
    assert [lane(overlay, tag=tag).read_text() for tag in ("v1.0.0", "v2.0.0", "v3.0.0")] == [
        COPY,
        wanted,
        wanted,
    ]
    (patch,) = (overlay / "patches").glob("*merge*")
    assert len(patch.read_text().splitlines()) < 25
    assert "+        result = deque()" in run("patch", "test", patch.stem).output
    again = run("overlay", "merge", "--lane", "v2.0.0")
    assert again.output.splitlines()[-1] == "0 copies changed upstream since the lane before v2.0.0"


SAYS = ("batch):\n", 'batch):\n        """Run it."""\n        # One by one.\n')


@pytest.mark.parametrize("later", [OLD.replace(*SAYS)])
def test_what_upstream_says_of_a_function_is_no_change_of_it(
    overlay: Path, run: Callable[..., Result]
) -> None:
    done = run("overlay", "merge", "--lane", "v2.0.0")
    assert done.output.splitlines()[-1] == "0 copies changed upstream since the lane before v2.0.0"
    assert [*(overlay / "patches").glob("*.yaml")] == []


def test_a_merge_that_nobody_wants_is_not_written_again(overlay: Path, run: Callable[..., Result]) -> None:
    merge = ["overlay", "merge", "--lane", "v2.0.0"]
    assert run(*merge).exit_code == 0
    (file,) = (overlay / "patches").glob("*merge*")
    refused = run("patch", "retire", file.stem)
    assert (refused.exit_code, "is needed by v3.0.0, v2.0.0" in refused.output) == (2, True), refused.output
    assert run("patch", "retire", file.stem, "--declined", "Its list is short.").exit_code == 0
    assert run(*merge).output.splitlines() == ["0 copies changed upstream since the lane before v2.0.0"]
    assert run("apply").exit_code == 0
    assert lane(overlay).read_text() == COPY
    declined = model.load_file(file)
    assert (declined.status, declined.declined) == ("retired", "Its list is short.")
    stale = declined.model_copy(
        update={"merges": (declined.merges[0].model_copy(update={"within": "gone"}),)}
    )
    file.write_text(model.dump(stale))
    done = run(*merge).output.splitlines()
    assert done[0] == f"declined {file.stem}: nothing asks for it any more; delete its file"
    assert "Mine.run  merged" in done[1]


@pytest.mark.parametrize("later", [NEW.replace("def run", "def run_all")])
def test_a_copy_whose_original_is_gone_is_told_and_stays(overlay: Path, run: Callable[..., Result]) -> None:
    done = run("overlay", "merge", "--lane", "v2.0.0")
    assert done.exit_code == 1, done.output
    assert "Mine.run  needs an author: merge: toy 2.0.0 has no function toy.base.Base.run" in done.output
    assert lane(overlay).read_text() == COPY


@pytest.mark.parametrize("copy", [COPY.replace("prepare(first)", "prepare(first.npu())")])
@pytest.mark.parametrize(
    ("written", "resolution"),
    [
        ("self.prepare(first.npu())", {"take": "ours"}),
        ("self.prepare(first, size)", {"take": "theirs"}),
        ("self.prepare(first.npu(), size)", {"lines": "    self.prepare(first.npu(), size)\n"}),
    ],
)
def test_marks_that_somebody_took_away_are_resolutions(
    overlay: Path, run: Callable[..., Result], written: str, resolution: dict[str, str]
) -> None:
    assert run("overlay", "merge", "--lane", "v2.0.0").exit_code == 1
    file = lane(overlay)
    marked = file.read_text()
    start, end = marked.index("<<<<<<< ours"), marked.index(">>>>>>> 2.0.0\n") + len(">>>>>>> 2.0.0\n")
    assert "        self.prepare(first.npu())\n||||||| 1.0.0\n" in marked[start:end]
    left = run("overlay", "absorb", "--lane", "v2.0.0")
    assert (left.exit_code, "a conflict is left" in left.output) == (2, True)
    file.write_text(f"{marked[:start]}        {written}\n{marked[end:]}")
    done = run("overlay", "absorb", "--lane", "v2.0.0")
    assert done.exit_code == 0, done.output
    wanted = file.read_text()
    (patch,) = (model.load_file(file) for file in (overlay / "patches").glob("*merge*"))
    (found,) = patch.merges[0].resolutions
    assert found.model_dump(exclude_none=True, exclude={"conflict"}) == resolution
    imported = [*(overlay / "patches").glob("*edited*")]
    assert run("apply").exit_code == 0
    assert file.read_text() == wanted
    assert imported == [], "the import of deque is the merge's own"


def test_edits_become_a_rule_or_a_difference(overlay: Path, run: Callable[..., Result]) -> None:
    assert run("apply").exit_code == 0
    assert "has no edits" in run("overlay", "absorb", "--lane", "v2.0.0").output
    mine, other = lane(overlay), lane(overlay, "other.py")
    mine.write_text(mine.read_text().replace("return each", "return each or None"))
    other.write_text("def f(a, b=None):\n    return 1\n")
    done = run("overlay", "absorb", "--lane", "v2.0.0", "--reason", "It may be empty.")
    assert done.exit_code == 0, done.output
    (file,) = (overlay / "patches").glob("*edited*")
    patch = model.load_file(file)
    assert [rewrite.rule for rewrite in patch.rewrites] == ["difference", "function_parameter_added"]
    assert patch.reason == "It may be empty."
    wanted = mine.read_text()
    assert run("apply").exit_code == 0
    assert (mine.read_text(), other.read_text()) == (wanted, "def f(a, b=None):\n    return 1\n")
    assert lane(overlay, tag="v3.0.0").read_text() == wanted
    mine.write_text(wanted.replace("or None", "or 1"))
    assert run("overlay", "absorb", "--lane", "v2.0.0").exit_code == 0
    assert run("apply").exit_code == 0
    assert mine.read_text() == wanted.replace("or None", "or 1")


@pytest.mark.parametrize(
    ("file", "text", "said"),
    [
        ("table.json", "{ }\n", "some_plugin/table.json was edited: a patch only changes Python files"),
        ("new.py", "", "some_plugin/new.py was added: a patch only changes files"),
        ("mine.py", None, "some_plugin/mine.py was removed: a patch only changes files"),
        ("mine.py", "def f(:\n", "would no longer be Python"),
    ],
)
def test_what_no_patch_can_make_is_refused(
    overlay: Path, run: Callable[..., Result], file: str, text: str | None, said: str
) -> None:
    assert run("apply").exit_code == 0
    before = {path: path.read_bytes() for path in (overlay / "patches").iterdir()}
    if text is None:
        lane(overlay, file).unlink()
    else:
        lane(overlay, file).write_text(text)
    done = run("overlay", "absorb", "--lane", "v2.0.0")
    assert done.exit_code == 2
    assert said in done.output
    assert len(done.output.splitlines()) == 1
    assert {path: path.read_bytes() for path in (overlay / "patches").iterdir()} == before


CONFLICT = COPY.replace("prepare(first)", "prepare(first.npu())")


@pytest.mark.parametrize("tag", ["v2.0.0", "v3.0.0"])
def test_edits_that_are_no_patches_yet_are_not_lost(
    overlay: Path, run: Callable[..., Result], tag: str
) -> None:
    assert run("apply").exit_code == 0
    assert run("apply").exit_code == 0, "nothing was edited"
    file = lane(overlay, "other.py", tag)
    file.write_text("def f(a):\n    return 2\n")
    before = {path: path.read_bytes() for path in overlay.rglob("*") if path.is_file()}
    for command in (["apply"], ["overlay", "merge", "--lane", tag], ["verify", "--static", "--lane", tag]):
        done = run(*command)
        assert (done.exit_code, len(done.output.splitlines())) == (2, 1), done.output
        assert "some_plugin/other.py has edits that no patch makes" in done.output
    assert {path: path.read_bytes() for path in overlay.rglob("*") if path.is_file()} == before
    assert run("apply", "--check").exit_code == 0, "it writes nothing"
    assert run("overlay", "absorb", "--lane", tag).exit_code == 0
    assert run("apply").exit_code == 0
    assert file.read_text() == "def f(a):\n    return 2\n"
    file.write_text("given up")
    for path in sorted(file.parents[1].rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    file.parents[1].rmdir()
    assert run("apply").exit_code == 0
    assert file.read_text() == "def f(a):\n    return 2\n"


@pytest.mark.parametrize("copy", [CONFLICT])
def test_marks_that_nobody_touched_may_be_written_anew(overlay: Path, run: Callable[..., Result]) -> None:
    assert run("overlay", "merge", "--lane", "v2.0.0").exit_code == 1
    marked = lane(overlay).read_text()
    assert run("apply").exit_code == 1, "the merge needs an author"
    assert lane(overlay).read_text() == CONFLICT
    assert run("overlay", "merge", "--lane", "v2.0.0").exit_code == 0
    assert lane(overlay).read_text() == marked
    lane(overlay).write_text(marked.replace("# Ours.", "# Mine."))
    assert run("apply").exit_code == 2


@pytest.mark.parametrize("copy", [CONFLICT])
def test_edits_are_taken_by_file(overlay: Path, run: Callable[..., Result]) -> None:
    assert run("overlay", "merge", "--lane", "v2.0.0").exit_code == 1
    marked, other = lane(overlay).read_text(), lane(overlay, "other.py")
    other.write_text("def f(a):\n    return 2\n")
    lane(overlay, "table.json").write_text("{ }\n")
    absorb = ["overlay", "absorb", "--lane", "v2.0.0"]
    unknown = run(*absorb, "other.py")
    assert (unknown.exit_code, "the lane has no file other.py" in unknown.output) == (2, True)
    assert run(*absorb).exit_code == 2
    done = run(*absorb, "some_plugin/other.py")
    assert done.exit_code == 0, done.output
    (file,) = (overlay / "patches").glob("*edited*")
    assert [rewrite.rule for rewrite in model.load_file(file).rewrites] == ["difference"]
    assert lane(overlay).read_text() == marked
    assert lane(overlay, "table.json").read_text() == "{ }\n"
    assert "has no edits" in run(*absorb, "some_plugin/other.py").output
    assert run(*absorb, "some_plugin/table.json").exit_code == 2
    assert run("apply").exit_code == 2


def test_edits_of_what_a_renamed_patch_made_come_behind_it(overlay: Path, run: Callable[..., Result]) -> None:
    assert run("apply").exit_code == 0
    absorb = ["overlay", "absorb", "--lane", "v2.0.0"]
    lane(overlay).write_text(lane(overlay).read_text().replace("return each", "return [each]"))
    assert run(*absorb).exit_code == 0
    (file,) = (overlay / "patches").glob("*edited*")
    renamed = file.with_name("2.0.0-lists.yaml")
    renamed.write_text(file.read_text().replace(file.stem, renamed.stem, 1))
    file.unlink()
    lane(overlay).write_text(lane(overlay).read_text().replace("return [each]", "return [each, None]"))
    done = run(*absorb)
    assert done.exit_code == 0, done.output
    assert run("apply").exit_code == 0
    assert "return [each, None]" in lane(overlay).read_text()


def test_the_baseline_has_nothing_to_merge(overlay: Path, run: Callable[..., Result]) -> None:
    done = run("overlay", "merge", "--lane", "v1.0.0")
    assert (done.exit_code, "is no newer than the baseline" in done.output) == (2, True)
