"""Since which commit of an upstream's main line something is so."""

from __future__ import annotations

from syncbot.impact.first_commit import first_commit_where

from .conftest import Engine, TreesOf


def text(value: int) -> dict[str, str | None]:
    return {"engine/base.py": f"LIMIT = {value}\n"}


def test_the_commit_that_turned_the_answer(engine: Engine, trees_of: TreesOf) -> None:
    shas = [engine.commit(text(value)) for value in (0, 1, 2)]
    engine.noise()
    guilty = engine.commit(text(3), "Three (#3)")
    engine.noise()
    last = engine.commit(text(4))
    with_ = trees_of("")
    asked: list[str] = []

    def many(sha: str) -> bool:
        asked.append(sha)
        blob = with_.repository.tree(sha)["engine/base.py"].blob
        return int(with_.repository.blob(blob).split()[-1]) >= 3

    found = first_commit_where(with_, "engine.base.LIMIT", shas[0], last, many)
    assert found is not None
    assert (found.sha, found.pr) == (guilty, 3)
    few = first_commit_where(with_, "engine.base.LIMIT", shas[0], last, lambda sha: not many(sha))
    assert few == found


def test_a_cause_in_another_file_is_found_too(engine: Engine, trees_of: TreesOf) -> None:
    first = engine.commit(text(0))
    engine.noise()
    guilty = engine.commit({"engine/other.py": "x = 1\n"}, "Other (#7)")
    last = engine.commit(text(1))
    with_ = trees_of("")
    found = first_commit_where(
        with_, "engine.base.LIMIT", first, last, lambda sha: "engine/other.py" in with_.repository.tree(sha)
    )
    assert found is not None
    assert found.sha == guilty


def test_what_no_commit_of_the_line_turned_has_none(engine: Engine, trees_of: TreesOf) -> None:
    base = engine.commit(text(0))
    engine.git("checkout", "-q", "-b", "release")
    released = engine.commit(text(1))
    engine.git("checkout", "-q", "-")
    engine.noise()
    last = engine.noise()
    with_ = trees_of("")
    # Only the release branch differs: the main line is as it was before it left.
    assert first_commit_where(with_, "engine.base.LIMIT", released, last, lambda sha: sha == released) is None
    assert first_commit_where(with_, "engine.base.LIMIT", last, last, lambda sha: True) is None
    assert base != released


def test_a_merge_stands_for_what_it_brings(engine: Engine, trees_of: TreesOf) -> None:
    first = engine.commit(text(0))
    engine.git("checkout", "-q", "-b", "side")
    engine.commit(text(1), "Inside")
    engine.git("checkout", "-q", "-")
    engine.git("merge", "-q", "--no-ff", "-m", "Merge pull request #9 from a/side", "side")
    merge = engine.git("rev-parse", "HEAD")
    last = engine.noise()
    with_ = trees_of("")

    def one(sha: str) -> bool:
        return with_.repository.blob(with_.repository.tree(sha)["engine/base.py"].blob) == b"LIMIT = 1\n"

    found = first_commit_where(with_, "engine.base.LIMIT", first, last, one)
    assert found is not None
    assert found.sha == merge
