"""Python 3.12 to 3.14 is read whatever Python runs."""

from __future__ import annotations

import ast

import pytest

from syncbot.api.extract import extract
from syncbot.api.newer_syntax import older
from syncbot.api.syntax import syntax_tree
from syncbot.api.usage import extract_usage
from tests.contracts.world import compare

PARAMETERS = """
def first[T: (int, str) = int, *Ts, **P](x: T, *args: *Ts) -> T:
    return x
class Box[
    T,
](Base[T], metaclass=M):
    async def get[K](self, key: K) -> T: ...
    type Inner[V] = dict[str, V]
if True:
    type Pair[A,
              B] = tuple[A, B]
type = 3
"""


def test_parameters_of_types_and_aliases() -> None:
    table = extract(PARAMETERS.encode())
    assert table.problem is None
    assert [(f.name, [p.name for p in f.parameters]) for f in table.functions] == [("first", ["x", "args"])]
    (box,) = table.classes
    assert (box.line, box.bases, box.keywords) == (4, ("Base[T]",), ("metaclass=M",))
    assert [(f.name, f.line) for f in box.functions] == [("get", 7)]
    assert [(a.name, a.value, a.line) for a in box.attributes] == [("Inner", "dict[str, V]", 8)]
    assert [(v.name, v.line) for v in table.variables] == [("Pair", 10), ("type", 12)]


STRINGS = '''
x = f"{call(a["b"])!r:>{width(1)}} {"n".join(c)=}"
y = ("one" f"{more({"k": 1}["k"])}" "two"
     f"{last()}")
z = t"{plain("t")} and {x}"
w = rf"""{
    over(  # on its own line
        "lines")
} \\d"""
v = f"{'nested' + f"{deep(f'{1}')}"}"
def f():
    f"{at['start']["x"]}"
    return f"{shape()}"
'''


def test_strings_with_expressions() -> None:
    tree = syntax_tree(STRINGS.encode())
    calls = {(c.callee, c.line) for c in extract_usage(STRINGS.encode()).calls}
    assert {
        ("call", 2),
        ("width", 2),
        ("more", 3),
        ("last", 4),
        ("plain", 5),
        ("over", 7),
        ("deep", 10),
    } <= calls
    assert len(tree.body) == 6
    assert extract(STRINGS.encode()).functions[0].returned == ("value",)


HANDLERS = """
try:
    pass
except A, b.B:
    one()
except (C, D) as e:
    two()
try:
    pass
except* E, F:
    three()
"""


def test_exceptions_without_parentheses() -> None:
    tree = syntax_tree(HANDLERS.encode())
    handlers = [h for n in tree.body if isinstance(n, ast.Try | ast.TryStar) for h in n.handlers]
    assert [ast.unparse(h.type) for h in handlers if h.type] == ["(A, b.B)", "(C, D)", "(E, F)"]
    assert [h.body[0].lineno for h in handlers] == [5, 7, 11]


@pytest.mark.parametrize(
    "text", ["x = 1\n", "f'{x}'\n", "print 'x'\n", "def f[T(x): ...\n", "type X =\n", "except A, B:\n", "\0"]
)
def test_what_is_not_newer_is_left_alone(text: str) -> None:
    assert older(text.encode()) is None


@pytest.mark.parametrize(
    "text", ["(" * 50000, "x = " + "-" * 50000 + "1 2", "f'{" * 5000, "lambda:" * 5000 + " 1 2"]
)
def test_deep_nesting_ends(text: str) -> None:
    assert older(text.encode()) is None


def test_columns_stay() -> None:
    text = "class A:\n    def f[T](self, x: T): return g(1)\n"
    node = next(n for n in ast.walk(syntax_tree(text.encode())) if isinstance(n, ast.Call))
    assert (node.lineno, node.col_offset) == (2, text.splitlines()[1].index("g(1)"))


def test_other_encodings_and_line_ends() -> None:
    text = "# -*- coding: latin-1 -*-\r\ntype X = 'é'\r\ndef f[T](é): ...\r\n"
    table = extract(text.encode("latin-1"))
    assert (table.variables[0].value, table.functions[0].line) == ("'é'", 3)
    assert table.functions[0].parameters[0].name == "é"


def test_contracts_of_both_sides() -> None:
    upstream = "class Box[T]:\n    def put(self, item: T, wide=False) -> None: ...\n"
    use = "from lib.a import *\ndef use[T](b: Box[T]):\n    print(f'{b.put(1, wide=d['k'])}')\n"
    rows = compare(upstream, upstream.replace(", wide=False", ""), use)
    assert rows == ["parameter-removed lib.a.Box.put breaks 3 wide"]
    copied = "from lib.a import Box\nclass Mine[T](Box[T]):\n    def put[K](self, item: K, wide=False): super().put(item)\n"
    assert compare(upstream, upstream + "x = 1\n", copied) == []
