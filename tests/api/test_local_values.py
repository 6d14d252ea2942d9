"""The values of a function's names that it assigns only once."""

from __future__ import annotations

import pytest

from syncbot.api.extract import extract

METHOD = "class A:\n    def __init__(self, given):\n        {}\n"


def value_of(body: str) -> str | None:
    """The text of the value that the constructor is seen to set ``self.it`` to."""
    (class_,) = extract(METHOD.format(body.replace("\n", "\n        ")).encode()).classes
    return {a.name: a.value for a in class_.attributes}["it"]


@pytest.mark.parametrize(
    ("body", "value"),
    [
        ("made = Engine(given)\nself.it = made", "Engine(given)"),
        ("made = Engine.of(given)\nmade.start()\nif given:\n    self.it = made", "Engine.of(given)"),
        ("inner = given.part\nself.it = inner", "given.part"),
    ],
)
def test_one_value_is_meant(body: str, value: str) -> None:
    assert value_of(body) == value


@pytest.mark.parametrize(
    "body",
    [
        "made = Engine()\nmade = Other()\nself.it = made",
        "made = Engine()\nmade += 1\nself.it = made",
        "for made in given:\n    made = Engine()\nself.it = made",
        "with given as made:\n    self.it = made",
        "made = 1\nself.it = made",
        "made, other = Engine()\nself.it = made",
        "global made\nmade = Engine()\nself.it = made",
        "made = Engine()\ndel made\nself.it = made",
        "self.it = made",
    ],
)
def test_a_name_with_another_value_or_none_stays(body: str) -> None:
    assert value_of(body) == "made"


def test_a_parameter_stays() -> None:
    assert value_of("given = Engine()\nself.it = given") == "given"
