from __future__ import annotations

import gzip
import json

from hypothesis import given
from hypothesis import strategies as st

from syncbot.suites.differences import ABSENT, differences, grouped, message, where
from syncbot.verify.suite.outcomes import (
    OUTCOMES,
    Cause,
    FileOutcome,
    Frame,
    SuiteOutcome,
    SuiteTest,
    as_evidence,
    noted,
)


def suite(*tests: SuiteTest) -> SuiteOutcome:
    """A suite with these tests, in their order."""
    files: dict[str, list[SuiteTest]] = {}
    for test in tests:
        files.setdefault(test.file, []).append(test)
    return SuiteOutcome("d" * 64, {file: FileOutcome(tuple(found)) for file, found in files.items()})


def passing(*nodes: str) -> SuiteOutcome:
    return suite(*(SuiteTest(node, "pass") for node in nodes))


def failing(node: str, outcome: str = "fail", text: str = "") -> SuiteTest:
    return SuiteTest(node, outcome, cause=Cause("ValueError", text))


def test_what_passes_before_and_not_after_is_a_difference() -> None:
    before = suite(*(SuiteTest(f"t.py::{name}", "pass") for name in "abcdef"), failing("t.py::g"))
    outcomes = zip("abcdeg", ("pass", "fail", "over", "crash", "skip", "fail"), strict=True)
    after = suite(*(failing(f"t.py::{name}", outcome) for name, outcome in outcomes))
    found = {each.node[-1]: each.outcome for each in differences(before, after)}
    assert found == {"b": "fail", "c": "over", "d": "crash", "e": "skip", "f": ABSENT}
    assert differences(before, before) == []


def test_parameters_that_only_have_another_number_match_in_their_order() -> None:
    before = passing("t.py::a[config0]", "t.py::a[config1]", "t.py::b[x]", "t.py::b[y]")
    after = suite(
        SuiteTest("t.py::a[one]", "pass"),
        SuiteTest("t.py::a[config1]", "pass"),
        failing("t.py::a[config2]"),
        SuiteTest("t.py::b[x]", "pass"),
    )
    found = [(each.node, each.outcome) for each in differences(before, after)]
    # The second is there by its own name; the first is the only one that is left.
    assert found == [("t.py::a[config0]", "fail"), ("t.py::b[y]", ABSENT)]


def test_a_test_of_a_file_that_is_not_collected_is_absent_for_that_reason() -> None:
    after = suite(SuiteTest("t.py", "error", cause=Cause("ImportError", "cannot import name 'x'")))
    (found,) = differences(passing("t.py::A::a"), after)
    assert (found.outcome, found.cause.message) == (ABSENT, "cannot import name 'x'")


def test_causes_are_the_same_whatever_their_numbers_and_lines() -> None:
    def cause(number: int, file: str = "plugin/a.py") -> Cause:
        frames = (
            Frame("tests/t.py", number, "test"),
            Frame(file, number, "f"),
            Frame("/lib/mock.py", 3, "g"),
        )
        return Cause("ValueError", f"{number} is not 7 for <X at 0x7f{number}> of v1\nmore {number}", frames)

    assert message(cause(12)) == message(cause(99)) == "ValueError: N is not N for <X at 0xN> of v1"
    assert where(cause(12), {"plugin", "tests"}) == "plugin/a.py: f"
    cut = Cause("AssertionError", "assert (<MagicMock i...2f0>, 1) == (<MagicMock i...20>, 1)")
    assert message(cut) == "AssertionError: assert (<MagicMock i...>, N) == (<MagicMock i...>, N)"
    counted = (
        "1 validation error for Config\n  Value error, b is 8 [type=value_error, input_type=Args]\n  See"
    )
    assert message(Cause("E", counted)) == "E: N validation error for Config: Value error, b is N"
    before = passing(*(f"t.py::{name}" for name in "abc"))
    after = suite(
        SuiteTest("t.py::a", "fail", cause=cause(1)),
        SuiteTest("t.py::b", "fail", cause=cause(2)),
        SuiteTest("t.py::c", "fail", cause=cause(2, "plugin/b.py")),
    )
    groups = grouped(differences(before, after), {"plugin"}, ("tests/ut",))
    assert [(len(each.differences), each.where) for each in groups] == [
        (2, "plugin/a.py: f"),
        (1, "plugin/b.py: f"),
    ]


def test_what_nobody_knows_the_place_of_is_named_by_the_test() -> None:
    after = suite(SuiteTest("tests/t.py::a[1]", "crash", cause=Cause("", "it ended")))
    (group,) = grouped(differences(passing("tests/t.py::a[1]"), after), {"plugin"}, ("tests",))
    assert group.where == "tests/t.py::a"


def test_half_a_line_is_no_line_and_the_worse_of_two_outcomes_counts() -> None:
    lines = [
        '{"at": "collected", "nodes": ["t.py::a"], "ran": {"p/a.py": ["f"]}}',
        '{"at": "end", "node": "t.py::a", "outcome": "pass", "seconds": 1.5, "ran": {"p/a.py": ["g"], "p/b.py": []}}',
        '{"at": "end", "node": "t.py::a", "outcome": "error", "cause": {"type": "E", "message": "m", "frames": [], "text": ""}}',
        '{"at": "begin", "no',
    ]
    found = noted(lines)
    assert [(test.outcome, test.cause and test.cause.first_line) for test in found.tests] == [
        ("error", "E: m")
    ]
    assert (found.executed, found.done) == ({"p/a.py": ("f", "g"), "p/b.py": ()}, False)
    assert noted([*lines, '{"at": "done", "modules": ["p/c.py"]}']).done


@given(st.dictionaries(st.text(min_size=1), st.sampled_from(OUTCOMES), min_size=1))
def test_evidence_has_a_line_for_each_test_sorted_and_is_the_same_each_time(tests: dict[str, str]) -> None:
    written = suite(*(SuiteTest(f"t.py::{node}", outcome) for node, outcome in tests.items()))
    text = as_evidence("v1", written)
    rows = [
        json.loads(line)
        for line in gzip.decompress(text).decode("utf-8", "surrogatepass").split("\n")
        if line
    ]
    lines = [row for row in rows if isinstance(row, list)]
    assert lines == sorted(lines)
    assert {node.removeprefix("t.py::"): outcome for node, outcome in lines} == tests
    assert rows[0]["counts"] == written.counts
    back = suite(*reversed(written.files["t.py"].tests))
    assert as_evidence("v1", back) == text
