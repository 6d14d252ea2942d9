"""The interface table of a module: what it holds, and that no text makes the extractor fail."""

from __future__ import annotations

import ast
import sysconfig
import warnings
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from syncbot.api.extract import extract
from syncbot.api.model import Class, ModuleTable
from tests.budget import some


def table(text: str) -> ModuleTable:
    return extract(text.encode())


def only_class(text: str) -> Class:
    (found,) = table(text).classes
    return found


def test_conditions_are_kept_with_what_they_guard() -> None:
    found = table(
        "if A:\n    x = 1\nelse:\n    def f(): ...\n"
        "try:\n    import m\nexcept ImportError:\n    class C: ...\n"
    )
    assert found.variables[0].guards == ("if A",)
    assert found.functions[0].guards == ("else A",)
    assert found.imports[0].guards == ("try ImportError",)
    assert found.classes[0].guards == ("except ImportError",)


def test_attributes_of_instances_say_where_and_when_they_are_set() -> None:
    found = only_class(
        "class C:\n    a: int = 1\n    def __init__(self, p):\n        self.b: str = p\n"
        "        if p:\n            self.c, (self.d, *self.e) = p\n        for self.f in p: ...\n"
        "        self.register_buffer('g', None)\n    @staticmethod\n    def s(self):\n        self.no = 1\n"
    )
    shown = {(a.name, a.origin, a.guards) for a in found.attributes}
    assert shown == {
        ("a", "", ()),
        ("b", "__init__", ()),
        ("c", "__init__", ("if p",)),
        ("d", "__init__", ("if p",)),
        ("e", "__init__", ("if p",)),
        ("f", "__init__", ()),
        ("g", "__init__", ()),
    }


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("self.a, self.b = f(p)", {"a": "f(p)[0]", "b": "f(p)[1]"}),
        ("self.a, other, self.b = p.q", {"a": "p.q[0]", "b": "p.q[2]"}),
        ("self.a, self.b = 1, f(p)", {"a": "1", "b": "f(p)"}),
        ("self.a, *self.b, self.c = f(p)", {"a": "f(p)[0]", "b": None, "c": None}),
        ("self.a, (self.b, self.c) = f(p)", {"a": "f(p)[0]", "b": None, "c": None}),
        ("self.a, self.b = (g(x) for x in p)", {"a": None, "b": None}),
    ],
)
def test_what_attributes_are_given_side_by_side(statement: str, expected: dict[str, str | None]) -> None:
    found = only_class(f"class C:\n    def __init__(self, p):\n        {statement}\n")
    assert {a.name: a.value for a in found.attributes} == expected


def test_results_abstract_methods_and_generators() -> None:
    found = table(
        "@abstractmethod\ndef a(): ...\ndef b():\n    raise NotImplementedError\n"
        "def c():\n    yield 1\ndef d(x):\n    if x:\n        return 1, 2\n    return None\n"
        "async def e():\n    def inner():\n        return 1, 2, 3\n    return inner()\n"
    )
    a, b, c, d, e = found.functions
    assert (a.abstract, b.unimplemented, c.is_generator, e.is_async) == (True, True, True, True)
    assert d.returned == ("none", "tuple[2]")
    assert e.returned == ("call inner",)


def test_layout_and_comments_do_not_change_a_body() -> None:
    one = table("def f(a):\n    '''What it is.'''\n    return g(a, 1)  # why\n").functions[0]
    two = table(
        "def f(a):\n    '''Something else.'''\n    # because\n    return g(\n        a, 1)\n"
    ).functions[0]
    other = table("def f(a):\n    return g(a, 2)\n").functions[0]
    assert one.body == two.body != other.body


@pytest.mark.parametrize(
    "text",
    [
        b"def f(:\n",
        b"\x00",
        b"# coding: nonsense\nx = 1\n",
        b"x = '\xff\xfe'\n",
        b"type X[T] = list[T\n",
        b"(" * 100_000,
        b"x = " + b"-" * 200_000 + b"1\n",
    ],
    ids=["syntax", "null", "coding", "bytes", "new syntax", "parentheses", "deep"],
)
def test_what_does_not_parse_is_a_problem_and_nothing_else(text: bytes) -> None:
    found = extract(text)
    assert found.problem
    assert found == ModuleTable(problem=found.problem)


