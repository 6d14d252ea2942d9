"""Whether a call binds: the same answer as Python's own, over random signatures and calls."""

from __future__ import annotations

import ast

from hypothesis import example, given
from hypothesis import strategies as st

from syncbot.api.signatures import Arguments, Signature, bind
from syncbot.api.statement_parts import parameters

NAMES = st.lists(st.sampled_from("abcdefgh"), unique=True, max_size=6)


@st.composite
def signatures(draw: st.DrawFn) -> str:
    """The text of a parameter list that Python accepts."""
    names = draw(NAMES)
    cut = sorted(draw(st.tuples(st.integers(0, len(names)), st.integers(0, len(names)))))
    first_default = draw(st.integers(0, len(names)))
    parts = []
    for index, name in enumerate(names):
        if index == cut[0] and index:
            parts.append("/")
        if index == cut[1]:
            parts.append(draw(st.sampled_from(("*", "*args"))))
        keyword_only = index >= cut[1]
        has_default = draw(st.booleans()) if keyword_only else index >= first_default
        parts.append(f"{name}=0" if has_default else name)
    if draw(st.booleans()):
        parts.append("**kwargs")
    return ", ".join(parts)


@example("a=0, /, *, b, **kwargs", 0, ["a", "b"])
@given(signatures(), st.integers(0, 7), st.lists(st.sampled_from("abcdefghz"), unique=True, max_size=5))
def test_bind_agrees_with_python(text: str, positional: int, keywords: list[str]) -> None:
    node = ast.parse(f"def f({text}): ...").body[0]
    assert isinstance(node, ast.FunctionDef)
    namespace: dict[str, object] = {}
    exec(f"def f({text}): ...", namespace)
    signature = Signature(parameters(node.args))
    try:
        # Not what inspect binds: that refuses the name of a positional-only parameter beside **kwargs.
        namespace["f"](*range(positional), **dict.fromkeys(keywords, 0))  # type: ignore[operator]
        expected = True
    except TypeError:
        expected = False
    assert (bind(signature, Arguments(positional, tuple(keywords))) == ()) is expected, text
