from __future__ import annotations

import re
from dataclasses import replace
from datetime import date

import pytest

from syncbot.errors import EnvironmentFailure, UsageError
from syncbot.publish.api import GitHub
from syncbot.publish.report_issue import DailyReport, UpgradeReport, close_older, publish

from .github_server import Fault, State

DAY = date(2026, 1, 23)
REPORT = DailyReport("# Daily report (2026-01-23)\n\n**Nothing breaks.**\n", DAY)


def long(sections: int, size: int = 9000, mark: str = "x") -> DailyReport:
    text = "".join(f"## Section {n}\n\n{mark * size}\n\n" for n in range(sections))
    return replace(REPORT, text=f"{REPORT.text}\n{text}")


def unmarked(bodies: list[str]) -> str:
    return re.sub(r"\n\n<!-- .* -->\n", "\n\n", "".join(bodies))


def test_one_issue_a_day(state: State, api: GitHub) -> None:
    said: list[str] = []
    publish(api, state.name, REPORT, said.append)
    [issue] = state.issues
    assert issue["title"] == "Daily report (2026-01-23)"
    assert issue["body"].startswith(REPORT.text)
    assert [label["name"] for label in issue["labels"]] == ["syncbot"]
    assert said == [f"issue opened: {issue['html_url']}"]
    before = len(state.writes())
    publish(api, state.name, REPORT, said.append)
    assert len(state.writes()) == before
    assert len(state.issues) == 1


def test_the_days_issue_is_edited(state: State, api: GitHub) -> None:
    publish(api, state.name, REPORT, print)
    state.issues[0]["state"] = "closed"
    changed = replace(REPORT, text="# Daily report (2026-01-23)\n\n**One line breaks.**\n")
    publish(api, state.name, changed, print)
    [issue] = state.issues
    assert issue["body"].startswith(changed.text)
    # Somebody closed it: an update is no reason to open it again.
    assert issue["state"] == "closed"
    assert [call.method for call in state.writes()] == ["POST", "POST", "PATCH"]


def test_another_day_another_label_and_others_issues_stay(state: State, api: GitHub) -> None:
    foreign = state.add("Look", f"```\n{REPORT.marker.text()}\n```\nnot at the end of mine", [])
    pull = state.add("Pull", f"{REPORT.marker.text()}", ["syncbot"], pull_request={})
    before = [dict(foreign), dict(pull)]
    publish(api, state.name, REPORT, print)
    publish(api, state.name, replace(REPORT, day=date(2026, 1, 24), text="# Report\n"), print)
    publish(api, state.name, replace(REPORT, label="other upstream"), print)
    assert [dict(foreign), dict(pull)] == before
    assert [issue["title"] for issue in state.issues[2:]] == [
        "Daily report (2026-01-23)",
        "Report (2026-01-24)",
        "Daily report (2026-01-23)",
    ]


def test_the_issue_is_found_on_a_later_page(state: State, api: GitHub) -> None:
    publish(api, state.name, REPORT, print)
    for number in range(7):
        state.add(f"Other {number}", "", ["syncbot"])
    state.page = 2
    publish(api, state.name, replace(REPORT, text="# Daily report (2026-01-23)\n\nnew\n"), print)
    assert len(state.issues) == 8
    assert "new" in state.issues[0]["body"]


def test_a_long_report_goes_on_in_comments(state: State, api: GitHub) -> None:
    report = long(20)
    publish(api, state.name, report, print)
    bodies = [state.issues[0]["body"], *state.thread(1)]
    assert len(bodies) == 3
    assert all(len(body) <= 65_536 for body in bodies)
    assert all(body.startswith("## Section") for body in bodies[1:])
    assert unmarked(bodies) == report.text
    before = len(state.writes())
    publish(api, state.name, report, print)
    assert len(state.writes()) == before


def test_comments_are_edited_added_and_deleted(state: State, api: GitHub) -> None:
    publish(api, state.name, long(20), print)
    mine = state.comment(1, f"I quote:\n{REPORT.marker.text(2)}", login="reader")
    ids = [comment["id"] for comment in state.comments]
    publish(api, state.name, long(30, mark="y"), print)
    assert [comment["id"] for comment in state.comments][: len(ids)] == ids
    assert len(state.comments) == 5
    assert (
        unmarked([state.issues[0]["body"], *(b for b in state.thread(1) if "quote" not in b)])
        == long(30, mark="y").text
    )
    publish(api, state.name, REPORT, print)
    assert state.comments == [mine]
    assert state.issues[0]["body"].startswith(REPORT.text)


