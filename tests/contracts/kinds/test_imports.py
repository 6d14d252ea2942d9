"""Imports: what becomes of a name that the backend imports."""

from __future__ import annotations

import pytest

from syncbot.contracts.changes import NameDetails
from tests.contracts.world import Files, audits, compare, findings

F = "def f(a):\n    b = a\n    return b\n"
IMPORT = "from lib.a import f\n"


@pytest.mark.parametrize(
    ("old", "new", "backend", "expected"),
    [
        pytest.param(F, "", IMPORT, ["symbol-removed lib.a.f breaks 1"], id="removed"),
        pytest.param(F, F.replace(" f(", " g("), IMPORT, ["symbol-renamed lib.a.f breaks 1"], id="renamed"),
        pytest.param(
            "class A:\n    def x(self):\n        return 1\n    def y(self):\n        return 2\n",
            "class B:\n    def x(self):\n        return 1\n    def y(self):\n        return 2\n",
            "from lib.a import A\n",
            ["symbol-renamed lib.a.A breaks 1"],
            id="class renamed",
        ),
        pytest.param(
            {"lib/a.py": F, "lib/b.py": "x = 1\n"},
            {"lib/a.py": "y = 1\n", "lib/b.py": "x = 1\n" + F},
            IMPORT,
            ["symbol-moved lib.a.f breaks 1"],
            id="moved to another module",
        ),
        pytest.param(
            {"lib/a.py": F},
            {"lib/c/__init__.py": "", "lib/c/a.py": F},
            IMPORT,
            ["module-moved lib.a breaks 1"],
            id="module moved",
        ),
        pytest.param(
            {"lib/a.py": F, "lib/b.py": ""},
            {"lib/b.py": ""},
            "import lib.a\n",
            ["module-removed lib.a breaks 1"],
            id="module removed",
        ),
        pytest.param(
            {"lib/__init__.py": IMPORT, "lib/a.py": F},
            {"lib/__init__.py": "", "lib/a.py": F},
            "from lib import f\n",
            ["symbol-moved lib.f breaks 1"],
            id="re-export dropped",
        ),
        pytest.param(
            {"lib/__init__.py": "from .a import f\n", "lib/a.py": F},
            {"lib/__init__.py": "from .b import f\n", "lib/b.py": F},
            "from lib import f\n",
            [],
            id="re-export follows the move",
        ),
        pytest.param(
            {"lib/a.py": F},
            {"lib/a.py": "from lib.b import *\n", "lib/b.py": F},
            IMPORT,
            [],
            id="moved, and re-exported by star",
        ),
        pytest.param(
            {"lib/a.py": F},
            {"lib/a.py": "from lib.b import *\n", "lib/b.py": "__all__ = []\n" + F},
            IMPORT,
            ["symbol-moved lib.a.f breaks 1"],
            id="star leaves out what __all__ does",
        ),
        pytest.param(
            {"lib/a.py": F},
            {"lib/a/__init__.py": F, "lib/a/more.py": ""},
            IMPORT,
            [],
            id="module became a package",
        ),
        pytest.param(
            {"lib/a.py": F},
            {"lib/a/__init__.py": "", "lib/a/more.py": F},
            IMPORT,
            ["symbol-moved lib.a.f breaks 1"],
            id="module became a package, the name is below it",
        ),
        pytest.param(
            {"lib/a.py": F, "lib/b.py": "x = 1\n"},
            {"lib/a.py": F, "lib/b.py": "x = 1\n" + F},
            IMPORT,
            [],
            id="defined twice",
        ),
        pytest.param(
            {"lib/a.py": "LIMIT = 7\n", "lib/b.py": "x = 1\n"},
            {"lib/a.py": "", "lib/b.py": "x = 1\nLIMIT = 7\n"},
            "from lib.a import LIMIT\n",
            ["symbol-moved lib.a.LIMIT breaks 1"],
            id="constant moved",
        ),
        pytest.param(
            {"lib/a.py": "LIMIT = 7\n", "lib/b.py": "x = 1\n"},
            {"lib/a.py": "", "lib/b.py": "x = 1\nLIMIT = 8\n"},
            "from lib.a import LIMIT\n",
            ["symbol-removed lib.a.LIMIT breaks 1"],
            id="another constant of that name",
        ),
        pytest.param(
            "if X:\n    def f(): ...\nelse:\n    f = None\n",
            "try:\n    from lib.b import f\nexcept ImportError:\n    f = None\n",
            IMPORT,
            [],
            id="conditional definitions",
        ),
        pytest.param("def f(): ...\n", "def f(a): ...\n", IMPORT, [], id="another signature"),
        pytest.param(
            "class f: ...\n",
            "def f(): ...\n",
            IMPORT,
            ["class-became-function lib.a.f at-risk 1"],
            id="class became a function",
        ),
        pytest.param("def f(): ...\n", "class f: ...\n", IMPORT, [], id="function became a class"),
        pytest.param("import math\n", "import os\n", "from lib.a import math\n",
                     ["symbol-removed lib.a.math breaks 1"], id="foreign module passed on"),
    ],
)  # fmt: skip
def test_what_becomes_of_an_imported_name(
    old: Files, new: Files, backend: Files, expected: list[str]
) -> None:
    assert compare(old, new, backend) == expected


