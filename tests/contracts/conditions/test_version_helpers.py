"""Functions of a project that are asked for the upstream's version."""

from __future__ import annotations

import ast
from dataclasses import replace
from textwrap import indent

import pytest
from packaging.version import Version

from syncbot.contracts.conditions.guards import Truth, VersionTests
from syncbot.contracts.conditions.version_helpers import version_helpers
from syncbot.contracts.sources import in_memory

LEAST = "def at_least(v):\n    return Version(lib.__version__) >= Version(v)\n"
GUARDED = """
def at_least(v):
    '''Whether the library is that new.'''
    try:
        found = importlib.metadata.version('lib')
        return parse(found) >= parse(v)
    except PackageNotFoundError:
        return False
"""
OF_ANY = "def has(name, floor, *, strict=False):\n    return Version(version(name)) >= Version(floor)\n"
THROUGH = LEAST + "def new(v='1.5'):\n    return not at_least(v) or lib_version == Version('7')\n"
TABLE = "def is_(sign, v):\n    return ORDERS[sign](Version(lib.__version__), Version(v))\n"
SAME = "def is_(v):\n    return Version(lib.__version__) == Version(v)\n"
METHOD = "class Tools:\n    @staticmethod\n    def at_least(v):\n        return lib_version >= Version(v)\n"
OTHER = "def at_least(v):\n    return Version(other.__version__) >= Version(v)\n"
UNREAD = (
    "def fits(v):\n    a, b = split(lib.__version__)\n    if a > b:\n        return a\n    return b < v\n"
)


@pytest.mark.parametrize(
    ("defined", "test", "expected"),
    [
        pytest.param(LEAST, "at_least('1.2')", True, id="that or later"),
        pytest.param(LEAST, "at_least('1.12')", False, id="not that new"),
        pytest.param(LEAST, "tools.at_least(v='1.2')", True, id="by keyword, of a module"),
        pytest.param(LEAST, "not at_least('1.2')", False, id="not"),
        pytest.param(GUARDED, "at_least('1.12')", False, id="within try"),
        pytest.param(OF_ANY, "has('lib', '1.2')", True, id="of a named package"),
        pytest.param(OF_ANY, "has('other', '1.2')", None, id="of another package"),
        pytest.param(THROUGH, "new('1.12')", True, id="by way of another one"),
        pytest.param(THROUGH, "new()", False, id="with a default"),
        pytest.param(TABLE, "is_('<', '1.12')", True, id="an order in a table"),
        pytest.param(SAME, "is_('1.9')", True, id="the same"),
        pytest.param(SAME, "is_('1.8')", False, id="another one"),
        pytest.param(METHOD, "Tools.at_least('1.12')", False, id="a method"),
        pytest.param(OTHER, "at_least('1.2')", None, id="another package's version"),
        pytest.param(UNREAD, "fits('1.2')", None, id="what cannot be read, with an order"),
        pytest.param(LEAST + OTHER, "at_least('1.2')", None, id="two of one name"),
        pytest.param("", "lib_is_at_least('1.2')", None, id="unknown, named for an order"),
        pytest.param("", "isNewerThan('1.2')", None, id="unknown, named so in capitals"),
        pytest.param("", "is_('1.9')", False, id="unknown, named for none"),
        pytest.param(LEAST, "at_least(floor)", None, id="no version written"),
        pytest.param(LEAST, "at_least('1.2', '1.3')", None, id="arguments that do not fit"),
        # Calls that spell the comparison, wherever they are defined.
        pytest.param("", "is_lib_version('>=', '1.2')", True, id="named for the package"),
        pytest.param("", "is_lib_version('<', '1.2')", False, id="named for the package, before"),
        pytest.param("", "is_other_version('>=', '1.2')", None, id="named for another package"),
        pytest.param("", "compare(lib.__version__, '>=', '1.12')", False, id="given the version"),
        pytest.param("", "is_version('lib', '>=', '1.12')", False, id="given the name"),
        pytest.param("", "is_version('lib', '>=', floor)", None, id="no version in the order"),
        pytest.param("", "is_version('lib', '>=', 'new')", None, id="no version at all"),
        pytest.param("", "installed('lib>=1.2')", True, id="a requirement"),
        pytest.param("", "installed('other>=1.2')", None, id="another's requirement"),
        pytest.param("", "installed('lib')", True, id="that it is there"),
        pytest.param("", "operator.ge(lib_version, Version('1.12'))", False, id="an operator"),
        pytest.param("", "Version(lib.__version__) in SpecifierSet('>=1.2,<2')", True, id="in a set"),
        pytest.param("", "lib_version not in SpecifierSet('>=1.2')", False, id="not in a set"),
        pytest.param("", "SpecifierSet('>=1.12').contains(lib.__version__)", False, id="a set that contains"),
        pytest.param("", "other_version in SpecifierSet('>=1.2')", None, id="another's in a set"),
    ],
)  # fmt: skip
def test_what_a_call_says_of_a_version(defined: str, test: str, expected: bool | None) -> None:
    own = in_memory({"plugin/tools.py": defined})
    tests = VersionTests(version=Version("1.9"), packages=("lib",), helpers=version_helpers(own.files))
    assert Truth(tests).of(ast.parse(test, mode="eval").body) is expected


def test_without_a_version_only_an_order_is_left_open() -> None:
    own = in_memory({"plugin/tools.py": LEAST + SAME})
    truth = Truth(VersionTests(packages=("lib",), helpers=version_helpers(own.files)))
    told = [truth.of(ast.parse(test, mode="eval").body) for test in ("at_least('1.2')", "is_('1.2')")]
    assert told == [None, False]


def test_tests_of_a_project_define_nothing() -> None:
    (file,) = in_memory({"tests/test_tools.py": LEAST}).files
    assert version_helpers((replace(file, is_test=True),)) == ()
    assert version_helpers((file,)) != ()


NESTED = "def f{0}(v):\n    x = version\n    return f{1}(v) and f{1}(v) and f{1}(v)\n"
ONE_LEVEL = "if t:\n    x = 1\n" * 4 + "if u:\n"
WITHIN = "def f0(v):\n    x = version\n" + "".join(
    indent(ONE_LEVEL, "    " * depth) for depth in range(1, 16)
)
WITHIN += "    " * 16 + "return x\n"
BRANCHING = "    if {0}:\n        x = 1\n    else:\n        x = 2\n"


@pytest.mark.parametrize(
    "defined",
    [
        pytest.param("".join(NESTED.format(n, n + 1) for n in range(60)), id="one asks three"),
        pytest.param("def f0(v):\n    x = version\n" + "    x = x + x\n" * 80 + "    return x\n", id="doubled"),
        pytest.param(
            "def f0(v):\n    x = version\n" + "".join(BRANCHING.format(f"t{n}") for n in range(80)) + "    return x\n",
            id="many ways",
        ),
        pytest.param(WITHIN, id="many ways within others"),
    ],
)  # fmt: skip
def test_a_function_that_is_made_to_take_for_ever(defined: str) -> None:
    own = in_memory({"plugin/tools.py": defined})
    tests = VersionTests(version=Version("1.9"), packages=("lib",), helpers=version_helpers(own.files))
    assert tests.helpers
    assert Truth(tests).of(ast.parse("f0(floor)", mode="eval").body) is None
