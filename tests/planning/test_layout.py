"""A statement that a rewrite made too long is laid out as the project's formatter would; nothing else moves."""

from __future__ import annotations

import ast
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ruff import find_ruff_bin

from syncbot.planning.layout import laid_out
from syncbot.project_metadata.formatter_settings import FormatterSettings

PLAIN = FormatterSettings()
HEAD = "def execute(self, scheduler_output, intermediate_tensors, kv_connector_metadata{more}):"
METHOD = "class Mine:\n    {head}\n        x = {{'a':1}}\n        return x\n"


def method(more: str) -> str:
    return METHOD.format(head=HEAD.format(more=more))


def test_a_signature_that_grew_has_a_parameter_a_line_and_its_body_stays() -> None:
    found = laid_out(method(""), method(", encoder_outputs=None"), PLAIN)
    assert found == METHOD.format(
        head="def execute(\n        self,\n        scheduler_output,\n        intermediate_tensors,\n"
        "        kv_connector_metadata,\n        encoder_outputs=None,\n    ):"
    )


def test_as_long_as_the_project_lets_it_be_it_stays() -> None:
    grown = method(", encoder_outputs=None")
    assert laid_out(method(""), grown, FormatterSettings(120)) == grown
    with_long_line = "# " + "x" * 110 + "\n"
    assert laid_out(with_long_line + method(""), with_long_line + grown, PLAIN) == with_long_line + grown


def test_a_line_that_was_too_long_before_stays() -> None:
    old = "x = {'a':1}\n" + method(", encoder_outputs=None")
    assert laid_out(old, old.replace("'a':1}\nclass", "'a':2}\nclass"), FormatterSettings(60)) == old.replace(
        "'a':1}\nclass", "'a':2}\nclass"
    )


def test_calls_are_laid_out_with_the_comments_around_them() -> None:
    old = "def f(a):\n\tif a:  # first\n\t\treturn make(a, b=1)  # second\n"
    new = old.replace("b=1", "b=1, something_quite_long=a.something_quite_long, another=a.another_one")
    assert laid_out(old, new, PLAIN) == (
        "def f(a):\n\tif a:  # first\n\t\treturn make(\n\t\t\ta, b=1, something_quite_long=a.something_quite_long, "
        "another=a.another_one\n\t\t)  # second\n"
    )


@pytest.mark.parametrize(("quotes", "written"), [("preserve", "'k'"), ("double", '"k"')])
def test_strings_are_quoted_as_the_formatter_does(quotes: str, written: str) -> None:
    old, new = "x = make(a, 'k')\n", f"x = make(a, 'k', value={'v' * 80})\n"
    assert laid_out(old, new, FormatterSettings(88, quotes)) == (
        f"x = make(\n    a,\n    {written},\n    value={'v' * 80},\n)\n"
    )


def test_other_line_ends_and_marks_stay() -> None:
    old, grown = (("\ufeff" + method(more)).replace("\n", "\r\n") for more in ("", ", encoder_outputs=None"))
    found = laid_out(old, grown, PLAIN)
    assert found.count("\n") == found.count("\r\n") > grown.count("\n")
    assert found.startswith("\ufeffclass")


def test_what_cannot_be_shorter_or_read_stays() -> None:
    old, new = "x = 'a'\n", f"x = '{'a' * 200}'\n"
    assert laid_out(old, new, PLAIN) == new
    assert laid_out("x = 1\n", f"x = (  # {'y' * 100}\n", PLAIN) == f"x = (  # {'y' * 100}\n"


NAMES = st.sampled_from(["alpha_value", "beta", "gamma_gamma_gamma_gamma", "delta", "epsilon_metadata"])


@st.composite
def sources(draw: st.DrawFn) -> tuple[str, str]:
    """A module that ruff has formatted, and the same with more parameters and arguments."""
    width = draw(st.sampled_from([88, 100]))
    lines = []
    for at in range(draw(st.integers(1, 4))):
        taken = draw(st.lists(NAMES, unique=True, max_size=4))
        lines += [f"def f{at}({', '.join(taken)}):", f"    return g({', '.join(taken)})  # {at}", "", ""]
    old = formatted("\n".join(lines) + "\n", width)
    new = old.replace("(", "(first_new_parameter, second_new_parameter, third_new_one, fourth, ", 1)
    return old, new.replace(")  #", ", fifth_new_argument=fourth, sixth_new_argument=fourth)  #", 1)


def formatted(text: str, width: int = 88) -> str:
    command = [find_ruff_bin(), "format", "--isolated", "--config", f"line-length={width}", "-"]
    return subprocess.run(command, input=text.encode(), capture_output=True, check=True).stdout.decode()


@given(sources())
def test_formatted_sources_stay_formatted_and_mean_the_same(texts: tuple[str, str]) -> None:
    old, new = texts
    try:
        ast.parse(new)
    except SyntaxError:
        return
    for width in (88, 100):
        found = laid_out(old, new, FormatterSettings(width))
        assert ast.dump(ast.parse(found)) == ast.dump(ast.parse(new))
        assert laid_out(old, found, FormatterSettings(width)) == found
        assert laid_out(old, old, FormatterSettings(width)) == old
        unchanged = [line for line in new.split("\n") if line in old.split("\n") and len(line) <= width]
        assert [line for line in found.split("\n") if line in unchanged] == unchanged
