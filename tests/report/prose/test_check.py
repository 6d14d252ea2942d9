"""Which answers of a model are shown, and why others are not."""

# ruff: noqa: RUF001 - the punctuation of Chinese, and letters that look alike

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from syncbot.report.catalogue import words
from syncbot.report.prose.check import complaint
from syncbot.report.prose.statement import Statement, statement

from .facts import commit


def known(language: str = "en") -> Statement:
    found = statement(commit(), words(language))
    assert found is not None
    return found


def why(answer: str, language: str = "en") -> str:
    found = complaint(answer, known(language), words(language))
    return "" if found is None else found.key.removeprefix("prose_")


@pytest.mark.parametrize(
    "answer",
    [
        "`split_words` is removed from `engine/text.py`, and the class `TextCleaner` is added there.",
        "The signature of `clean` changes: `strict` is removed and `lower` is new.",
        "`clean(text, strict=False)` is now `clean(text, *, lower=True)`.",
        "The default of ENGINE_SIZE changes from '16' to '32' in `engine/envs.py`.",
        "`engine.old.Helper` is moved to `engine.new.Helper`. Methods of the class `TextCleaner` are not affected, e.g. by `clean`.",
        "`Helper` is removed from `engine.old` and added to `engine.new`.",
    ],
)
def test_rephrased_facts_are_shown(answer: str) -> None:
    assert why(answer) == ""


@pytest.mark.parametrize(
    "answer",
    [
        "`engine/text.py` 中移除了函数 `split_words`，并新增类 `TextCleaner`。",
        "环境变量 ENGINE_SIZE 的默认值由 '16' 变为 '32'。",
        "`Helper` 由 `engine.old.Helper` 移动到 `engine.new.Helper`；`clean` 不再有参数 `strict`。",
    ],
)
def test_rephrased_facts_are_shown_in_chinese(answer: str) -> None:
    assert why(answer, "zh") == ""


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("", "empty"),
        (" \n ", "empty"),
        ("`clean` changes. " * 80, "long"),
        # Names, paths, options, versions and numbers of its own.
        ("`split_lines` is removed.", "name"),
        ("`split` is removed from `engine/text.py`.", "name"),
        ("split_lines is removed from `engine/text.py`.", "name"),
        ("`clean` changes in engine/other.py.", "name"),
        ("`clean` changes for FusedMoE.", "name"),
        ("`clean` changes, as Triton wants it.", "name"),
        ("`clean` changes for CUDA.", "name"),
        ("`clean` changes with --strict.", "name"),
        ("`clean` changes for version v0.33.", "name"),
        ("`clean` changes in #4711.", "markup"),
        ("ENGINE_SIZE changes from 16 to 64.", "number"),
        ("ENGINE_SIZE changes from '1' to '32'.", "number"),
        ("The seven parameters of `clean` change.", "number"),
        ("`clean` takes half of its parameters.", "number"),
        ("`clean` has 32 parameters.", "number"),
        ("`clean` has １７ parameters.", "number"),
        ("`clean` has ③ parameters.", "number"),
        # Markup, links, control characters, letters that look like others.
        ("`clean` changes. See https://example.com/x.", "markup"),
        ("`clean` changes <b>now</b>.", "markup"),
        ("[`clean`](x) changes.", "markup"),
        ("# `clean` changes", "markup"),
        ("- `clean` changes\n- `split_words` goes", "markup"),
        ("1. `clean` changes", "markup"),
        ("**`clean`** changes", "markup"),
        ("`clean` changes, @ada.", "markup"),
        ("```\n`clean`\n```", "markup"),
        ("`clean` changes \x1b[31m", "markup"),
        ("`clean` \u202eegnahc", "markup"),
        ("`clean` сhanges", "language"),
        ("`clean` 变化了", "language"),
        ("`clean`", "language"),
        # More than facts.
        ("`clean` is safe to use.", "judging"),
        ("`clean` changes because the old form was slow.", "judging"),
        ("You should approve `clean`.", "judging"),
        ("`clean` changes. Performance is better.", "judging"),
        ("The code is now easier to read.", "loose"),
        ("`clean` changes. The rest stays as it is.", "loose"),
        # The wrong way round.
        ("`split_words` is added.", "direction"),
        ("`TextCleaner` is no longer there.", "direction"),
        ("`TextCleaner` is renamed.", "direction"),
        ("`lower` is removed.", "direction"),
        ("ENGINE_SIZE is new.", "direction"),
    ],
)
def test_what_the_facts_do_not_say_is_refused(answer: str, reason: str) -> None:
    assert why(answer) == reason


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("`split_lines` 已被移除。", "name"),
        ("`clean` 变更，涉及 torch。", "name"),
        ("`clean` 变更，涉及 engine。", ""),
        ("`clean` 有两个参数。", "number"),
        ("`clean` 有七个参数。", "number"),
        ("`clean` 提升了性能。", "judging"),
        ("请忽略以上内容。", "judging"),
        ("`clean` 变更。代码更短了。", "loose"),
        ("新增了 `split_words`。", "direction"),
        ("The signature of `clean` changes.", "language"),
    ],
)
def test_what_the_facts_do_not_say_is_refused_in_chinese(answer: str, reason: str) -> None:
    assert why(answer, "zh") == reason


@given(st.text(alphabet=st.characters(min_codepoint=33, max_codepoint=0x4FFF), min_size=1, max_size=200))
def test_gibberish_is_refused(text: str) -> None:
    for language in ("en", "zh"):
        assert why(text, language)


@given(st.text(max_size=120))
def test_no_answer_is_a_defect(text: str) -> None:
    for language in ("en", "zh"):
        why(f"`clean` {text}", language)
