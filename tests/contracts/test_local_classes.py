"""Classes that functions define in their bodies."""

from __future__ import annotations

import ast

from syncbot.api.extract import extract
from syncbot.api.local_classes import is_local, table_name


def test_the_table_has_them_by_names_that_no_text_has() -> None:
    table = extract(
        b"import a\nclass A:\n    def f(self):\n        from b import C\n        class B(C): ...\n"
    )
    assert [(c.name, c.bases) for c in table.classes] == [
        ("A", ()),
        (table_name(("A", "f", "B")), (table_name(("A", "f", "C")),)),
    ]
    assert [is_local(i.local) for i in table.imports] == [False, True]
    assert ast.parse(table_name(("A", "f", "B")), mode="eval")
