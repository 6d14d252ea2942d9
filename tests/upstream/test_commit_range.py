from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from syncbot.errors import UsageError
from syncbot.upstream.commit_range import between, during, resolve
from syncbot.upstream.git_repository import GitRepository

from .conftest import START, Repo


@pytest.fixture
def shas(repo: Repo) -> list[str]:
    """Five commits an hour apart; the second is release 1.0, the fourth 1.1, the fifth 2.0rc1."""
    made = [repo.commit(f"Commit {number}") for number in range(5)]
    for tag, sha in (("v1.0", made[1]), ("v1.1", made[3]), ("v2.0rc1", made[4]), ("nightly", made[2])):
        repo.git("tag", tag, sha)
    return made


@pytest.fixture
def history(repo: Repo, shas: list[str]) -> Iterator[GitRepository]:
    with GitRepository(repo.path / ".git") as repository:
        yield repository


def at(hours: float) -> datetime:
    return datetime.fromtimestamp(START, UTC) + timedelta(hours=hours)


def test_between_lists_what_the_newer_end_has_more(history: GitRepository, shas: list[str]) -> None:
    span = between(history, "v1.0", "v1.1")
    assert (span.old, span.new) == (shas[1], shas[3])
    assert [commit.sha for commit in span.commits] == [shas[3], shas[2]]


def test_between_equal_ends_is_empty(history: GitRepository, shas: list[str]) -> None:
    span = between(history, "v1.1", shas[3][:10])
    assert (span.old, span.new, span.commits) == (shas[3], shas[3], ())


def test_between_exchanged_ends_is_wrong_use(history: GitRepository) -> None:
    with pytest.raises(UsageError, match=r"v1\.0 has no commits that v1\.1 lacks: exchange --from and --to"):
        between(history, "v1.1", "v1.0")


def test_between_ends_of_two_branches(repo: Repo, history: GitRepository, shas: list[str]) -> None:
    repo.git("switch", "--quiet", "--create", "release", shas[1])
    fix = repo.commit("Fix the release")
    span = between(history, "release", "main")
    assert (span.old, span.new) == (fix, shas[4])
    assert [commit.sha for commit in span.commits] == [shas[4], shas[3], shas[2]]


@pytest.mark.parametrize(
    ("ref", "index"),
    [
        ("latest", 3), ("latest~0", 3), ("latest~1", 1), ("v1.1", 3), ("1.1", 3), ("1.1.0", 3),
        ("2.0rc1", 4), ("nightly", 2), ("main", 4), ("HEAD~4", 0),
    ],
)  # fmt: skip
def test_resolve(history: GitRepository, shas: list[str], ref: str, index: int) -> None:
    assert resolve(history, ref) == shas[index]


@pytest.mark.parametrize(
    ("ref", "words"),
    [
        ("latest~2", r"latest~2 asks for release 3 from the end, but there are 2"),
        ("latest~", "no commit"),
        ("latest~-1", "no commit"),
        ("latest1", "no commit"),
        ("v1.2", r"the nearest tags are v1\.0, v1\.1, v2\.0rc1"),
        ("", "no commit"),
        ("--all", "no commit"),
        ("HEAD\0", "no commit"),
    ],
)
def test_an_unknown_reference_is_wrong_use(history: GitRepository, ref: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        resolve(history, ref)


def test_latest_without_releases_is_wrong_use(repo: Repo) -> None:
    repo.commit()
    repo.git("tag", "v1.0a1")
    with (
        GitRepository(repo.path / ".git") as repository,
        pytest.raises(UsageError, match="there are 0"),
    ):
        resolve(repository, "latest")


@pytest.mark.parametrize(
    ("since", "until", "first", "last"),
    [
        (2, 4, 1, 3),
        (1.5, 4.5, 1, 3),
        (2, None, 1, 4),
        (5, 5, 4, 4),
        (1.5, 2.5, 1, 1),
    ],
)
def test_during_has_both_ends_included(
    history: GitRepository, shas: list[str], since: float, until: float | None, first: int, last: int
) -> None:
    span = during(history, shas[4], at(since), None if until is None else at(until))
    assert [commit.sha for commit in span.commits] == shas[first : last + 1][::-1]
    assert (span.old, span.new) == (shas[first - 1], shas[last])


def test_during_a_quiet_period_is_empty_at_the_head(history: GitRepository, shas: list[str]) -> None:
    span = during(history, shas[4], at(2.2), at(2.8))
    assert (span.old, span.new, span.commits) == (shas[4], shas[4], ())


@pytest.mark.parametrize(("since", "until"), [(0, None), (None, 3), (1, 1)])
def test_during_may_not_begin_with_the_first_commit(
    history: GitRepository, shas: list[str], since: float | None, until: float | None
) -> None:
    moments = [None if hours is None else at(hours) for hours in (since, until)]
    with pytest.raises(UsageError, match=f"the first commit \\({shas[0][:12]}\\).*name a later --since"):
        during(history, shas[4], *moments)


def test_during_looks_at_what_the_head_reaches_alone(
    repo: Repo, history: GitRepository, shas: list[str]
) -> None:
    repo.git("switch", "--quiet", "--create", "aside", shas[2])
    aside = repo.commit("Aside")
    assert aside not in {commit.sha for commit in during(history, shas[4], at(2), None).commits}


def test_during_a_period_in_which_a_branch_was_merged(
    repo: Repo, history: GitRepository, shas: list[str]
) -> None:
    """The branch began before the period: the old end has everything that the period did not bring."""
    repo.git("switch", "--quiet", "--create", "topic", shas[1])
    topic = repo.commit("On the topic")
    repo.git("switch", "--quiet", "main")
    merge = repo.merge("topic")
    span = during(history, merge, at(5.5), None)
    assert [commit.sha for commit in span.commits] == [merge, topic]
    assert span.new == merge
    assert span.old == shas[4]


def test_during_a_period_that_ends_before_a_branch_was_merged(
    repo: Repo, history: GitRepository, shas: list[str]
) -> None:
    repo.git("switch", "--quiet", "--create", "topic", shas[1])
    repo.commit("On the topic")
    repo.git("switch", "--quiet", "main")
    newer = repo.commit("On the main line")
    repo.commit("Later")
    merge = repo.merge("topic")
    span = during(history, merge, at(4), at(7))
    assert [commit.sha for commit in span.commits] == [newer, shas[4], shas[3]]
    assert (span.old, span.new) == (shas[2], newer)


def test_during_a_period_with_several_merges(repo: Repo, history: GitRepository, shas: list[str]) -> None:
    merges = []
    for name in ("one", "two"):
        repo.git("switch", "--quiet", "--create", name)
        repo.commit(f"Topic {name}")
        repo.git("switch", "--quiet", "main")
        merges.append(repo.merge(name))
    span = during(history, merges[1], at(5.5), None)
    assert (span.old, span.new) == (shas[4], merges[1])
    assert len(span.commits) == 4