@pytest.mark.parametrize(
    ("backend", "expected"),
    [
        ("def late():\n    from lib.a import f\n    return f\n", ["breaks 2"]),
        ("class C:\n    from lib.a import f\n", ["breaks 2"]),
        ("try:\n    from lib.a import f\nexcept ImportError:\n    f = None\n", ["at-risk 2"]),
        ("try:\n    import x\nexcept ImportError:\n    from lib.a import f\n", ["breaks 4"]),
        ("try:\n    from lib.a import f\nexcept KeyError:\n    f = None\n", ["breaks 2"]),
        ("try:\n    from lib.a import f\nfinally:\n    print()\n", ["breaks 2"]),
        ("import typing\nif typing.TYPE_CHECKING:\n    from lib.a import f\n", ["at-risk 3"]),
        ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    pass\nelse:\n    from lib.a import f\n",
         ["breaks 5"]),
        ("if version_is('1.2'):\n    from lib.a import f\n", []),
        ("if not version_is('1.2'):\n    pass\nelse:\n    from lib.a import f\n", []),
        ("if version_is('1.2') or version_is('1.3'):\n    from lib.a import f\n", []),
        ("if version_is('1.2'):\n    pass\nelse:\n    from lib.a import f\n", ["breaks 4"]),
        ("if not version_is('1.2'):\n    from lib.a import f\n", ["breaks 2"]),
        ("if installed('torch'):\n    from lib.a import f\n", ["breaks 2"]),
        ("from lib.a import (\n    f as g,\n)\n", ["breaks 1"]),
        ("from lib import a as upstream\nx = upstream.f\n", ["breaks 2"]),
        ("import lib.a as upstream\nx = upstream.f\n", ["breaks 2"]),
        ("import lib.a\nx = lib.a.f\n", ["breaks 2"]),
        ("from lib.a import *\n\n\ndef use():\n    return f(1)\n", ["breaks 1"]),
        ("from lib.a import *\n\n\ndef use(f):\n    return f(1)\n", []),
        ("from lib.a import *\n", []),
        ("from libs.a import f\n", []),
        ("from .lib.a import f\n", []),
        ("# from lib.a import f\n", []),
    ],
)  # fmt: skip
def test_wherever_the_import_stands(backend: str, expected: list[str]) -> None:
    found = compare(F, "", backend)
    assert [" ".join(row.split()[2:4]) for row in found] == expected


def test_a_deprecated_name_that_a_module_still_serves_is_not_gone() -> None:
    shim = "from lib.b import f as _f\n\ndef __getattr__(name):\n    if name == 'f':\n        return _f\n" \
           "    raise AttributeError(name)\n"  # fmt: skip
    old, new = {"lib/a.py": F}, {"lib/a.py": shim, "lib/b.py": F}
    assert compare(old, new, IMPORT) == []
    assert compare(old, {**new, "lib/a.py": shim.replace("'f'", "'g'")}, IMPORT) == [
        "symbol-moved lib.a.f breaks 1"
    ]


PRIVATE = "_DEPRECATED_f = made(1)\n"
ASSIGNED = "__getattr__ = partial(served, module_globals=globals())\n"
DEFINED = "def __getattr__(name):\n    return served(name, globals())\n"


@pytest.mark.parametrize("maker", [ASSIGNED, DEFINED], ids=["assigned", "defined"])
@pytest.mark.parametrize("home", [PRIVATE, "from lib.b import _DEPRECATED_f\n"], ids=["here", "imported"])
@pytest.mark.parametrize("use", [IMPORT, "from lib.a import *\nf()\n", "import lib.a\nlib.a.f\n"])
def test_a_name_that_a_module_finds_under_a_private_one(maker: str, home: str, use: str) -> None:
    new = {"lib/a.py": home + maker, "lib/b.py": PRIVATE}
    assert compare({"lib/a.py": F}, new, use) == []


