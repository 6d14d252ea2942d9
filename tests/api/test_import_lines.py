"""Import statements read without parsing."""

from __future__ import annotations

import pytest

from syncbot.api.extract import extract
from syncbot.api.import_lines import import_lines


@pytest.mark.parametrize(
    "text",
    [
        "import a\n",
        "import a.b, c as d  # more\n",
        "from a import b\nx = 1\nfrom ..c import (\n    d,  # first\n    e as f,\n)\n",
        "from . import a\nfrom .b import *\nfrom a import b, \\\n    c\n",
        "'''\n  import a\n'''\nfrom\ta.b  import\tc\r\n",
    ],
)
def test_they_are_those_of_the_table(text: str) -> None:
    """The lines that are read are the imports of the parsed module, one by one."""
    table = extract(text.encode())
    found = import_lines(text.encode())
    assert [(i.module, i.name, i.local, i.level, i.line) for i in found] == [
        (i.module, i.name, i.local, i.level, i.line) for i in table.imports
    ]


@pytest.mark.parametrize(
    "text",
    [
        "if x:\n    import a\n",
        "def f():\n    from a import b\n",
        "importlib.reload(a)\n",
        "from_a = 1\n",
        "# import a\n",
    ],
)
def test_what_is_no_statement_at_the_beginning_of_a_line(text: str) -> None:
    assert import_lines(text.encode()) == ()