def test_old_issues_are_closed_if_asked(state: State, api: GitHub) -> None:
    for day in range(1, 11):
        publish(api, state.name, replace(REPORT, day=date(2026, 1, day), text="# Report\n"), print)
    own = state.add("By hand", "no marker", ["syncbot"])
    now = replace(REPORT, day=date(2026, 1, 11), text="# Report\n")
    publish(api, state.name, now, print)
    assert {issue["state"] for issue in state.issues} == {"open"}
    publish(api, state.name, now, print)
    close_older(api, state.name, now, 7, print)
    closed = [issue["title"] for issue in state.issues if issue["state"] == "closed"]
    assert closed == ["Report (2026-01-01)", "Report (2026-01-02)", "Report (2026-01-03)"]
    assert own["state"] == "open"
    before = len(state.writes())
    publish(api, state.name, now, print)
    close_older(api, state.name, now, 7, print)
    assert len(state.writes()) == before


def upgrade(new: str, text: str = "**Nothing breaks.**") -> UpgradeReport:
    mark = f"<!-- syncbot covers lib v1.0.0 {new} -->"
    return UpgradeReport(f"# lib 1.0.0 to {new.removeprefix('v')}\n\n{text}\n\n{mark}\n")


def test_one_issue_an_upgrade(state: State, api: GitHub) -> None:
    publish(api, state.name, upgrade("v2.0.0"), print)
    publish(api, state.name, upgrade("v3.0.0"), print)
    publish(api, state.name, upgrade("v2.0.0", "**One line breaks.**"), print)
    # A report of a day is another thing, and closes none of these.
    publish(api, state.name, replace(REPORT, day=date(2030, 1, 1)), print)
    close_older(api, state.name, replace(REPORT, day=date(2030, 1, 1)), 0, print)
    titles = ["lib 1.0.0 to 2.0.0", "lib 1.0.0 to 3.0.0"]
    assert [issue["title"] for issue in state.issues[:2]] == titles
    assert "One line breaks." in state.issues[0]["body"]
    assert {issue["state"] for issue in state.issues} == {"open"}
    assert len(state.issues) == 3


def test_a_text_without_ends_is_no_upgrade(state: State, api: GitHub) -> None:
    with pytest.raises(UsageError, match="check --format upgrade"):
        publish(api, state.name, UpgradeReport("# Something else\n"), print)
    assert state.issues == []


def test_a_label_that_may_not_be_set_is_told(state: State, api: GitHub) -> None:
    state.may_label = False
    with pytest.raises(EnvironmentFailure, match="without the label 'syncbot'"):
        publish(api, state.name, REPORT, print)


def test_an_issue_that_may_have_been_made_is_looked_for(state: State, api: GitHub) -> None:
    state.faults.append(Fault("POST", "/issues$", 502, done=True))
    publish(api, state.name, REPORT, print)
    assert len(state.issues) == 1
    state.faults.append(Fault("POST", "/issues$", 502, done=False))
    publish(api, state.name, replace(REPORT, day=date(2026, 1, 24)), print)
    assert len(state.issues) == 2


def test_an_empty_report_is_none(state: State, api: GitHub) -> None:
    with pytest.raises(UsageError, match="empty"):
        publish(api, state.name, replace(REPORT, text=" \n"), print)
    assert state.calls == []


def test_a_repository_that_was_renamed(state: State, api: GitHub) -> None:
    state.old_name = "octocat/plugin"
    publish(api, state.old_name, REPORT, print)
    publish(api, state.old_name, replace(REPORT, text="# Daily report (2026-01-23)\n\nnew\n"), print)
    assert len(state.issues) == 1


@pytest.mark.parametrize(
    ("heading", "title"),
    [
        ("# Report", "Report (2026-01-23)"),
        ("# 每日更新报告 (2026-01-22)", "每日更新报告 (2026-01-22)"),
        ("# \\[x\\] <a name='y'></a>z", "[x] z (2026-01-23)"),
        ("no heading", "syncbot (2026-01-23)"),
        ("# " + "a" * 300, "a" * 255 + "…"),
    ],
)
def test_titles(heading: str, title: str) -> None:
    assert replace(REPORT, text=f"{heading}\n\ntext\n").title() == title
