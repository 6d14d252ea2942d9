"""Results of functions, and the code that uses them."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

LIST = "def f():\n    return [1]\n"
YIELD = "def f():\n    yield 1\n"
TUPLE = "def f():\n    return 1, 2\n"
DATA = """
from dataclasses import dataclass

@dataclass
class Pair:
    a: int
    b: int

def f() -> Pair:
    return Pair(1, 2)
"""
NAMED = DATA.replace("from dataclasses import dataclass", "from typing import NamedTuple").replace(
    "@dataclass\nclass Pair:", "class Pair(NamedTuple):"
)
USE = "from lib.a import f\n\ndef g():\n    "


@pytest.mark.parametrize(
    ("old", "new", "use"),
    [
        pytest.param(LIST, YIELD, "return f()[0]", id="list to generator, indexed"),
        pytest.param(LIST, YIELD, "x = f(); return len(x)", id="counted through a variable"),
        pytest.param(
            LIST.replace("f()", "f() -> list[int]"),
            "from typing import Iterator\n" + LIST.replace("f()", "f() -> Iterator[int]"),
            "return f()[0]",
            id="annotated",
        ),
        pytest.param(YIELD, LIST, "return next(f())", id="generator to list"),
        pytest.param(TUPLE, DATA, "a, b = f()", id="tuple to data class, unpacked"),
        pytest.param(TUPLE, DATA, "x = f(); a, b = x", id="unpacked later"),
        pytest.param(TUPLE, DATA, "return f()[1]", id="tuple to data class, indexed"),
        pytest.param(
            TUPLE, NAMED.replace("b: int", "b: int\n    c: int = 0"), "a, b = f()", id="longer named tuple"
        ),
        pytest.param(DATA, TUPLE, "return f().a", id="data class to tuple"),
        pytest.param(
            DATA,
            DATA + "\nclass Other:\n    pass\n\ndef f() -> Other:\n    return Other()\n",
            "x = f(); return x.a",
            id="object without the attribute",
        ),
    ],
)
def test_results_of_another_kind(old: str, new: str, use: str) -> None:
    # That the class of the old result is gone may be told as well, as a risk.
    found = [row for row in compare(old, new, USE + use + "\n") if not row.startswith("name-vanished")]
    assert found[0] == "return-kind-changed lib.a.f breaks 4"
    assert found[1:] in ([], ["return-type-changed lib.a.f at-risk 4"])


@pytest.mark.parametrize(
    ("old", "new", "use"),
    [
        pytest.param(TUPLE, NAMED, "a, b = f()", id="named tuple, unpacked"),
        pytest.param(TUPLE, NAMED, "return f()[1]", id="named tuple, indexed"),
        pytest.param(LIST, YIELD, "return [x for x in f()]", id="only iterated"),
        pytest.param(LIST, TUPLE, "return f()[0]", id="list to tuple"),
        pytest.param(LIST, "def f():\n    return make()\n", "return f()[0]", id="nobody knows"),
        pytest.param(
            TUPLE, DATA.replace("    b: int\n", "    b: int\n\n    def __iter__(self):\n        yield 1\n"),
            "a, b = f()", id="data class that can be iterated",
        ),
        pytest.param(
            TUPLE, DATA.replace("class Pair:", "class Pair(Foreign):"), "a, b = f()", id="base nobody sees"
        ),
        pytest.param(LIST, YIELD, "x = f(); x = [1]; return x[0]", id="bound anew"),
        pytest.param(
            DATA,
            DATA + "\nclass More(Pair):\n    pass\n\ndef f() -> More:\n    return More(1, 2)\n",
            "return f().a",
            id="object that has the attribute",
        ),
    ],
)  # fmt: skip
def test_results_that_still_serve(old: str, new: str, use: str) -> None:
    assert compare(old, new, USE + use + "\n") == []


def test_one_class_that_lost_an_attribute_is_told_once() -> None:
    found = compare(DATA, DATA.replace("    a: int\n", ""), USE + "return f().a\n")
    assert found == ["attribute-removed lib.a.Pair.a breaks 4 a"]


EITHER = "from typing import Optional, Union\nclass A: ...\ndef f() -> {}: ...\n"
PAIRS = "Union[tuple[None, None], tuple[A, None], tuple[A, A]]"


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        pytest.param(PAIRS, "Optional[A]", "return-kind-changed", id="an object"),
        pytest.param(PAIRS, "tuple[A, A, A]", "return-shape-changed", id="longer"),
        pytest.param("tuple[A, A] | tuple[A, None]", "A | None", "return-kind-changed", id="with a bar"),
        pytest.param(PAIRS, "tuple[A, A]", "", id="of the same length"),
        pytest.param(PAIRS, "Union[tuple[A, A], tuple[A, A, A]]", "", id="of either length"),
        pytest.param(PAIRS, "Union[tuple[A, A], A]", "", id="maybe a tuple"),
        pytest.param("Union[tuple[A, A], list[A]]", "tuple[A, A, A]", "", id="maybe a list before"),
    ],
)
def test_unions_of_tuples_that_are_unpacked(old: str, new: str, told: str) -> None:
    rows = compare(EITHER.format(old), EITHER.format(new), USE + "a, b = f()\n")
    assert rows == ([f"{told} lib.a.f breaks 4"] if told else [])


BYTES = "def f():\n    return b'x'\n"


@pytest.mark.parametrize(
    ("old", "new", "use", "told"),
    [
        (BYTES, "def f() -> str:\n    return 'x'\n", "return f().decode()", True),
        (BYTES.replace("()", "() -> bytes"), "def f() -> str: ...\n", "x = f(); return x.decode()", True),
        (BYTES, "def f() -> str:\n    return 'x'\n", "return f().upper()", False),
        (BYTES, BYTES.replace("()", "() -> bytes"), "return f().encode()", False),
        (BYTES, "def f() -> str | bytes:\n    return 'x'\n", "return f().decode()", False),
    ],
)
def test_attributes_of_plain_results(old: str, new: str, use: str, told: bool) -> None:
    rows = compare(old, new, USE + use + "\n")
    assert ("return-kind-changed lib.a.f breaks 4" in rows) is told


def test_what_was_the_whole_result_is_a_part_of_it_now() -> None:
    old = "def f() -> list[int]: ...\n"
    new = "def f() -> tuple[list[int], str]: ...\n"
    use = "from lib.a import f\ndef g():\n    {}\n"
    told = ["return-type-changed lib.a.f breaks 3"]
    assert compare(old, new, use.format("x = f()")) == told
    assert compare(old, new.replace("list[int],", "set[int],"), use.format("x = f()")) == [
        told[0].replace("breaks", "at-risk")
    ]
    assert compare(old, new, use.format("return h(f())")) == [told[0].replace("breaks", "at-risk")]
    assert compare(old, new, use.format("f()")) == []


@pytest.mark.parametrize(
    ("test", "expected"),
    [
        ("lib_version_is('1')", ["return-type-changed lib.a.f at-risk 3"]),
        ("NEW_VERSION", ["return-type-changed lib.a.f at-risk 3"]),
        ("flag", ["return-type-changed lib.a.f breaks 3"]),
        ("needs_conversion(flag)", ["return-type-changed lib.a.f breaks 3"]),
    ],
)
def test_a_result_that_is_used_by_the_version_is_no_break(test: str, expected: list[str]) -> None:
    old = "def f() -> list[int]: ...\n"
    new = "def f() -> tuple[list[int], str]: ...\n"
    use = f"x = f()\n    if {test}:\n        y = x\n    else:\n        y, z = x\n"
    assert compare(old, new, f"from lib.a import f\ndef g(flag):\n    {use}") == expected


@pytest.mark.parametrize(
    ("base", "told"),
    [("(msgspec.Struct, array_like=True)", True), ("(BaseModel)", False), ("(msgspec.Struct, Other)", False)],
)
def test_an_object_that_is_no_tuple_any_more(base: str, told: bool) -> None:
    head = "import msgspec\nfrom pydantic import BaseModel\nfrom elsewhere import Other\n"
    old = f"{head}class R{base}:\n    x: int\ndef f() -> tuple[str, R]: ...\n"
    new = old.replace("tuple[str, R]", "R")
    rows = compare(old, new, "from lib.a import f\na, b = f()\n")
    assert rows == (["return-kind-changed lib.a.f breaks 2"] if told else [])


@pytest.mark.parametrize(
    ("was", "now", "expected"),
    [
        ("tuple[list[int], int]", "tuple[Blocks, int]", ["return-type-changed lib.a.f at-risk 2"]),
        ("tuple[list[int], int]", "tuple[list[int], int]", []),
        ("tuple[list[int], int]", "tuple[Any, int]", []),
        ("list[int]", "tuple[Blocks, int]", []),
    ],
)
def test_values_that_are_unpacked_and_declared_as_others(was: str, now: str, expected: list[str]) -> None:
    core = "class Blocks: ...\ndef f() -> {}: ...\n"
    found = compare(core.format(was), core.format(now), "from lib.a import f\nblocks, count = f()\n")
    assert [row for row in found if row.startswith("return-type")] == expected
