from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from syncbot.explain.definition_text import definitions

TEXT = b'''
import os
from x import Named

LIMIT: int = 3

@decorated(
    option=1,
)
@other
class Big(Base):
    """Says
class Small: at the margin, which is only words."""

    def f(
        self,
    ) -> int:
        return 1

def g(
    a,
) -> int:
    return Big
async def h(): ...
if os.name == "nt":
    def only_there(x): ...
'''


@pytest.mark.parametrize("name", ["Big", "g", "h", "only_there", "LIMIT"])
def test_what_is_defined_is_found(name: str) -> None:
    found = definitions(TEXT, name)
    assert found is not None
    assert {n.name for n in (*found.classes, *found.functions, *found.variables)} == {name}


def test_decorators_belong_to_the_definition() -> None:
    found = definitions(TEXT, "Big")
    assert found is not None
    assert found.classes[0].decorators == ("decorated(option=1)", "other")
    assert [f.name for f in found.classes[0].functions] == ["f"]


@pytest.mark.parametrize("name", ["Named", "Base", "Missing", "os", "f", "Lim", "Small"])
def test_what_is_only_named_is_not(name: str) -> None:
    assert definitions(TEXT, name) is None


@given(st.lists(st.sampled_from(["A", "B", "C"]), unique=True), st.sampled_from(["A", "B", "C", "D"]))
def test_as_many_as_there_are(names: list[str], wanted: str) -> None:
    text = "".join(f"class {name}:\n    x = 1\n\n" for name in names).encode()
    assert (definitions(text, wanted) is not None) == (wanted in names)
