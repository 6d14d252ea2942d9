from __future__ import annotations

import pytest

from syncbot.patching.errors import CannotRewrite, NoMatch
from syncbot.patching.rewrites.import_added import ImportAdded
from syncbot.patching.source import Source

from .cases import text

PATH = "src/mine/a.py"
THING = ImportAdded(file=PATH, symbol="up.b.Thing")
RULE = ImportAdded(file="a.py", within="imports_inside", symbol="up.inside.Thing")
EXAMPLES = [RULE]
PROGRAMS = ["def imports_inside():\n    import math\n\n    return math"]


def forward(rule: ImportAdded, code: str) -> str:
    return rule.forward(Source(text(code), PATH))


def test_every_section_has_its_place() -> None:
    """The future, Python's own, others, the package that the file is of."""
    code = "from mine.b import B\n"
    for symbol in ("up.b.Thing", "os", "mine.a.A", "__future__.annotations"):
        rule = ImportAdded(file=PATH, symbol=symbol)
        there = forward(rule, code)
        assert rule.backward(Source(there, PATH)) == code
        code = there
    assert code == text("""
        from __future__ import annotations

        import os

        from up.b import Thing

        from mine.a import A
        from mine.b import B
    """)


def test_two_are_added_and_taken_out_in_any_order() -> None:
    """No import leans on another one's line."""
    one, other = THING, ImportAdded(file=PATH, symbol="up.b.Other")
    code = "from up.a import A\nfrom up.c import C\n"
    both = forward(other, forward(one, code))
    assert both == forward(one, forward(other, code))
    assert one.backward(Source(other.backward(Source(both, PATH)), PATH)) == code
    assert other.backward(Source(one.backward(Source(both, PATH)), PATH)) == code


def test_line_ends_stay() -> None:
    there = THING.forward(Source("import up\r\nx = 1\r\n", PATH))
    assert there == "import up\r\nfrom up.b import Thing\r\nx = 1\r\n"
    assert THING.backward(Source(there, PATH)) == "import up\r\nx = 1\r\n"


def test_what_is_there_already_or_not_there_is_no_match() -> None:
    with pytest.raises(NoMatch, match="imports Thing already"):
        forward(THING, "from up.b import Thing\n")
    with pytest.raises(NoMatch, match=r"does not import Thing: from up\.b import Thing"):
        THING.backward(Source("from up.c import Thing\n", PATH))


def test_nothing_is_guessed() -> None:
    with pytest.raises(CannotRewrite, match=r"Thing is imported from elsewhere: from up\.c import Thing"):
        forward(THING, "from up.c import Thing\n")
    with pytest.raises(CannotRewrite, match="has no imports among which"):
        forward(THING, "x = 1\n")
    with pytest.raises(CannotRewrite, match="is not where isort has it; sort the imports"):
        THING.backward(Source("from up.c import C\nfrom up.b import Thing\n", PATH))
    with pytest.raises(CannotRewrite, match="has no imports among which"):
        THING.backward(Source("import os; from up.b import Thing\n", PATH))
    with pytest.raises(CannotRewrite, match="not valid Python"):
        THING.backward(Source("if TYPE_CHECKING:\n    from up.b import Thing\n".replace("Thing", "("), PATH))
