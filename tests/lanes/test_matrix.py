from __future__ import annotations

from pathlib import Path

import pytest

from syncbot.errors import ConfigurationError, UsageError
from syncbot.lanes import matrix
from syncbot.lanes.dependence import Present, Sources
from syncbot.lanes.evidence import Evidence
from syncbot.lanes.matrix import Lane, Matrix

TEXT = """\
upstream: up
baseline: v2.0.0
lanes:
  - {tag: v1.0.0, wheel: 1.0.0.post3, python: ">=3.10", stack: {torch: 2.13.0, cann: null}, sources: abc}
  - {tag: v2.0.0, wheel: 2.0.0, python: ">=3.10"}
"""
PASSED = Evidence(status="pass", command="syncbot verify", date="2026-01-01", digest="abc")


def test_it_reads_and_writes_as_the_same_text(tmp_path: Path) -> None:
    read = matrix.parse(TEXT).with_evidence("1.0.0", "static", PASSED)
    matrix.save(read, tmp_path / "m.yaml")
    again = matrix.load(tmp_path / "m.yaml")
    assert matrix.dump(again) == matrix.dump(read) == (tmp_path / "m.yaml").read_text()
    assert [lane.tag for lane in again] == ["v2.0.0", "v1.0.0"]
    assert again.lane("v1.0.0").stack == {"torch": "2.13.0", "cann": None}


def test_a_status_is_only_claimed_for_what_was_checked() -> None:
    now = Present(Sources({"a.py": b"A = 1"}))
    passed = PASSED.model_copy(update={"digest": now.digest(None, None)})
    lane = matrix.parse(TEXT).with_evidence("v1.0.0", "static", passed).lane("1.0.0")
    assert lane.marked(now).shown("static") == "pass"
    assert lane.shown("simulate") == "unknown"
    assert lane.marked(Present(Sources({"a.py": b"A = 2"}))).shown("static") == "stale"
    assert lane.marked(Present(Sources({"a.py": b"A = 2"}))).marked(now) == lane


def test_the_stack_of_runs_is_that_of_the_lane_but_for_what_replaces_it() -> None:
    text = TEXT.replace("sources: abc", "sources: abc, simulated_with: {torch: 2.14.0}")
    assert matrix.parse(text).lane("v1.0.0").simulated == {"torch": "2.14.0", "cann": None}
    assert matrix.parse(TEXT).lane("v1.0.0").simulated == {"torch": "2.13.0", "cann": None}


def test_a_lane_claims_what_its_tier_names() -> None:
    text = TEXT.replace("lanes:", "tiers: {core: [static, simulate-a-*]}\nlanes:")
    listed = matrix.parse(text.replace("sources: abc", "claimed: core"))
    known = ["static", "simulate-a-v1", "simulate-b-v1"]
    assert listed.claimed(listed.lane("v1.0.0"), known) == ["simulate-a-v1", "static"]
    # A lane without a tier claims what there is evidence of.
    assert listed.claimed(listed.lane("v2.0.0"), known) == []
    assert listed.with_evidence("v1.0.0", "x", PASSED).claimed(listed.lane("v2.0.0"), known) == ["x"]
    with pytest.raises(ConfigurationError, match="claims the tier 'most'; known: core"):
        matrix.parse(text.replace("sources: abc", "claimed: most"))


def test_a_tier_leaves_out_what_a_pattern_says_after_an_exclamation_mark() -> None:
    text = TEXT.replace("lanes:", "tiers: {most: ['*', '!simulate-*_half-*']}\nlanes:")
    listed = matrix.parse(text.replace("sources: abc", "claimed: most"))
    known = ["static", "simulate-a-v1", "simulate-a_half-v1"]
    assert listed.claimed(listed.lane("v1.0.0"), known) == ["simulate-a-v1", "static"]


def test_evidence_that_an_earlier_version_wrote_is_kept(tmp_path: Path) -> None:
    former = """
    beside: b
    parts: {a.b: c}
    checks:
      simulate-a-v1: {status: pass, command: run a, date: '2026-01-01', digest: abcdef, beside: b, used: a.b}
"""
    head = "upstream: up\nbaseline: v2.0.0\nlanes:\n  - tag: v2.0.0\n    wheel: 2.0.0\n    python: '>=3.10'"
    (tmp_path / "m.yaml").write_text(head + former)
    read = matrix.load(tmp_path / "m.yaml")
    matrix.save(read, tmp_path / "m.yaml")
    assert "simulate-a-v1: stale abcdef 2026-01-01\n" in (tmp_path / "m.yaml").read_text()
    assert "beside" not in (tmp_path / "m.yaml").read_text()
    again = matrix.load(tmp_path / "m.yaml")
    assert again == read
    assert again.lane("2.0.0").checks["simulate-a-v1"].command == "run a"
    # Nobody knows what it executed.
    assert again.lane("2.0.0").checks["simulate-a-v1"].status == "pass"
    assert again.lane("2.0.0").shown("simulate-a-v1") == "stale"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("baseline:", "baselin:", "m.yaml: unknown key 'baselin'; the nearest is 'baseline'"),
        ("wheel: 2.0.0", "whel: 2.0.0", "m.yaml: unknown key 'lanes[1].whel'; the nearest is 'wheel'"),
        ("baseline: v2.0.0", "baseline: v3.0.0", "m.yaml: the document: the baseline v3.0.0 is not one"),
        ("wheel: 2.0.0", "wheel: 2.0.1", "m.yaml: lanes[1]: wheel '2.0.1' of lane v2.0.0 must be 2.0.0"),
        ("tag: v2.0.0", "tag: v1.0.0", "m.yaml: lanes[1]: wheel"),
        ('">=3.10", stack', "3.x, stack", "m.yaml: lanes[0].python: '3.x' is not a PEP 440 specifier"),
        (
            "sources: abc",
            "simulated_with: {cuda: '1'}",
            "m.yaml: lanes[0]: simulated_with of lane v1.0.0 names cuda, which its stack does not",
        ),
        ("sources: abc", "checks: {static: {status: pass}}", "m.yaml: lanes[0].checks.static: the status"),
        ("upstream: up", "upstream: [up", "m.yaml:2: not valid YAML"),
    ],
)
def test_a_mistake_is_told_in_one_line(old: str, new: str, message: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        matrix.parse(TEXT.replace(old, new, 1), "m.yaml")
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


def test_unknown_lanes_are_refused() -> None:
    with pytest.raises(UsageError, match=r"no lane '3' in the matrix; it has v1\.0\.0, v2\.0\.0"):
        matrix.parse(TEXT).lane("3")


def test_lanes_are_not_listed_twice() -> None:
    lane = Lane(tag="v1.0.0", wheel="1.0.0", python=">=3.10")
    with pytest.raises(ValueError, match="listed twice"):
        Matrix(upstream="up", baseline="v1.0.0", lanes=(lane, lane))
