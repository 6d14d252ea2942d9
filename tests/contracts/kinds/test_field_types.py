"""Fields that upstream declares to hold something else."""

from __future__ import annotations

import pytest

from tests.contracts.compare import text
from tests.contracts.world import compare

OLD = """
from dataclasses import dataclass

@dataclass
class Output:
    tokens: list[list[int]]
    name: str | None = None

    def __init__(self):
        self.count: int = 0

class Special(Output):
    pass
"""
READ = "from lib.a import Special\n\ndef g(output: Special):\n    return output.{}\n"


@pytest.mark.parametrize(
    ("new", "backend", "expected"),
    [
        pytest.param(
            OLD.replace("list[list[int]]", "list[Array]"),
            READ.format("tokens"),
            ["field-type-changed lib.a.Output.tokens at-risk 4 tokens"],
            id="elements",
        ),
        pytest.param(
            OLD.replace("str | None", "bytes"),
            READ.format("name"),
            ["field-type-changed lib.a.Output.name at-risk 4 name"],
            id="type",
        ),
        pytest.param(
            OLD.replace("count: int", "count: list[int]"),
            READ.format("count"),
            ["field-type-changed lib.a.Output.count at-risk 4 count"],
            id="attribute of the instance",
        ),
    ],
)
def test_fields_of_another_type(new: str, backend: str, expected: list[str]) -> None:
    assert compare(OLD, new, backend) == expected


@pytest.mark.parametrize(
    ("new", "backend"),
    [
        pytest.param(
            OLD.replace("list[list[int]]", "list[Array]"), READ.format("name"), id="another field is read"
        ),
        pytest.param(
            OLD.replace("list[list[int]]", "List[List[int]]"), READ.format("tokens"), id="written anew"
        ),
        pytest.param(
            "Name = str | bytes\n" + OLD.replace("str | None", "Name"), READ.format("name"), id="an alias"
        ),
        pytest.param(OLD.replace("str | None", "str"), READ.format("name"), id="narrower"),
        pytest.param(
            OLD.replace("str | None", "str | None | bytes"), READ.format("name"), id="one more beside it"
        ),
        pytest.param(
            OLD.replace("list[list[int]]", "list[Array]"),
            READ.format("tokens").replace("return output.tokens", "output.tokens = 1"),
            id="only set",
        ),
    ],
)
def test_fields_that_hold_what_they_held(new: str, backend: str) -> None:
    assert not [row for row in compare(OLD, new, backend) if row.startswith("field-type")]


STATE = """
import enum
from typing import Optional
class Action(enum.Enum):
    GO = 1
class Element:
    kind: {0} = None
    @property
    def action(self) -> {0}: ...
"""
ASK = "from lib.a import Element\n\ndef g(e: Element):\n    return e.{}\n"


@pytest.mark.parametrize("field", ["action", "kind"])
@pytest.mark.parametrize(
    ("new", "asked", "breaks"),
    [
        ("Optional[Action]", "upper()", True),
        ("bytes", "encode()", True),
        ("bytes", "upper()", False),
        ("Action", "name", False),
        ("Unknown", "upper()", False),
        ("Optional[str]", "upper()", False),
    ],
)
def test_what_is_asked_of_a_value_of_another_type(field: str, new: str, asked: str, breaks: bool) -> None:
    old = STATE.format("Optional[str]")
    rows = compare(old, STATE.format(new), ASK.format(f"{field}.{asked}"))
    assert [row.split()[2] for row in rows] == (
        ["breaks"] if breaks else ["at-risk"] if field == "kind" and new != "Optional[str]" else []
    )


ITERATED = "from lib.a import Special\n\ndef g(output: Special):\n    {}\n"
BATCH = OLD.replace("tokens: list[list[int]]", "tokens: Batch") + "\nclass Batch:\n    rows: list[int]\n"


@pytest.mark.parametrize(
    "line",
    [
        "return [row for row in output.tokens]",
        "for row in output.tokens: print(row)",
        "return output.tokens[0]",
        "return len(output.tokens)",
        "return enumerate(output.tokens)",
        "return output.tokens.append(1)",
    ],
)
def test_what_can_no_longer_be_done_with_the_value_breaks(line: str) -> None:
    (found,) = compare(OLD, BATCH, ITERATED.format(line))
    assert found == "field-type-changed lib.a.Output.tokens breaks 4 tokens"


def test_a_value_of_another_package_had_what_was_asked() -> None:
    old = OLD.replace("tokens: list[list[int]]", "tokens: torch.Tensor").replace(
        "from", "import torch\nfrom", 1
    )
    assert compare(old, BATCH, ITERATED.format("return output.tokens[0]")) == [
        "field-type-changed lib.a.Output.tokens breaks 4 tokens"
    ]


@pytest.mark.parametrize("line", ["return print(output.tokens)", "return output.tokens == 1"])
def test_nothing_is_asked_that_the_new_value_lacks(line: str) -> None:
    assert compare(OLD, BATCH, ITERATED.format(line)) == [
        "field-type-changed lib.a.Output.tokens at-risk 4 tokens"
    ]