@pytest.mark.parametrize("terms", [300, 400, 1000, 2000])
def test_a_long_sum_does_not_hide_the_rest_of_its_module(terms: int) -> None:
    text = f"x = {' + '.join(['1'] * terms)}\ndef f(a): ...\n"
    assert _parses(text.encode())
    found = table(text)
    assert found.problem is None
    assert [variable.name for variable in found.variables] == ["x"]
    assert [function.name for function in found.functions] == ["f"]


def test_every_form_of_import() -> None:
    found = table(
        "import a\nimport b.c\nimport d.e as f\nfrom g import h, i as j\nfrom . import k\n"
        "from ..l.m import n\nfrom o import *\nif TYPE_CHECKING:\n    import p\n"
    )
    assert [(i.module, i.name, i.local, i.level, i.guards) for i in found.imports] == [
        ("a", None, "a", 0, ()),
        ("b.c", None, "b", 0, ()),
        ("d.e", None, "f", 0, ()),
        ("g", "h", "h", 0, ()),
        ("g", "i", "j", 0, ()),
        ("", "k", "k", 1, ()),
        ("l.m", "n", "n", 2, ()),
        ("o", "*", "*", 0, ()),
        ("p", None, "p", 0, ("if TYPE_CHECKING",)),
    ]


def test_every_kind_of_parameter() -> None:
    (found,) = table("def f(a, b: int = 1, /, c='x', *d: str, e, f=None, **g) -> int: ...\n").functions
    assert [(p.name, p.kind, p.default, p.annotation, p.required) for p in found.parameters] == [
        ("a", "pos", None, None, True),
        ("b", "pos", "1", "int", False),
        ("c", "any", "'x'", None, False),
        ("d", "*", None, "str", False),
        ("e", "key", None, None, True),
        ("f", "key", "None", None, False),
        ("g", "**", None, None, False),
    ]
    assert found.annotation == "int"


def test_overloads_and_second_definitions_are_all_kept() -> None:
    found = table(
        "@overload\ndef f(a: int): ...\n@overload\ndef f(a: str): ...\ndef f(a): return a\n"
        "if sys.platform == 'linux':\n    def g(): ...\nelse:\n    def g(x): ...\n"
    )
    assert [(f.name, f.decorators, len(f.parameters), f.guards) for f in found.functions] == [
        ("f", ("overload",), 1, ()),
        ("f", ("overload",), 1, ()),
        ("f", (), 1, ()),
        ("g", (), 0, ("if sys.platform == 'linux'",)),
        ("g", (), 1, ("else sys.platform == 'linux'",)),
    ]


def test_a_match_guards_by_subject_and_pattern() -> None:
    found = table("match kind:\n    case 'a' | 'b':\n        x = 1\n    case _:\n        x = 2\n")
    assert [v.guards for v in found.variables] == [("if kind is 'a' | 'b'",), ("if kind is _",)]


def test_the_branches_of_a_try() -> None:
    found = table(
        "try:\n    a = 1\nexcept (KeyError, ValueError):\n    b = 1\nexcept:\n    c = 1\nelse:\n    d = 1\n"
        "finally:\n    e = 1\ntry:\n    f = 1\nfinally:\n    g = 1\n"
    )
    assert {v.name: v.guards for v in found.variables} == {
        "a": ("try (KeyError, ValueError),BaseException",),
        "b": ("except (KeyError, ValueError)",),
        "c": ("except BaseException",),
        "d": (), "e": (), "f": (), "g": (),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "exports"),
    [
        ("__all__ = ['a', 'b']\n", ("a", "b")),
        ("__all__ = ('a',)\n", ("a",)),
        ("__all__ = []\n", ()),
        ("__all__: list[str] = ['a']\n", ("a",)),
        ("__all__ = ['a'] + m.__all__\n", None),
        ("__all__ = ['a']\n__all__ += ['b']\n", None),
        ("__all__ = ['a']\n__all__.append('b')\n", None),
        ("__all__ = ['a']\nif T:\n    __all__.extend(['b'])\n", None),
        ("__all__ = [name for name in dir()]\n", None),
        ("x = 1\n", None),
    ],
)
def test_exports_are_known_where_they_are_literal(text: str, exports: tuple[str, ...] | None) -> None:
    assert table(text).exports == exports


