"""Reports worded over the real protocol: accepted, refused, failed, kept, within the budget."""

# ruff: noqa: RUF001 - the punctuation of Chinese, and letters that look alike

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from syncbot.config import LanguageModelConfig
from syncbot.contracts.changes import ChangeKind
from syncbot.impact.model import Impact, Location, Verdict
from syncbot.report.catalogue import words
from syncbot.report.formats import render
from syncbot.report.model import Report, ReportCommit
from syncbot.report.prose.write import with_prose

from .facts import commit, report, without_facts
from .server import Server, serving

GOOD = "The signature of `clean` changes: `strict` is removed and `lower` is new."
KEY = "sk-4711-never-shown"


@pytest.fixture
def server() -> Iterator[Server]:
    with serving(Server(lambda asked: GOOD)) as running:
        yield running


def settings(server: Server, **given: Any) -> LanguageModelConfig:
    return LanguageModelConfig(base_url=server.url, model="tiny", **given)


def written(
    server: Server, cache: Path, *commits: ReportCommit, env: dict[str, str] | None = None, **given: Any
) -> Report:
    (made,) = with_prose([report(*commits)], settings(server, **given), words("en"), env or {}, cache)
    return made


def why(made: Report, n: int = 0) -> tuple[str, str]:
    wording = made.commits[n].wording
    assert wording is not None
    assert wording.text == ""
    assert wording.reason is not None
    return wording.reason.why, wording.reason.key


def test_an_answer_that_keeps_to_the_facts_is_shown_and_marked(server: Server, tmp_path: Path) -> None:
    made = written(server, tmp_path)
    text = render(made, "markdown")
    assert f"**📋 Summary**: {GOOD} *(worded by tiny from the facts below)*" in text
    assert "Worded by tiny: 1 of 1 commit; refused 0, without an answer 0, not asked 0." in text
    # The facts stand below, as they do without a model.
    assert "- New classes: `TextCleaner` in `engine/text.py`." in text
    page = render(made, "html")
    assert "The signature of <code>clean</code> changes" in page
    assert "(worded by tiny from the facts below)" in page
    (asked,) = server.asked
    assert (asked["model"], asked["temperature"], asked["max_tokens"]) == ("tiny", 0, 400)
    assert "in English" in asked["messages"][0]["content"]
    assert server.authorizations == [None]


def test_without_an_accepted_answer_the_report_is_the_factual_one(server: Server, tmp_path: Path) -> None:
    server.say = lambda asked: "`clean` is safe."
    made = written(server, tmp_path)
    assert why(made) == ("refused", "prose_judging")
    plain, shown = render(report(), "markdown"), render(made, "markdown")
    note = "*(Only the factual text is shown: the model's answer was refused: “safe” is more than a fact.)*"
    assert note in shown
    total = "Worded by tiny: 0 of 1 commit; refused 1, without an answer 0, not asked 0. The others have the factual text alone."
    assert shown.replace(f"**📋 Summary**: {note}  \n", "").replace(f"{total}\n\n", "") == plain


def test_a_second_run_asks_nobody(server: Server, tmp_path: Path) -> None:
    first = written(server, tmp_path, commit("a" * 40), commit("b" * 40))
    # The same facts are the same question.
    assert len(server.asked) == 1
    assert written(server, tmp_path, commit("a" * 40), commit("b" * 40)) == first
    assert len(server.asked) == 1
    server.url = "http://127.0.0.1:9/v1"
    assert written(server, tmp_path, requests=1, tokens=1).commits[0].wording == first.commits[0].wording


def test_another_model_and_a_refused_answer_are_kept_too(server: Server, tmp_path: Path) -> None:
    written(server, tmp_path)
    other = settings(server).model_copy(update={"model": "other"})
    server.say = lambda asked: "`nothing` of this"
    for _ in range(2):
        (made,) = with_prose([report()], other, words("en"), {}, tmp_path)
        assert why(made) == ("refused", "prose_name")
    assert len(server.asked) == 2


