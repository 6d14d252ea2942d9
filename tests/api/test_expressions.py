"""Expressions as text: what is written fast is what the interpreter writes."""

from __future__ import annotations

import ast
import sysconfig
from pathlib import Path

import pytest

from syncbot.api.expressions import condition_text, plain


def test_what_is_written_fast_is_what_the_interpreter_writes() -> None:
    library = Path(sysconfig.get_paths()["stdlib"])
    fast = 0
    for name in ("ast", "typing", "argparse", "dataclasses", "enum", "inspect", "logging/__init__", "socket"):
        for node in ast.walk(ast.parse((library / f"{name}.py").read_bytes())):
            if isinstance(node, ast.expr) and (shown := plain(node)) is not None:
                fast += 1
                assert shown == ast.unparse(node)
            if isinstance(node, ast.If):
                assert condition_text(node.test) == ast.unparse(node.test)
    assert fast > 10_000


@pytest.mark.parametrize(
    "text",
    [
        "a | (b | c)",
        "(a | b)[c]",
        "(a == b) == c",
        "not (not a)",
        "a[b, c]",
        "a[b:c]",
        "a[*b]",
        "(1).real",
        "f(*a, **b)",
        "f((yield))",
        "f((a := b))",
        "'it\\'s'",
        "'\\n'",
        "u'x'",
        "b'x'",
        "1e400",
        "-1",
        "'{'",
        "...",
        "not a | b",
        "(not a) | b",
    ],
)
def test_texts_of_odd_expressions(text: str) -> None:
    node = ast.parse(text, mode="eval").body
    assert plain(node) in (None, ast.unparse(node))
    assert condition_text(node) == ast.unparse(node)
