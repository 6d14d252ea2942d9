"""Forms for type checkers where a class stood."""

from __future__ import annotations

import pytest

from tests.contracts.compare import told

CLASS = """
    import enum
    class Way(str, enum.Enum):
        FAST = "fast"
        def is_quick(self): ...
    class Config:
        way: Way
    """
FORM = """
    from typing import Literal, TypeAlias, Union
    class Config:
        way: Way
    Way{} = {}
    """
LITERALS = ["Literal['fast']", "Literal['fast', 'slow']"]
FORMS = [*LITERALS, "Union[int, str]", "int | None"]


@pytest.mark.parametrize("head", ["", ": TypeAlias"])
@pytest.mark.parametrize("form", FORMS)
def test_a_form_has_no_member(form: str, head: str) -> None:
    use = "from engine.core import Way\ndef f(way): return way == Way.FAST\n"
    assert told(CLASS, FORM.format(head, form), use) == ["attribute-removed core.Way.FAST breaks 2"]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "use", ["Way('fast')", "Way['FAST']", "class Mine(Way):\n    pass", "def f(name): return Way(name)"]
)
def test_a_form_makes_no_objects(form: str, use: str) -> None:
    rows = told(CLASS, FORM.format("", form), f"from engine.core import Way\n{use}\n")
    assert "type-changed core.Way breaks 2" in rows


@pytest.mark.parametrize("use", ["isinstance(x, Way)", "isinstance(x, (int, Way))"])
def test_nothing_is_tested_for_being_one_of_listed_values(use: str) -> None:
    text = f"from engine.core import Way\ndef f(x): return {use}\n"
    for form in LITERALS:
        assert "type-changed core.Way breaks 2" in told(CLASS, FORM.format("", form), text)
    # https://peps.python.org/pep-0604/: isinstance takes a union of classes.
    assert told(CLASS, FORM.format("", "int | str"), text) == []


@pytest.mark.parametrize(
    ("form", "rows"),
    [
        ("Literal['fast']", ["attribute-removed core.Way.is_quick breaks 2"]),
        ("Literal['is_quick', OTHER]", ["name-vanished core.Way.is_quick at-risk 2"]),
        ("Union[int, str]", ["name-vanished core.Way.is_quick at-risk 2"]),
    ],
)
def test_what_is_asked_of_listed_values(form: str, rows: list[str]) -> None:
    use = "from engine.core import Config\ndef f(config: Config): return config.way.is_quick()\n"
    assert told(CLASS, FORM.format("", form), use) == rows


def test_listed_values_have_what_their_type_has() -> None:
    old = CLASS.replace("is_quick", "upper")
    use = "from engine.core import Config\ndef f(config: Config): return config.way.upper()\n"
    assert told(old, FORM.format("", "Literal['fast']"), use) == []
    assert told(old, FORM.format("", "Literal[1]"), use) == ["attribute-removed core.Way.upper breaks 2"]


@pytest.mark.parametrize("now", ["Other", "make()", "dict[str, int]", "Annotated[Other, 1]", "Other or None"])
def test_what_may_be_a_class_still(now: str) -> None:
    new = f"class Other: ...\nWay = {now}\n"
    use = "from engine.core import Way\nWay('fast')\nclass Mine(Way):\n    pass\n"
    assert [row for row in told("class Way: ...\n", new, use) if row.startswith("type-changed")] == []


def test_a_form_under_a_condition_may_be_a_class() -> None:
    new = "from typing import Literal\nif FAST:\n    Way = Literal['a']\nelse:\n    class Way: ...\n"
    assert told("class Way: ...\n", new, "from engine.core import Way\nclass Mine(Way):\n    pass\n") == []
