"""Names through the graphs of modules that packages really have."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

GETATTR = "def __getattr__(name):\n    raise AttributeError(name)\n"
STARS = "from lib.classes import *\nfrom lib.other import *\n"
ONE, NONE = "def f(a, t=None): ...\n", "def f(a): ...\n"
REMOVED = "parameter-removed lib.h.f breaks 3 t"


def test_a_submodule_comes_before_the_getattr_of_its_package() -> None:
    one, none = (
        {"lib/__init__.py": GETATTR, "lib/envs.py": text} for text in ("GONE = HERE = 1\n", "HERE = 1\n")
    )
    use = "from lib import envs\nimport lib.envs\nenvs.GONE\nlib.envs.GONE\nenvs.HERE\n"
    assert compare(one, none, use) == [
        "attribute-removed lib.envs.GONE breaks 3 GONE",
        "attribute-removed lib.envs.GONE breaks 4 GONE",
    ]
    before = {**one, "lib/__init__.py": ""}
    assert compare(before, one, use) == []
    assert compare(one, {"lib/__init__.py": GETATTR}, "import lib.envs\n") != []


@pytest.mark.parametrize(
    ("value", "seen"),
    [
        ("LazyLoader('sub', globals(), 'lib.sub')", True),
        ("importlib.import_module('lib.sub')", True),
        ("lazy_import('lib.none')", False),
        ("logging.getLogger('lib.sub')", False),
        ("lazy_import('lib.sub').other", False),
        ("__import__('lib.sub')", False),
    ],
)
def test_a_module_that_a_call_imports(value: str, seen: bool) -> None:
    old, new = ({"lib/__init__.py": f"lazy = {value}\n", "lib/sub.py": text} for text in (ONE, NONE))
    told = ["parameter-removed lib.sub.f breaks 2 t"] if seen else []
    assert compare(old, new, "import lib\nlib.lazy.f(1, t=2)\n") == told


def test_a_star_of_a_module_with_a_getattr_hides_no_other_star() -> None:
    old = {"lib/__init__.py": STARS, "lib/classes.py": "class C: ...\n", "lib/other.py": ""}
    new = {**old, "lib/other.py": GETATTR}
    use = "import lib\nlib.C()\n"
    assert compare(old, new, use) == []
    assert compare(new, {**new, "lib/classes.py": ""}, use) != []


def test_a_star_of_a_text_that_cannot_be_read_hides_no_other_star() -> None:
    old = {
        "lib/__init__.py": "from .h import *\nfrom .p import *\n",
        "lib/h.py": ONE,
        "lib/p.py": "print 1\n",
    }
    use = "import lib\n\nlib.f(1, t=2)\nlib.unseen()\n"
    assert compare(old, {**old, "lib/h.py": NONE}, use) == [REMOVED]
    assert compare(old, {**old, "lib/h.py": ONE + "x = 1\n"}, use) == []


def test_a_module_that_upstream_imports_and_nobody_sees_was_compiled() -> None:
    old = {"lib/__init__.py": "from .core import *\n", "lib/core.py": "from . import m\nx = m.x\n"}
    new = {**old, "lib/core.py": "from .m import x\n"}
    assert compare(old, new, "import lib\nlib.x(1)\n") == []
    guarded = {**old, "lib/core.py": "try:\n    from .m import x\nexcept ImportError:\n    pass\n"}
    assert compare(old, guarded, "import lib\nlib.x(1)\n") != []


@pytest.mark.parametrize("assigned", ["lib.f = f", "setattr(lib, 'f', f)"])
def test_what_another_module_assigns_onto_a_package(assigned: str) -> None:
    enable = f"import lib\nfrom lib.h import f\n{assigned} # experimental\n"
    old = {"lib/enable.py": enable, "lib/h.py": ONE}
    use = "import lib.enable\nfrom lib import f\nf(1, t=2)\n"
    assert compare(old, {**old, "lib/h.py": NONE}, use) == [REMOVED]
    other = {"lib/enable.py": enable.replace("lib, ", "lib.h, ").replace("lib.f", "lib.h.f"), "lib/h.py": ONE}
    assert compare(other, {**other, "lib/h.py": NONE}, use) == []


def test_a_method_of_an_object_under_another_name() -> None:
    old = "class O:\n    def enc(self, a, b=None): ...\n    @x\n    def odd(self, a, b=None): ...\n"
    old += "o = O()\nenc = o.enc\nodd = o.odd\n"
    use = "from lib import a\n\na.enc(1, b=2)\na.odd(1, b=2)\na.enc(1)\n"
    assert compare(old, old.replace(", b=None", ""), use) == ["parameter-removed lib.a.enc breaks 3 b"]


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("NamedTuple('A', [('x', int)])", "NamedTuple('A', [('x', int), ('y', int)])", ["added", "y"]),
        ("namedtuple('A', 'x')", "namedtuple('A', ['x', 'y'])", ["added", "y"]),
        ("namedtuple('A', 'x')", "namedtuple('A', 'x y', defaults=(1,))", []),
        ("namedtuple('A', 'x')", "namedtuple('A', names)", []),
        ("namedtuple('A', ['x'])", "namedtuple('A', ['x', *more])", []),
        ("make('A', 'x')", "make('A', 'x y')", []),
    ],
)
def test_named_tuples_that_a_call_makes(old: str, new: str, told: list[str]) -> None:
    for text in ("A = {}\n", "class A({}):\n    pass\n"):
        use = "from lib.a import A\nA(x=1)\n"
        rows = compare(text.format(old), text.format(new), use)
        assert rows == ([f"parameter-{told[0]} lib.a.A breaks 2 {told[1]}"] if told else [])


def test_a_submodule_comes_before_what_a_star_may_give() -> None:
    old = {"lib/__init__.py": "from lib import sub\nfrom lib.sub import *\n", "lib/sub.py": "def f(): ...\n"}
    new = {
        **old,
        "lib/sub.py": old["lib/sub.py"] + GETATTR,
        "lib/__init__.py": old["lib/__init__.py"] + GETATTR,
    }
    use = "import lib\nlib.sub.f()\n"
    assert compare(old, new, use) == []
    assert compare(new, {**new, "lib/sub.py": GETATTR}, use) == ["attribute-removed lib.sub.f breaks 2 f"]


SPELLS = "def __getattr__(name):\n    if name == 'Old':\n        return 1\n    raise AttributeError(name)\n"
SPELLS_LESS = SPELLS.replace("Old", "Other")


@pytest.mark.parametrize("use", ["from lib.a import Old\n", "import lib.a\nlib.a.Old\n"])
@pytest.mark.parametrize(
    ("old", "new", "gone"),
    [
        (SPELLS, SPELLS_LESS, True),
        (SPELLS, "x = 1\n", True),
        (SPELLS, "Old = 1\n", False),
        (SPELLS, "from lib.b import Old\n" + SPELLS_LESS, False),
        (SPELLS, SPELLS + "x = 1\n", False),
        (SPELLS_LESS, SPELLS_LESS + "x = 1\n", False),
    ],
)
def test_a_name_that_a_module_spells_in_its_getattr(old: str, new: str, gone: bool, use: str) -> None:
    other = {"lib/b.py": "Old = 1\n"}
    rows = compare({"lib/a.py": old, **other}, {"lib/a.py": new, **other}, use)
    assert [row.split()[2] for row in rows] == ["breaks"] * gone


def test_a_name_that_a_getattr_does_not_spell_may_never_have_been_there() -> None:
    use = "from lib.a import Old\n"
    rows = compare({"lib/a.py": SPELLS_LESS}, {"lib/a.py": "x = 1\n"}, use)
    assert [row.split()[2] for row in rows] == ["at-risk"]
    gone = compare({"lib/a.py": SPELLS_LESS, "lib/b.py": ""}, {"lib/b.py": ""}, use)
    assert [row.split()[2] for row in gone] == ["breaks"]


def test_bases_that_six_makes_one_with_a_metaclass() -> None:
    lib = (
        "class B:\n    def m(self): ...\nclass C(six.with_metaclass(M, B)): ...\nclass D(other(M, B)): ...\n"
    )
    use = "from lib.a import C, D\nC().m()\nD().m()\n"
    assert compare(lib, lib.replace("def m", "def n"), use) == ["attribute-removed lib.a.B.m breaks 2 m"]


@pytest.mark.parametrize("name", ["util.memoized_property", "Has.memoized_attribute"])
def test_a_property_by_another_name(name: str) -> None:
    old = "class B:\n    @property\n    def m(self): ...\n"
    use = "from lib.a import B\nclass C(B):\n    @property\n    def m(self): ...\n"
    assert compare(old, old.replace("@property", f"@{name}"), use) == []
    assert [row.split()[0] for row in compare(old, old.replace("@property", "@util.proper"), use)] == [
        "method-kind-changed"
    ]