@pytest.mark.parametrize(
    ("text", "dynamic"),
    [
        ("def __getattr__(name): ...\n", True),
        ("__getattr__ = partial(served, names=NAMES)\n", True),
        ("globals().update(x=1)\n", True),
        ("sys.modules[__name__] = Lazy()\n", True),
        ("setattr(module, 'x', 1)\n", True),
        ("class C:\n    def __getattr__(self, name): ...\n", False),
        ("def f():\n    globals().update(x=1)\n", False),
        ("x = sys.modules[__name__]\n", False),
    ],
)
def test_modules_that_may_have_more_names(text: str, dynamic: bool) -> None:
    assert table(text).dynamic is dynamic


def test_nested_classes_bases_and_keywords() -> None:
    found = only_class(
        "@final\nclass C(Base[int], metaclass=Meta, **more):\n    class Inner(Enum):\n        A = 1\n"
        "    x = y = 2\n    if T:\n        def m(self): ...\n"
    )
    assert (found.bases, found.keywords, found.decorators) == (
        ("Base[int]",),
        ("metaclass=Meta", "**=more"),
        ("final",),
    )
    assert [(c.name, c.bases, c.attributes[0].name) for c in found.classes] == [("Inner", ("Enum",), "A")]
    assert [a.name for a in found.attributes] == ["x", "y"]
    assert [(f.name, f.guards) for f in found.functions] == [("m", ("if T",))]


def test_lines_are_those_of_the_text() -> None:
    text = "# one\n\n@deco\n@other(\n    1,\n)\ndef f(\n    a,\n):\n    return (\n        a\n    )\n"
    (found,) = table(text).functions
    assert (found.line, found.end_line) == (7, 12)
    assert table(text.replace("\n", "\r\n")).functions == (found,)


def test_byte_order_marks_and_declared_encodings_are_read() -> None:
    assert extract(b"\xef\xbb\xbfx = 1\n").variables[0].name == "x"
    assert extract("# coding: latin-1\nx = 'é'\n".encode("latin-1")).variables[0].value == "'é'"


@pytest.mark.long
def test_a_generated_file_of_two_megabytes() -> None:
    text = "\n".join(f"def f{i}(a, b={i}):\n    return [{i}] * 3" for i in range(45_000))
    assert len(text) > 2_000_000
    assert len(table(text).functions) == 45_000


@pytest.mark.parametrize("half", ["\\ud800", "\\uDfFf", "\\U0000dABC"])
def test_halves_of_characters_can_be_kept(half: str) -> None:
    text = f"__all__ = ['{half}', 'f']\ndef f(a='{half}', b: '{half}' = 1): ...\n"
    found = extract(text.encode())
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(found), type=ModuleTable) == found
    assert found.exports == (half.lower().replace("\\u0000d", "\\ud"), "f")
    assert extract(b"__all__ = ['\\ue000', '\\\\ud800']\n").exports == ("\ue000", "\\ud800")


@given(st.binary(max_size=300))
def test_no_bytes_make_it_fail(text: bytes) -> None:
    assert extract(text) == extract(text)


@pytest.mark.long
def test_every_file_of_the_standard_library() -> None:
    folder = Path(sysconfig.get_path("stdlib"))
    encoded = msgspec.msgpack.Encoder()
    decoded = msgspec.msgpack.Decoder(ModuleTable)
    count = 0
    files = sorted(folder.rglob("*.py"))
    for path in some([path for path in files if {"site-packages", "test"}.isdisjoint(path.parts)], one_of=4):
        text = path.read_bytes()
        found = extract(text)
        count += 1
        assert decoded.decode(encoded.encode(found)) == found
        assert (found.problem is None) is _parses(text), path
    assert count > 75


def _parses(text: bytes) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ast.parse(text)
        except (SyntaxError, ValueError):
            return False
    return True
