"""Dictionaries with declared keys."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

OLD = """
from typing import NotRequired, TypedDict

class Row(TypedDict):
    name: str
    size: int
    note: NotRequired[str]

def first() -> Row:
    return {"name": "", "size": 1}
"""
SHORT = OLD.replace("    size: int\n", "")
READ = 'from lib.a import first\n\nsize = first()["size"]\n'
BUILT = 'from lib.a import Row\n\nrow = Row(name="a", size=1)\n'


@pytest.mark.parametrize(
    ("new", "backend", "expected"),
    [
        pytest.param(SHORT, READ, ["key-removed lib.a.Row breaks 3 size"], id="read"),
        pytest.param(
            SHORT,
            "from lib.a import Row\n\ndef f(row: Row):\n    return row['size']\n",
            ["key-removed lib.a.Row breaks 4 size"],
            id="read from a parameter",
        ),
        pytest.param(
            SHORT,
            READ.replace('["size"]', '.get("size")'),
            ["key-removed lib.a.Row at-risk 3 size"],
            id="get",
        ),
        pytest.param(SHORT, BUILT, ["key-removed lib.a.Row at-risk 3 size"], id="given in vain"),
        pytest.param(
            OLD.replace("NotRequired[str]", "str"),
            BUILT,
            ["key-required lib.a.Row breaks 3 note"],
            id="required now",
        ),
        pytest.param(
            OLD.replace("    name", "    kind: str\n    name"),
            'from lib.a import Row\n\nrow: Row = {"name": "a", "size": 1}\n',
            ["key-required lib.a.Row breaks 3 kind"],
            id="one key more, literal",
        ),
    ],
)
def test_keys(new: str, backend: str, expected: list[str]) -> None:
    assert compare(OLD, new, backend) == expected


@pytest.mark.parametrize(
    ("old", "new", "backend"),
    [
        pytest.param(OLD, OLD.replace("    name", "    kind: NotRequired[str]\n    name"), BUILT, id="optional"),
        pytest.param(
            OLD.replace("(TypedDict)", "(TypedDict, total=False)"),
            OLD.replace("(TypedDict)", "(TypedDict, total=False)").replace("    name", "    kind: str\n    name"),
            BUILT,
            id="not total",
        ),
        pytest.param(OLD, OLD.replace("    note: NotRequired[str]\n", ""), READ + BUILT, id="another key"),
        pytest.param(
            OLD.replace("(TypedDict)", "(dict)"), SHORT.replace("(TypedDict)", "(dict)"), READ, id="plain dict"
        ),
        pytest.param(
            OLD, OLD.replace("    size: int\n", "").replace("(TypedDict)", "(Base)")
            + "\nclass Base(TypedDict):\n    size: int\n", READ, id="inherited now",
        ),
    ],
)  # fmt: skip
def test_keys_that_still_serve(old: str, new: str, backend: str) -> None:
    assert compare(old, new, backend) == []


OBJECT = OLD.replace("class Row(TypedDict)", "@dataclass\nclass Row").replace(
    "import Not", "import dataclass, Not"
)


def test_what_is_no_dictionary_any_more_has_no_keys() -> None:
    assert "key-removed lib.a.Row breaks 3 size" in compare(OLD, OBJECT, READ)
    assert "key-removed lib.a.Row breaks 3 size" in compare(
        OLD, OBJECT, READ.replace('["size"]', '.get("size")')
    )


@pytest.mark.parametrize(
    "new",
    [
        OBJECT.replace("    name", "    def __getitem__(self, key): ...\n    name"),
        OBJECT.replace("    name", "    def get(self, key): ...\n    name"),
        OBJECT.replace("class Row", "class Row(dict)"),
        "from elsewhere import Base\n" + OBJECT.replace("class Row", "class Row(Base)"),
    ],
)
def test_what_may_answer_for_a_key_says_nothing(new: str) -> None:
    assert not [row for row in compare(OLD, new, READ) if row.startswith("key-removed")]


@pytest.mark.parametrize(
    "body",
    [
        'try:\n        return row["size"]\n    except KeyError:\n        return 0',
        'if "size" in row:\n        return row["size"]',
    ],
)
def test_a_key_that_the_code_can_do_without(body: str) -> None:
    own = f"from lib.a import Row\ndef g(row: Row):\n    {body}\n"
    assert compare(OLD, SHORT, own) == ["key-removed lib.a.Row at-risk 4 size"]
