"""Comparisons of the upstream's version with versions that are written out."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.version import Version

from syncbot.contracts.conditions.guards import may_run
from syncbot.contracts.conditions.version_helpers import version_helpers
from syncbot.contracts.conditions.version_order import compared
from syncbot.contracts.discovery import discover
from syncbot.contracts.sources import in_memory
from tests.contracts.world import comparison


@pytest.mark.parametrize(
    ("test", "expected"),
    [
        ("Version(lib.__version__) >= Version('1.2')", True),
        ("Version(lib.__version__) < Version('1.2')", False),
        ("version.parse(lib.__version__) > packaging.version.parse('1.10')", False),
        ("parse_version(version('lib')) >= parse_version('1.9')", True),
        ("parse(importlib.metadata.version('lib')) <= parse('1.9')", True),
        ("LIB_VERSION >= Version('1.10')", False),
        ("Version('1.2') <= tools.lib_version < Version('2')", True),
        ("Version('1.2') <= lib_version < Version('1.5')", False),
        # Texts are compared as Python compares them.
        ("lib.__version__ >= '1.10'", True),
        ("version('lib') < '1.10'", False),
        ("Version(lib.__version__) == Version('1.9.0')", True),
        # A name for a text or an object, where both come to the same.
        ("lib_version >= '1.2'", True),
        ("lib_version < '1.2'", False),
        # A name for the numbers, compared with numbers.
        ("lib_version >= (1, 2)", True),
        ("(1, 10) <= lib_version", False),
        ("lib.__version_tuple__ >= (1, 2)", True),
        ("lib.version.__version_tuple__ < (1, 2, 0)", False),
        # What cannot be read.
        ("lib_version >= '1.10'", None),
        ("lib_version >= 'new'", None),
        ("lib_version_minor >= 2", None),
        ("lib_version >= 1", None),
        ("other.__version_tuple__ >= (1, 2)", None),
        ("lib_version.release >= (1, 2)", None),
        ("Version(other.__version__) >= Version('1.2')", None),
        ("version('other') >= '1.2'", None),
        ("Version('2') >= Version('1.2')", None),
        ("Version(lib.__version__) >= Version(floor)", None),
        ("Version(lib.__version__) >= Version('newest')", None),
        ("Version(lib.__version__) in (Version('1.9'),)", None),
        ("is_newer(lib.__version__)", None),
    ],
)
def test_a_comparison_on_one_version(test: str, expected: bool | None) -> None:
    assert compared(ast.parse(test, mode="eval").body, Version("1.9"), ("lib",)) is expected


_SIDES = (
    "lib_version", "lib.__version__", "lib.__version_tuple__", "version('lib')", "Version(lib.__version__)",
    "Version(lib.__version__).release", "Version(lib.__version__).major", "'1.2'", "'new'", "Version('1.2')",
    "(1, 2)", "(1, 2, 0)", "1", "floor",
)  # fmt: skip


@given(st.sampled_from(_SIDES), st.sampled_from(["<", "<=", ">", ">=", "==", "!="]), st.sampled_from(_SIDES))
def test_any_two_that_may_be_compared_give_an_answer_or_none(left: str, sign: str, right: str) -> None:
    """Two things of which Python says that they have no order are no test of a version, and no error."""
    node = ast.parse(f"{left} {sign} {right}", mode="eval").body
    mirrored = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}.get(sign, sign)
    other = ast.parse(f"{right} {mirrored} {left}", mode="eval").body
    known = compared(node, Version("1.9"), ("lib",))
    assert known in (True, False, None)
    assert compared(other, Version("1.9"), ("lib",)) is known


OLDER = "def older(version, than):\n    return Version(version) < Version(than)\n"


@pytest.mark.parametrize(
    ("guards", "expected"),
    [
        (["if Version(lib.__version__) >= Version('1.2')"], True),
        (["else Version(lib.__version__) >= Version('1.2')"], False),
        (["if Version(lib.__version__) == Version('1.9')"], True),
        (["if Version(lib.__version__) == Version('1.8')"], False),
        (["if Version(lib.__version__) != Version('1.9')"], False),
        (["if other_version >= floor and LIB_VERSION >= parse('1.2')"], True),
        (["if HAVE_LIB and LIB_VERSION >= parse('1.2')"], True),
        (["if HAVE_LIB and LIB_VERSION >= parse('2')"], False),
        (["if fast or LIB_VERSION >= parse('2')"], True),
        (["else fast or LIB_VERSION >= parse('1')"], False),
        (["if not LIB_VERSION < parse('1.2')"], True),
        (["if fast", "try ImportError"], True),
        (["if LIB_VERSION >= parse('1.2')", "if LIB_VERSION >= parse('2')"], False),
        (["if LIB_VERSION >= floor"], None),
        (["if new_lib_version"], None),
        (["if LIB_VERSION >= parse('1.2')", "if new_lib_version"], None),
        (["if other.decides(lib.__version__)"], None),
        (["if Version(lib.__version__) >= Version('1.2') and other.decides(lib.__version__)"], None),
        (["if older(lib.__version__, '2')"], True),
        (["if older(lib.__version__, '1.2')"], False),
        (["else older(lib.__version__, '1.2')"], True),
    ],
)
def test_code_that_may_run_on_a_version(guards: list[str], expected: bool | None) -> None:
    (file,) = in_memory({"plugin/versions.py": OLDER}).files
    assert may_run(guards, Version("1.9"), "lib", version_helpers((file,))) is expected


@pytest.mark.parametrize(
    ("version", "lines"), [(None, [5, 7, 10]), ("1.9", [7, 10]), ("1.0", [5, 10]), ("3", [7])]
)
def test_what_does_not_run_on_a_version_is_no_contract(version: str | None, lines: list[int]) -> None:
    plugin = """import lib
