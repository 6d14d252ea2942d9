"""Which statements have a word in them."""

from __future__ import annotations

import ast
import re

from hypothesis import given
from hypothesis import strategies as st

from syncbot.api.statements_with_word import Spelling

PIECES = (
    "import word\n",
    "other = 1\n",
    "x = f'''{1}\n{word}'''\n",
    "@word\ndef f(a):\n    return a\n",
    "@plain\n@of(\n    word\n)\nclass C(Base):\n    def g(self):\n        self.other = 2\n",
    "class D:\n    def g(self):\n        if self:\n            return (1,\n                word)\n        return 2\n",
    "keyword = words = 3\n",
    "match x:\n    case 1:\n        word()\n    case _:\n        pass\n",
    "try:\n    pass\nexcept word:\n    pass\n",
    "def h(): pass; word\n",
)


@given(st.lists(st.sampled_from(PIECES)), st.sampled_from(["\n", "\r\n", "\r"]))
def test_a_statement_lacks_what_its_lines_lack(pieces: list[str], newline: str) -> None:
    source = "".join(pieces).replace("\n", newline)
    lines = source.splitlines()
    spelling = Spelling(source.encode(), "word")
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.stmt):
            decorators = getattr(node, "decorator_list", [])
            first = min([node.lineno, *(d.lineno for d in decorators)])
            text = "\n".join(lines[first - 1 : node.end_lineno])
            assert spelling.lacks(node) == (re.search(r"\bword\b", text) is None)
        else:
            assert not spelling.lacks(node)
