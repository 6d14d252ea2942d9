"""Both versions in one text, and back to one of them."""

from __future__ import annotations

import ast
import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from syncbot.errors import ConfigurationError, UsageError
from syncbot.patching.errors import CannotRewrite, NoMatch
from syncbot.version_gates.remove_gates import ungated
from syncbot.version_gates.version_tests import Gate
from syncbot.version_gates.write_gates import gated

GATE = Gate('up_is("{version}")', "from mine.utils import up_is")


def text(code: str) -> str:
    return textwrap.dedent(code).lstrip("\n")


BEFORE = text(
    '''
    """Doc."""

    from __future__ import annotations

    import os
    from up.old import Thing  # what we need


    class Mine(Thing):
        """Mine."""

        def run(self, x):
            # before the call
            self.call(x)
            return 1

        def size(self):
            return 1
    '''
)
AFTER = (
    BEFORE.replace("up.old", "up.new")
    .replace("self.call(x)", "self.call(x, None)")
    .replace("def size(self)", "def size(self, spec)")
)


def test_imports_statements_and_signatures_are_gated() -> None:
    assert gated(BEFORE, AFTER, GATE, "1.2.0", "mine/a.py") == text(
        '''
        """Doc."""

        from __future__ import annotations

        from mine.utils import up_is
        import os
        if up_is("1.2.0"):
            from up.old import Thing  # what we need
        else:
            from up.new import Thing  # what we need


        class Mine(Thing):
            """Mine."""

            def run(self, x):
                # before the call
                if up_is("1.2.0"):
                    self.call(x)
                else:
                    self.call(x, None)
                return 1

            if up_is("1.2.0"):
                def size(self):
                    return 1
            else:
                def size(self, spec):
                    return 1
        '''
    )


def test_strings_over_several_lines_stay_as_they_are() -> None:
    before = 'def f():\n    return """\n  a\n b"""\n'
    both = gated(before, before.replace("f()", "f(x)"), GATE, "1.2.0", "a.py")
    assert both.count('        return """\n  a\n b"""\n') == 2


def test_without_the_gate_it_is_the_rewritten_text() -> None:
    both = gated(BEFORE, AFTER, GATE, "1.2.0", "mine/a.py")
    assert ungated(both, GATE, ["1.2.0"], "mine/a.py") == AFTER


def test_what_is_new_or_gone_is_gated_alone() -> None:
    before, after = "import a\n\nf()\n", "import a\n\nf()\ng()\n"
    assert gated(
        before, after, Gate("a.v({version!r})".replace("{version!r}", "'{version}'")), "1", "x.py"
    ) == ("import a\n\nf()\nif not a.v('1'):\n    g()\n")
    assert gated(after, before, Gate("a.v('{version}')"), "1", "x.py") == (
        "import a\n\nf()\nif a.v('1'):\n    g()\n"
    )


@pytest.mark.parametrize(
    ("before", "path", "words"),
    [
        ("def f():\n\treturn 1\n", "a.py", "tabs"),
        ("x = 1; y = 2\n", "a.py", "several statements on one line"),
        ("x = 1\n", "src/mine/utils.py", "defines the gate itself"),
    ],
)
def test_what_cannot_be_gated_is_refused(before: str, path: str, words: str) -> None:
    with pytest.raises(CannotRewrite, match=words):
        gated(before, before.replace("1", "3"), GATE, "1.2.0", path)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("if up_is('1'):\n    a()\nelse:\n    # why\n    b()\n", "# why\nb()\n"),
        ("# above\nif not up_is('1'):\n    a()\nc()\n", "# above\na()\nc()\n"),
        ("if up_is('1'):\n    a()\nc()\n", "c()\n"),
        ("if x:\n    a()\nelif up_is('1'):\n    b()\nelse:\n    c()\n", "if x:\n    a()\nelse:\n    c()\n"),
        ("if up_is('1'):\n    a()\nelif x:\n    b()\n", "if x:\n    b()\n"),
        ("if up_is('1') or x:\n    a()\n", "if x:\n    a()\n"),
        ("if up_is('1') or up_is('2'):\n    a()\nelse:\n    b()\n", "b()\n"),
        ("if x and up_is('1'):\n    a()\nelse:\n    b()\n", "b()\n"),
        ("if x and not up_is('1'):\n    a()\n", "if x:\n    a()\n"),
        ("y = a if up_is('1') else b\n", "y = b\n"),
        ("y = z[c.d if up_is('1') else 0]\n", "y = z[0]\n"),
        ("def f():\n    if up_is('1'):\n        a()\n", "def f():\n    pass\n"),
        ("while x and not up_is('1'):\n    a()\n", "while x:\n    a()\n"),
    ],
)
def test_gates_fall_to_the_other_branch(before: str, after: str) -> None:
    start = "from mine.utils import up_is\n"
    assert ungated(start + before, GATE, ["1", "2"], "a.py") == after


def test_an_import_in_use_stays() -> None:
    code = "from mine.utils import other, up_is\nif up_is('1'):\n    a()\n"
    assert ungated(code, GATE, ["1"], "a.py") == "from mine.utils import other\n"
    kept = code + "if up_is('3'):\n    b()\n"
    assert ungated(kept, GATE, ["1"], "a.py").startswith("from mine.utils import other, up_is\n")


@pytest.mark.parametrize(
    "code",
    [
        "if up_is('2'):\n    a()\n",
        "if other_is('1'):\n    a()\n",
        "x = 'up_is(1)'\n",
        "if up_is(v):\n    '1'\n",
    ],
)
def test_other_gates_are_no_match(code: str) -> None:
    with pytest.raises(NoMatch):
        ungated(code, GATE, ["1"], "a.py")


@pytest.mark.parametrize("expression", ["up_is('1')", "up_is('{version}'"])
def test_a_gate_needs_a_version_and_syntax(expression: str) -> None:
    with pytest.raises(ConfigurationError):
        Gate(expression)


LINES = st.sampled_from(
    ["a()", "from up import x", "x = '''\n  s\n'''", "def f(p):\n    return p", "if q:\n    a()\nelse:\n    b()",
     "class C:\n    def m(self): return 1", "for i in y:\n    c(i)\n    d(i)", "# note", ""]
)  # fmt: skip
PROGRAMS = st.lists(LINES, min_size=1, max_size=6).map(lambda parts: "import s\n" + "\n".join(parts) + "\n")


@pytest.mark.long
@given(
    PROGRAMS, st.sampled_from([("a()", "a(1)"), ("up", "down"), ("return", "yield"), ("c(i)", "e(i)\n    f")])
)
def test_gating_and_ungating_is_the_rewriting(before: str, change: tuple[str, str]) -> None:
    after = before.replace(*change)
    try:
        both = gated(before, after, GATE, "1.2.0", "a.py")
    except CannotRewrite:
        return
    compile(both, "a.py", "exec")
    if before != after:
        assert ast.dump(ast.parse(ungated(both, GATE, ["1.2.0"], "a.py"))) == ast.dump(ast.parse(after))


def test_a_byte_order_mark_is_no_syntax_error() -> None:
    assert ungated("\ufeffif up_is('1'):\n    a()\nelse:\n    b()\n", GATE, ["1"], "a.py") == "\ufeffb()\n"


def test_a_version_that_breaks_the_test_is_refused() -> None:
    with pytest.raises(UsageError, match="is not a version as gates have it"):
        Gate('up_is("{version}")').normal('1.0"); evil("')