@pytest.mark.parametrize(
    "new", [PRIVATE, ASSIGNED, PRIVATE.replace("_f", "_g") + ASSIGNED, "_Df = 1\n" + ASSIGNED]
)
def test_a_name_that_no_private_one_stands_for(new: str) -> None:
    assert compare({"lib/a.py": F}, {"lib/a.py": new}, IMPORT) == ["symbol-removed lib.a.f breaks 1"]


TABLE = "import lib.b\n\n_old = {{'f': {entry}}}\n__getattr__ = made(__name__, _old)\n"


@pytest.mark.parametrize(
    ("entry", "gone"),
    [
        pytest.param("('lib.a.f was removed.', None)", True, id="a message and nothing"),
        pytest.param("('lib.a.f is gone; '\n 'use g.', None)", True, id="a long message"),
        pytest.param("('lib.a.f is deprecated.', lib.b.f)", False, id="a message and the function"),
        pytest.param("('lib.b', None)", False, id="where it is"),
        pytest.param("None", False, id="nothing that says so"),
        pytest.param("(None, 'lib.a.f was removed.')", False, id="the other way round"),
    ],
)
def test_a_name_for_which_a_table_has_a_message_alone(entry: str, gone: bool) -> None:
    new = {"lib/a.py": TABLE.format(entry=entry), "lib/b.py": "def f(a, b): ...\n"}
    for use in (IMPORT, "import lib.a\n\n\ndef go():\n    return lib.a.f\n"):
        assert bool(compare({"lib/a.py": F, "lib/b.py": "def f(a, b): ...\n"}, new, use)) is gone


def test_a_name_that_was_refused_before_is_no_break() -> None:
    refused = {"lib/a.py": TABLE.format(entry="('lib.a.f was removed.', None)"), "lib/b.py": ""}
    assert "breaks" not in str(compare(refused, {"lib/a.py": "", "lib/b.py": ""}, IMPORT))


@pytest.mark.parametrize(
    ("new", "backend"),
    [
        ("def f(:\n", IMPORT),
        ("def f(:\n", "import lib.a\n\nx = lib.a.f\n"),
        ("def f(:\n", "PATH = 'lib.a.f'\n"),
        ("def f(:\n", "import lib.a\n\n\ndef mine(a): ...\n\n\nlib.a.f = mine\n"),
        ("from math import sin as f\n", IMPORT),
        ("from math import sin as f\n", "import lib.a\n\nx = lib.a.f\n"),
        ("from math import sin as f\n", "PATH = 'lib.a.f'\n"),
        ("f = _C = object()\n", IMPORT),
    ],
)
def test_what_cannot_be_seen_is_not_called_gone(new: str, backend: str) -> None:
    assert compare(F, new, backend) == []


def test_the_new_home_is_told_with_the_finding() -> None:
    new = {"lib/z.py": "", "lib/c/__init__.py": "", "lib/c/a.py": F}
    (finding,) = findings(F, new, IMPORT)
    assert finding.details == NameDetails(old="lib.a", new="lib.c.a")
    assert finding.reason == "lib.a no longer exists; it is now lib.c.a"


def test_each_name_of_a_statement_is_a_contract_of_its_own() -> None:
    old = "def f(): ...\ndef g(): ...\ndef h(): ...\n"
    found = compare(old, "def g(): ...\n", "from lib.a import f, g, h\n")
    assert found == ["symbol-removed lib.a.f breaks 1", "symbol-removed lib.a.h breaks 1"]


def test_the_audit_names_imports_that_one_tree_lacks() -> None:
    backend = "from lib.a import f\ntry:\n    from lib.a import g\nexcept ImportError:\n    g = None\n"
    both = "def f(): ...\ndef g(): ...\n"
    assert audits("", both, backend) == ["1: lib.a.f does not exist"]
    assert audits(both, both, backend) == []


def test_a_name_that_went_elsewhere_than_the_rest_of_its_module() -> None:
    rest = "class A:\n    def x(self):\n        return 1\nclass B: ...\nclass C: ...\n"
    old = {"lib/a.py": rest + F, "lib/b.py": ""}
    new = {"lib/z/__init__.py": "", "lib/z/a.py": rest, "lib/b.py": F}
    found = compare(old, new, "from lib.a import A\nfrom lib.a import f\n")
    assert found == ["module-moved lib.a breaks 1", "symbol-moved lib.a.f breaks 2"]
    both = {"lib/z/__init__.py": "", "lib/z/a.py": rest + F, "lib/b.py": ""}
    assert compare(old, both, "from lib.a import A\nfrom lib.a import f\n") == [
        "module-moved lib.a breaks 1",
        "module-moved lib.a breaks 2",
    ]
    assert compare(old, {**new, "lib/a.py": "from lib.z.a import A\nfrom lib.b import f\n"}, IMPORT) == []