@pytest.mark.parametrize("sign", ["-", "/", "//", "%", "**"])
def test_an_operator_that_the_new_type_does_not_know(sign: str) -> None:
    new = OLD.replace("count: int", "count: tuple[int, ...]")
    backend = READ.format(f"count {sign} 2")
    assert compare(OLD, new, backend) == ["field-type-changed lib.a.Output.count breaks 4 count"]


@pytest.mark.parametrize("written", ["count * 2", "count + other", "count + (1, 2)"])
def test_an_operator_that_both_types_know(written: str) -> None:
    new = OLD.replace("count: int", "count: tuple[int, ...]")
    assert compare(OLD, new, READ.format(written)) == [
        "field-type-changed lib.a.Output.count at-risk 4 count"
    ]


@pytest.mark.parametrize(
    ("asked", "verdict"), [("start", "breaks"), ("numel()", "at-risk"), ("shape", "at-risk")]
)
def test_what_was_an_object_and_is_a_tensor(asked: str, verdict: str) -> None:
    old = "import torch\nclass Span:\n    start: int\n    shape: int\nclass Output:\n    ids: Span\n"
    new = old.replace("ids: Span", "ids: torch.Tensor")
    backend = f"from lib.a import Output\ndef g(output: Output):\n    return output.ids.{asked}\n"
    assert compare(old, new, backend) == [f"field-type-changed lib.a.Output.ids {verdict} 3 ids"]


FILLED = """
    from dataclasses import dataclass, field

    @dataclass
    class Output:
        names: list[str] = field(default_factory=list)
    """
EMPTY = FILLED.replace("list[str] = field(default_factory=list)", "list[str] | None = None")
EXTENDS = """
    from lib.a import Output

    def g(output: Output):
        output.names.extend(["a"])
    """


@pytest.mark.parametrize("default", ["None", "field(default=None)"])
def test_a_field_that_is_none_where_it_is_not_given(default: str) -> None:
    new = text(EMPTY.replace("= None", f"= {default}"))
    assert compare(text(FILLED), new, text(EXTENDS)) == [
        "field-type-changed lib.a.Output.names at-risk 4 names"
    ]


@pytest.mark.parametrize(
    ("old", "new", "backend"),
    [
        pytest.param(FILLED, EMPTY.replace(" = None", " = field(default_factory=list)"), EXTENDS, id="filled"),
        pytest.param(EMPTY, EMPTY.replace("list[str]", "list[bytes]"), "x = 1\n", id="not read"),
        pytest.param(FILLED.replace("field(default_factory=list)", "None"), EMPTY, EXTENDS, id="was None before"),
        pytest.param(FILLED, EMPTY, EXTENDS.replace(".extend([\"a\"])", ""), id="nothing asked of it"),
        pytest.param(FILLED, EMPTY, EXTENDS.replace(".extend([\"a\"])", " == 1"), id="what None can"),
        pytest.param(FILLED, EMPTY, EXTENDS.replace("    output", "    if output.names: output"), id="tested"),
    ],
)  # fmt: skip
def test_a_field_that_is_as_good_as_before(old: str, new: str, backend: str) -> None:
    assert compare(text(old), text(new), text(backend)) == []


QUEUED = "import queue\nfrom lib.base import Key\n\nclass Worker:\n    def __init__(self):\n        self.keys: {} = make()\n"
WORKER = "from lib.a import Worker\n\ndef g(w: Worker):\n    return w.keys.{}\n"


@pytest.mark.parametrize(
    ("now", "asked", "verdict"),
    [
        ("queue.Queue[Key]", "add(1)", "breaks"),
        ("queue.Queue", "add(1)", "breaks"),
        ("queue.Queue[Key]", "clear()", "breaks"),
        ("dict[Key, int]", "copy()", "at-risk"),
        ("queue.Queue[Key]", "maxsize", "at-risk"),
        ("other.Queue[Key]", "add(1)", "at-risk"),
        ("set[Key]", "add(1)", ""),
        ("set[int]", "add(1)", ""),
        ("Key", "add(1)", ""),
    ],
)
def test_what_holds_elements_whose_type_has_another_name(now: str, asked: str, verdict: str) -> None:
    old, new = ({"lib/a.py": QUEUED.format(t), "lib/base.py": "Key = str\n"} for t in ("set[Key]", now))
    found = compare(old, new, WORKER.format(asked))
    assert found == ([f"field-type-changed lib.a.Worker.keys {verdict} 4 keys"] if verdict else [])


OURS = """
from lib.a import Worker


def begin(self):
    {sets}


def end(self):
    self.keys.add(1)


Worker.__init__ = begin
Worker.end = end
"""


@pytest.mark.parametrize(
    ("sets", "verdict"), [("self.keys = set()", "at-risk"), ("self.other = set()", "breaks")]
)
def test_what_the_backend_itself_sets_is_what_it_was(sets: str, verdict: str) -> None:
    old, new = (
        {"lib/a.py": QUEUED.format(t) + "    def end(self): ...\n"} for t in ("set[int]", "queue.Queue[int]")
    )
    found = [row for row in compare(old, new, OURS.format(sets=sets)) if row.startswith("field-type")]
    assert found == [f"field-type-changed lib.a.Worker.keys {verdict} 9 keys"]