def test_a_damaged_answer_is_asked_for_again(server: Server, tmp_path: Path) -> None:
    written(server, tmp_path)
    (file,) = (tmp_path / "prose").iterdir()
    file.write_text("{", encoding="utf-8")
    assert written(server, tmp_path).commits[0].wording is not None
    assert len(server.asked) == 2


def test_a_commit_without_facts_is_not_asked_about(server: Server, tmp_path: Path) -> None:
    made = written(server, tmp_path, without_facts(commit()))
    assert (made.commits[0].wording, server.asked) == (None, [])
    assert "Worded by" not in render(made, "markdown")


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ({"raw": b"<html>gateway</html>"}, "prose_failed"),
        ({"raw": b"[]"}, "prose_failed"),
        ({"raw": b'{"choices": []}'}, "prose_failed"),
        ({"raw": b'{"choices": [{"message": {"content": 7}}]}'}, "prose_failed"),
        ({"raw": b"x" * (3 << 20)}, "prose_failed"),
        ({"raw": b"[" * 100_000}, "prose_failed"),
        ({"status": [500]}, "prose_failed"),
        ({"status": [401]}, "prose_failed"),
        ({"status": [429]}, "prose_failed"),
        (
            {"status": [302], "headers": {"Location": "http://127.0.0.1:9/v1/chat/completions"}},
            "prose_failed",
        ),
        ({"status": [429], "headers": {"Retry-After": "86400"}}, "prose_failed"),
        ({"pause": 3.0}, "prose_late"),
        ({"drip": 0.05}, "prose_late"),
    ],
    ids=str,
)
def test_a_failure_falls_back(server: Server, tmp_path: Path, wrong: dict[str, Any], reason: str) -> None:
    for name, value in wrong.items():
        setattr(server, name, value)
    made = written(server, tmp_path, timeout=0.4)
    assert why(made) == ("failed", reason)
    assert "Only the factual text is shown: the model's endpoint " in render(made, "markdown")
    # A failure is no answer: nothing is kept.
    assert not (tmp_path / "prose").exists()


def test_nobody_answers(server: Server, tmp_path: Path) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        server.url = f"http://127.0.0.1:{closed.getsockname()[1]}/v1"
        commits = [commit(letter * 40, subject=letter) for letter in "abcd"]
        made = written(server, tmp_path, *commits)
    assert why(made) == ("failed", "prose_failed")
    assert "the model's endpoint failed: no connection." in render(made, "markdown")
    # Whoever does not answer twice is not waited for any longer.
    assert [why(made, n)[0] for n in range(4)] == ["failed", "failed", "unasked", "unasked"]


def test_a_server_that_asks_to_wait_is_asked_again(server: Server, tmp_path: Path) -> None:
    server.status, server.headers = [429], {"Retry-After": "0"}
    made = written(server, tmp_path)
    assert made.commits[0].wording is not None
    assert made.commits[0].wording.text == GOOD
    assert len(server.asked) == 2


def test_an_answer_that_was_cut_off_is_refused(server: Server, tmp_path: Path) -> None:
    server.finish = "length"
    assert why(written(server, tmp_path)) == ("refused", "prose_cut")


def test_what_a_reasoning_model_thinks_is_left_out(server: Server, tmp_path: Path) -> None:
    server.say = lambda asked: f"<think>\nIs it safe? </think>\n\n{GOOD}\n"
    made = written(server, tmp_path)
    assert made.commits[0].wording is not None
    assert made.commits[0].wording.text == GOOD


