"""The cache returns what a rule made of a file, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from syncbot.patching import registry
from syncbot.patching.errors import CannotRewrite, NoMatch
from syncbot.patching.file_rewrites import FileRewrites
from syncbot.patching.registry import Rule
from syncbot.patching.source import Source
from syncbot.patching.three_way.recorded_merge import OriginalText, RecordedMerge, bound

TEXT = "# \N{GREEK SMALL LETTER PI}\nfrom up.a import X\r\n\n\ndef f():\n    return X\n"
MOVED = TEXT.replace("up.a", "up.b")


def move(old: str = "a", new: str = "b") -> Rule:
    return registry.find("import_moved").model_validate({"old": f"up.{old}.X", "new": f"up.{new}.X"})


def parsed(source: Source) -> bool:
    return "_wrapper" in vars(source)


@pytest.fixture
def kept(tmp_path: Path) -> FileRewrites:
    return FileRewrites(tmp_path)


def test_the_same_question_needs_no_parse(kept: FileRewrites, tmp_path: Path) -> None:
    first, again = Source(TEXT, "a.py"), Source(TEXT, "a.py")
    assert kept.rewritten(move(), first, True) == MOVED
    assert kept.rewritten(move(), again, True) == MOVED
    assert (parsed(first), parsed(again)) == (True, False)
    unkept = Source(TEXT, "a.py")
    assert FileRewrites().rewritten(move(), unkept, True) == MOVED
    assert parsed(unkept)
    for file in (each for each in (tmp_path / "rewrites").rglob("*") if each.is_file()):
        file.write_bytes(file.read_bytes()[:-1] + b"!")
    damaged = Source(TEXT, "a.py")
    assert kept.rewritten(move(), damaged, True) == MOVED
    assert parsed(damaged)


def test_every_other_question_is_asked(kept: FileRewrites) -> None:
    assert kept.rewritten(move(), Source(TEXT, "a.py"), True) == MOVED
    assert kept.rewritten(move("a", "c"), Source(TEXT, "a.py"), True) == TEXT.replace("up.a", "up.c")
    assert kept.rewritten(move(), Source(f"{TEXT}#\n", "a.py"), True) == f"{MOVED}#\n"
    assert kept.rewritten(move(), Source(MOVED, "a.py"), False) == TEXT
    elsewhere = Source(TEXT, "b.py")
    assert kept.rewritten(move(), elsewhere, True) == MOVED
    assert parsed(elsewhere)


def test_what_matches_nothing_says_so_again(kept: FileRewrites) -> None:
    said = []
    for _ in range(2):
        source = Source(MOVED, "a.py")
        with pytest.raises(NoMatch) as raised:
            kept.rewritten(move(), source, True)
        said.append((str(raised.value), parsed(source)))
    assert said == [(said[0][0], True), (said[0][0], False)]


def test_what_cannot_be_done_is_tried_again(kept: FileRewrites, tmp_path: Path) -> None:
    for _ in range(2):
        source = Source("from up.a import X\n(\n", "a.py")
        with pytest.raises(CannotRewrite, match=r"^a\.py:2: not valid Python"):
            kept.rewritten(move(), source, True)
    assert not (tmp_path / "rewrites").exists()


class Texts:
    """Stands for two releases; of some there is none."""

    def __init__(self, new: str | None) -> None:
        self._new = new

    def original(self, symbol: str, version: str) -> OriginalText:
        if self._new is None:
            raise NoMatch(f"no {symbol}")
        return OriginalText("def f():\n    return 1\n" if version == "1.0" else self._new, {})


def test_a_merge_is_made_anew_where_upstream_is_another(kept: FileRewrites) -> None:
    recorded = RecordedMerge(file="a.py", within="f", original="up.f", base="1.0", end="2.0")
    copy = "def f():\n    return 1\n"
    for number in (2, 3):
        rule = bound(recorded, Texts(copy.replace("1", str(number))))
        assert kept.rewritten(rule, Source(copy, "a.py"), True) == copy.replace("1", str(number))
    with pytest.raises(NoMatch, match=r"^no up\.f$"):
        kept.rewritten(bound(recorded, Texts(None)), Source(copy, "a.py"), True)
    with pytest.raises(CannotRewrite, match="upstream's own texts"):
        kept.rewritten(bound(recorded, None), Source(copy, "a.py"), True)