@pytest.mark.parametrize(
    ("test", "verdict"),
    [
        ("lib_version.split('.')[0] >= '2'", "at-risk"),
        ("Version(lib.__version__) >= Version('2')", "at-risk"),
        ("torch_version >= '2'", "breaks"),
        ("lib_version", "breaks"),
        ("LIB_IS_BEFORE_VERSION_2", "at-risk"),
        ("not LIB_VERSION_IS_2", "at-risk"),
        ("TORCH_IS_BEFORE_VERSION_2", "breaks"),
        ("lib_mode == '2'", "breaks"),
    ],
)
def test_an_import_under_a_test_of_the_version(test: str, verdict: str) -> None:
    plugin = f"if {test}:\n    x = 1\nelse:\n    from lib.a import gone\n"
    assert compare("gone = here = 1\n", "here = 1\n", plugin) == [f"symbol-removed lib.a.gone {verdict} 4"]


LAZY = "def __getattr__(name):\n    if name == 'late':\n        return 1\n    raise AttributeError(name)\n"


@pytest.mark.parametrize(
    ("backend", "missing"),
    [
        ("from lib.part.a import C\n", "lib.part.a.C"),
        ("import lib.part.a\n", "lib.part.a"),
        ("from lib import gone\n", "lib.gone"),
        ("from lib import late\n", None),
        ("from lib._built import op\n", None),
        ("from lib.b import D\n", None),
    ],
)
def test_an_import_statement_does_not_ask_a_package_for_modules_that_it_lacks(
    backend: str, missing: str | None
) -> None:
    new = {"lib/__init__.py": LAZY, "lib/b.py": "class D: ...\n"}
    old = {**new, "lib/part/__init__.py": "", "lib/part/a.py": "class C: ...\n"}
    assert audits(new, old, backend) == ([f"1: {missing} does not exist"] if missing else [])


@pytest.mark.parametrize(("still", "told"), [(LAZY, []), (LAZY.replace("late", "other"), ["late"])])
@pytest.mark.parametrize("use", ["import lib\nlib.late\n", "from lib import late\n"])
def test_a_name_that_its_module_spells_and_that_a_star_may_give_as_well(
    use: str, still: str, told: list[str]
) -> None:
    old = {"lib/__init__.py": LAZY + "from lib.a import *\n", "lib/a.py": "D = 1\n"}
    new = {"lib/__init__.py": still + "from lib.a import *\n", "lib/a.py": LAZY.replace("late", "new")}
    assert [row.split()[1] for row in compare(old, new, use)] == [f"lib.{name}" for name in told]


CHECKED = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from lib.b import f\n"


def test_what_is_imported_for_type_checkers_only_is_not_there() -> None:
    old, new = {"lib/a.py": "from lib.b import f\n", "lib/b.py": F}, {"lib/a.py": CHECKED, "lib/b.py": F}
    assert compare(old, new, IMPORT) == ["symbol-moved lib.a.f breaks 1"]
    checked = f"from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    {IMPORT}"
    assert compare(old, new, checked) == ["symbol-moved lib.a.f at-risk 3"]
    moved = {"lib/a.py": F, "lib/b.py": ""}
    assert compare(moved, new, IMPORT) == ["symbol-moved lib.a.f breaks 1"]


@pytest.mark.parametrize(
    "new",
    [
        CHECKED + "else:\n    from lib.b import f\n",
        CHECKED + "else:\n    f = load('lib.b', 'f')\n",
        CHECKED + "def __getattr__(name):\n    return load(name)\n",
        CHECKED + "from lib.b import *\n",
    ],
)
def test_what_something_else_gives_when_it_runs_is_there(new: str) -> None:
    old = {"lib/a.py": "from lib.b import f\n", "lib/b.py": F}
    assert compare(old, {"lib/a.py": new, "lib/b.py": F}, IMPORT) == []
    assert compare({"lib/a.py": CHECKED, "lib/b.py": F}, {"lib/a.py": CHECKED, "lib/b.py": F}, IMPORT) == []
