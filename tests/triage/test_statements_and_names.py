"""The call of a failing statement, and whether a source uses a name, by syntax."""

from __future__ import annotations

import pytest

from syncbot.triage.failing_statement import called, shown, statement_at, unpacked
from syncbot.triage.name_uses import (
    binds,
    calling_functions,
    reads_attribute,
    setting_methods,
    uses,
)

SOURCE = b'''\
"""A module that says budget in words."""
from engine import helper


class Runner:
    def __init__(self):
        self.sizes = []

    def load(self, given):
        # type: ignore[budget]
        self.weights = helper(given)

    def step(self, request):
        computed, count = (
            self.manager.get_computed(request, len(request))
        )
        with self.lock() as lock, other(lock):
            for size, _ in pairs(self.sizes):
                run(size)
        return request.kwargs["budget_of"], computed


def drive(runner, budget=None):
    runner.load(budget)
    return total
'''


@pytest.mark.parametrize(
    ("line", "calls", "taken"),
    [
        (14, ["get_computed"], ["get_computed"]),
        (15, ["get_computed"], ["get_computed"]),
        (17, ["lock", "other"], ["lock", "other"]),
        (18, ["pairs"], ["pairs"]),
        (19, ["run"], ["run"]),
        (11, ["helper"], ["helper"]),
    ],
)
def test_the_whole_statement_is_read_and_not_what_stands_in_it(
    line: int, calls: list[str], taken: list[str]
) -> None:
    statement = statement_at(SOURCE, line)
    assert statement is not None
    assert (called(statement), unpacked(statement)) == (calls, taken)


def test_of_several_calls_the_one_whose_result_is_taken_apart_counts() -> None:
    statement = statement_at(b"a, b = outer(inner(1))\n", 1)
    assert statement is not None
    assert (called(statement), unpacked(statement)) == (["outer", "inner"], ["outer"])
    assert shown(statement) == "a, b = outer(inner(1))"


def test_a_line_that_reads_otherwise_than_in_the_log_is_looked_for_or_unknown() -> None:
    moved = statement_at(SOURCE, 3, "run(size)")
    assert moved is not None
    assert called(moved) == ["run"]
    assert statement_at(SOURCE, 19, "walk(size)") is None
    assert statement_at(b"def broken(:\n", 1) is None


def test_comments_and_longer_words_are_no_use_of_a_name() -> None:
    assert uses(SOURCE, "drive", "budget")
    assert not uses(SOURCE, "load", "budget")
    assert not uses(SOURCE, "step", "budget")
    assert uses(SOURCE, "step", "budget_of")
    assert uses(SOURCE, "", "budget")
    assert uses(SOURCE, "<module>", "helper")
    assert not uses(SOURCE, "<module>", "budget")
    assert not uses(b"def broken(:", "", "broken")


def test_who_gives_a_name_a_value_reads_an_attribute_and_sets_one() -> None:
    assert binds(SOURCE, "drive", "budget")
    assert binds(SOURCE, "drive", "Runner")
    assert not binds(SOURCE, "drive", "total")
    assert reads_attribute(SOURCE, "kwargs")
    assert not reads_attribute(SOURCE, "sizes")
    assert setting_methods(SOURCE, "Runner", "weights") == ("load",)
    assert setting_methods(SOURCE, "Other", "weights") == ()
    assert calling_functions(SOURCE, "load") == ("drive",)
