from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from syncbot.cli import options
from syncbot.errors import UsageError
from syncbot.lanes.dependence import Present, Sources
from syncbot.lanes.evidence import Evidence
from syncbot.lanes.matrix import Lane, Matrix
from syncbot.verify.job import Done, Job
from syncbot.workflows.lane_checks import no_meters
from syncbot.workflows.renewal import Budget, by_need, out_of_date, shard

CHECKS = ["static", "simulate-small-v1"]


def lane(version: str, **dates: str) -> Lane:
    checks = {
        name.replace("_", "-"): Evidence(status="pass", command="run", date=date, digest="old")
        for name, date in dates.items()
    }
    return Lane(tag=f"v{version}", wheel=version, python=">=3.10", sources="old", checks=checks)


def test_the_newest_and_the_oldest_lane_come_first_then_the_oldest_evidence() -> None:
    lanes = [
        lane("0.1", static="2026-11-29", simulate_small_v1="2026-11-29"),
        lane("0.2", static="2026-11-28", simulate_small_v1="2026-11-28"),
        lane("0.3", static="2026-11-29", simulate_small_v1="2026-11-22"),
        lane("0.4", static="2026-11-01"),
        lane("0.10", static="2026-11-29", simulate_small_v1="2026-11-29"),
    ]
    assert [each.tag for each in by_need(lanes, CHECKS)] == ["v0.10", "v0.1", "v0.4", "v0.3", "v0.2"]
    # Of other checks nothing is missing.
    assert [each.tag for each in by_need(lanes, ["static"])] == ["v0.10", "v0.1", "v0.4", "v0.2", "v0.3"]
    assert [each.tag for each in by_need(lanes[:1], CHECKS)] == ["v0.1"]
    assert by_need([], CHECKS) == []


def test_only_what_is_claimed_and_says_nothing_of_the_sources_is_out_of_date() -> None:
    same = Present(Sources({"src/small.py": b"x = 1\n"}))
    evidence = Evidence(status="pass", command="run", date="2026-11-29", digest=same.digest(None, None))
    known = lane("0.1").model_copy(update={"checks": {"static": evidence}})
    matrix = Matrix(schema=1, upstream="small", baseline="v0.1", lanes=(known,))
    assert out_of_date(matrix, known, same, CHECKS) == ["simulate-small-v1"]
    other = Present(Sources({"src/small.py": b"x = 2\n"}))
    assert out_of_date(matrix, known, other, CHECKS) == CHECKS
    refused = known.model_copy(update={"unsupported": {"small": ("v1",)}})
    assert out_of_date(matrix, refused, same, CHECKS) == []
    claiming = known.model_copy(update={"claimed": "few"})
    tiers = Matrix(schema=1, upstream="small", baseline="v0.1", lanes=(claiming,), tiers={"few": ("static",)})
    assert out_of_date(tiers, claiming, other, CHECKS) == ["static"]


@given(st.integers(1, 9), st.integers(0, 25))
def test_each_lane_is_in_one_part(parts: int, count: int) -> None:
    lanes = [lane(f"0.{number}") for number in range(count)]
    shares = [shard(f"{number}/{parts}").share(lanes) for number in range(1, parts + 1)]
    assert sorted(each.tag for share in shares for each in share) == sorted(each.tag for each in lanes)
    assert max(map(len, shares)) - min(map(len, shares)) <= 1


@pytest.mark.parametrize("text", ["0/3", "4/3", "2", "1/0", "a/b", "-1/2"])
def test_what_is_no_part_is_said(text: str) -> None:
    with pytest.raises(UsageError, match=r"^'.*' is no part of the lanes: write 2/6"):
        shard(text)


def test_times() -> None:
    context, option = click.Context(click.Command("verify")), click.Option(["--budget"])
    texts = ("90s", "60m", "2h")
    assert [options.seconds(context, option, text) for text in texts] == [90.0, 3600.0, 7200.0]
    for text in ("60", "0m", "1d", "m", "-1m", "1.5h"):
        with pytest.raises(UsageError, match=r"is no time: write it as 90s, 10m or 1h$"):
            options.seconds(context, option, text)


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def done_in(budget: Budget, clock: Clock, costs: Sequence[float]) -> list[int]:
    """Which of jobs that cost so many seconds are done."""
    begun: list[int] = []

    def run(jobs: Sequence[Job], *rest: object) -> Iterator[tuple[Job, Done]]:
        for number, cost in enumerate(costs):
            begun.append(number)
            clock.now += cost
            yield cast(Any, number), cast(Any, None)

    jobs = cast(Any, list(range(len(costs))))
    got = [cast(int, job) for job, _ in budget.within(run)(jobs, Path(), 0, no_meters)]
    assert got == begun
    return got


def test_nothing_begins_that_the_budget_has_no_room_for() -> None:
    clock = Clock()
    budget = Budget(100.0, clock)
    # After the third, another as long as the longest would be late.
    assert done_in(budget, clock, [20, 30, 25, 5]) == [0, 1, 2]
    assert not budget.has_room
    assert done_in(budget, clock, [1]) == []


def test_what_was_begun_is_done() -> None:
    clock = Clock()
    assert done_in(Budget(100.0, clock), clock, [500, 1]) == [0]


def test_without_a_bound_all_is_done() -> None:
    clock = Clock()
    assert done_in(Budget(float("inf"), clock), clock, [1e9] * 5) == [0, 1, 2, 3, 4]