from lib.a import f
from packaging.version import Version
if Version(lib.__version__) < Version("1.2"):
    f(1)
else:
    f(2)
OLD = Version(lib.__version__) < Version("2")
if OLD:
    f(3)
"""
    own = in_memory({"plugin/__init__.py": plugin})
    files = {"lib/a.py": "def f(a): ...\n", "lib/__init__.py": ""}
    pair = comparison(files, files, own)
    wanted = None if version is None else Version(version)
    found = discover(own, pair.old, ("lib",), version=wanted)
    assert sorted({c.place.location.line for c in found if c.kind == "call"}) == lines


@pytest.mark.parametrize(
    ("test", "expected"),
    [
        ("Version(lib.__version__).release >= (1, 2)", True),
        ("Version(lib.__version__).release[:2] == (1, 9)", True),
        ("parse(version('lib')).release[:2] in ((1, 9),)", None),
        ("parse(version('lib')).major < 1", False),
        ("Version(lib.__version__).micro == 0", True),
        ("Version(lib.__version__).release[0] == 2", False),
        ("Version(lib.__version__.split('+')[0]) > Version('1.8')", True),
        ("Version(lib.__version__.partition('+')[0]) > Version('1.10')", False),
        ("Version(Version(lib.__version__).base_version) < Version('1.9.1')", True),
        ("str(Version(lib.__version__)) == '1.9'", True),
        ("lib_version.release >= (1, 2)", None),
        ("Version(lib.__version__.split('.')[0]) > Version('1.8')", None),
        ("Version(other.__version__).release >= (1, 2)", None),
        ("Version(lib.__version__).dev == 1", None),
        ("Version(lib.__version__).release[7] == 1", None),
        ("Version(lib.__version__).release >= (1, x)", None),
    ],
)
def test_the_numbers_of_a_version(test: str, expected: bool | None) -> None:
    assert compared(ast.parse(test, mode="eval").body, Version("1.9"), ("lib",)) is expected