def different(count: int) -> list[ReportCommit]:
    """Commits of which each is a question of its own, the important ones last."""
    made = []
    for n in range(count):
        base = commit(f"{n:040x}", "low" if n < count // 2 else "high")
        assert base.facts is not None
        changes = (replace(base.facts.changes[0], symbol=f"engine.text.split_{n}"), *base.facts.changes[1:])
        made.append(replace(base, facts=replace(base.facts, changes=changes)))
    return made


def worded(made: Report) -> list[bool]:
    return [c.wording is not None and bool(c.wording.text) for c in made.commits]


def test_the_budget_goes_to_the_most_important_commits(server: Server, tmp_path: Path) -> None:
    made = written(server, tmp_path, *different(4), requests=3)
    assert worded(made) == [True, False, True, True]
    assert why(made, 1) == ("unasked", "prose_budget")
    assert "not asked 1. The others have the factual text alone. Not asked: the budget of the report was used up." in render(made, "markdown")  # fmt: skip


def test_what_concerns_the_backend_comes_before_all(server: Server, tmp_path: Path) -> None:
    commits = different(4)
    place = Location("src/plugin/a.py", 1)
    impact = Impact(
        "x",
        commits[1].sha,
        7,
        "engine.text.clean",
        ChangeKind.SYMBOL_MOVED,
        Verdict.BREAKS,
        (place,),
        "moved",
    )
    made = replace(report(*commits), impacts=(impact,))
    (made,) = with_prose([made], settings(server, requests=1), words("en"), {}, tmp_path)
    assert worded(made) == [False, True, False, False]


def test_tokens_are_counted_as_the_endpoint_counts_them(server: Server, tmp_path: Path) -> None:
    server.usage = 2700
    made = written(server, tmp_path, *different(8), tokens=6000)
    # After each answer there must be room for another question and its answer.
    assert sum(worded(made)) == len(server.asked) == 2
    server.asked.clear()
    server.usage = None
    made = written(server, tmp_path / "other", *different(8), tokens=6000)
    assert 0 < sum(worded(made)) == len(server.asked) < 8
    assert not any(worded(written(server, tmp_path / "none", tokens=10)))


def test_the_key_is_sent_and_told_nobody(
    server: Server, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # A file of passwords for this host must not get in the way.
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login other password other\n", encoding="utf-8")
    monkeypatch.setenv("NETRC", str(netrc))
    env = {"PROSE_KEY": KEY}
    made = written(server, tmp_path / "a", env=env, key="PROSE_KEY")
    server.status = [401]
    server.raw = json.dumps({"error": {"message": f"Incorrect API key provided: {KEY}"}}).encode()
    failed = written(server, tmp_path / "b", env=env, key="PROSE_KEY")
    server.url = "http://127.0.0.1:9/v1"
    unreached = written(server, tmp_path / "c", env=env, key="PROSE_KEY")
    assert server.authorizations == [f"Bearer {KEY}"] * 2
    shown = [
        render(each, style) for each in (made, failed, unreached) for style in ("markdown", "html", "json")
    ]
    kept = [
        file.read_text(encoding="utf-8", errors="replace") for file in tmp_path.rglob("*") if file.is_file()
    ]
    assert not [
        text for text in (*shown, *kept, *capfd.readouterr(), repr(made), repr(failed)) if KEY in text
    ]
    assert server.told().count(KEY) == 0


@pytest.mark.parametrize("value", ["", "  ", "two words", "line\nbreak"])
def test_a_variable_that_holds_no_key(server: Server, tmp_path: Path, value: str) -> None:
    made = written(server, tmp_path, env={"PROSE_KEY": value}, key="PROSE_KEY")
    assert why(made) == ("unasked", "prose_no_key")
    assert server.asked == []
    text = render(made, "markdown")
    assert (
        "Not asked: the environment variable PROSE\\_KEY holds no key for the model's endpoint." in text
        or ("Not asked: the environment variable PROSE_KEY holds no key for the model's endpoint." in text)
    )


def test_options_outweigh_what_is_sent(server: Server, tmp_path: Path) -> None:
    written(server, tmp_path, options={"max_completion_tokens": 9, "temperature": 1})
    (asked,) = server.asked
    assert (asked["max_completion_tokens"], asked["temperature"]) == (9, 1)
    assert "max_tokens" not in asked


def test_in_chinese(server: Server, tmp_path: Path) -> None:
    text = "`engine/text.py` 中移除了函数 `split_words`。"
    server.say = lambda asked: text if "Simplified Chinese" in asked["messages"][0]["content"] else GOOD
    (made,) = with_prose([report()], settings(server), words("zh"), {}, tmp_path)
    shown = render(made, "markdown", "zh")
    assert f"**📋 变更摘要**: {text} *(由 tiny 依据下列事实撰写)*" in shown
    assert "由 tiny 撰写：1 个提交中的 1 个；" in shown
