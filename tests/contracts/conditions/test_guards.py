"""The conditions around a line, and their meaning for it."""

from __future__ import annotations

import pytest

from syncbot.api.statement_parts import type_checking
from syncbot.contracts.conditions import guards as conditions


@pytest.mark.parametrize(
    ("guards", "expected"),
    [
        (["if version_is('1.2.3')"], True),
        (["if version_is('v1.2.3')"], True),
        (["if version_is('1.2.3rc1')"], True),
        (["if version_is('1.2.3.post1+cpu')"], True),
        (["if version_is('1.2', '1.3')"], True),
        (["if tools.version_is('1.2')"], True),
        (["if version_is('1.2') or version_is('1.3')"], True),
        (["else not version_is('1.2')"], True),
        (["if x", "if version_is('1.2')"], True),
        (["else version_is('1.2')"], False),
        (["if not version_is('1.2')"], False),
        (["if version_is('1.2') or x"], False),
        (["if version_is('main')"], False),
        (["if version_is(1.2)"], False),
        (["if version_is()"], False),
        (["if version_is('1.2', strict=True)"], False),
        (["if version == '1.2'"], False),
        (["try ImportError"], False),
        (["if ("], False),
        ([], False),
    ],
)
def test_code_for_one_other_version(guards: list[str], expected: bool) -> None:
    assert conditions.other_version(guards) is expected


@pytest.mark.parametrize(
    ("guards", "expected"),
    [
        (["try ImportError"], True),
        (["try (ImportError, AttributeError)"], True),
        (["try ModuleNotFoundError"], True),
        (["try Exception"], True),
        (["try KeyError"], False),
        (["try MyImportError"], False),
        (["except ImportError"], False),
        (["if ImportError"], False),
        ([], False),
    ],
)
def test_imports_whose_failure_is_caught(guards: list[str], expected: bool) -> None:
    assert conditions.tolerates_import(guards) is expected


@pytest.mark.parametrize(
    ("guard", "expected"),
    [
        ("if TYPE_CHECKING", True),
        ("if typing.TYPE_CHECKING", True),
        ("if t.TYPE_CHECKING", True),
        ("else TYPE_CHECKING", False),
        ("if not TYPE_CHECKING", False),
    ],
)
def test_code_for_type_checkers(guard: str, expected: bool) -> None:
    assert type_checking([guard]) is expected


@pytest.mark.parametrize(
    ("guard", "expected"),
    [
        ("if hasattr(x, 'size')", True),
        ('if hasattr(x, "size") and y', True),
        ("if getattr(x, 'size', None) is not None", True),
        ("if hasattr(x, 'sizes')", False),
        ("if x == 'size'", False),
        ("if x", False),
    ],
)
def test_code_that_tests_for_a_name(guard: str, expected: bool) -> None:
    assert conditions.tests_for([guard], "size") is expected
