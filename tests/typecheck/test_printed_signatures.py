from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from syncbot.api.model import Parameter
from syncbot.typecheck.printed_signatures import Printed, misfits, parse


def kinds(ours: str, theirs: str) -> list[tuple[str, str]]:
    mine, other = parse(ours), parse(theirs)
    assert mine is not None
    assert other is not None
    return [(m.kind, m.name) for m in misfits(mine, other)]


@pytest.mark.parametrize(
    ("ours", "theirs", "expected"),
    [
        ("(a: int) -> int", "(a: int) -> int", []),
        ("(a: int, b: int = 1) -> int", "(a: int) -> int", []),
        ("() -> None", "(*, dry: bool = False) -> None", [("unaccepted", "dry")]),
        ("(**kwargs: Any) -> None", "(*, dry: bool = False) -> None", []),
        ("(a: int, b: int) -> None", "(a: int) -> None", [("required", "b")]),
        ("(a: int) -> None", "(a: int, b: dict[str, int] = ...) -> None", [("unaccepted", "b")]),
        ("(a: int) -> None", "(x: int) -> None", [("renamed", "x")]),
        ("(a: int) -> None", "(x: int, /) -> None", []),
        ("(a: int, b: int) -> None", "(a: int, b: int = 2) -> None", [("default", "b")]),
        ("(a: int, c: int) -> None", "(a: int, b: int, c: int) -> None", [("unaccepted", "b")]),
        ("(a: int) -> None", "(*args: Any, **kwargs: Any) -> None", []),
    ],
)
def test_misfits(ours: str, theirs: str, expected: list[tuple[str, str]]) -> None:
    assert kinds(ours, theirs) == expected


def test_what_is_no_signature_is_not_parsed() -> None:
    assert parse("int | None") is None
    assert parse("(...) -> int") is None
    assert parse("(a: int") is None


def test_the_receiver_and_the_name_of_a_printed_function_are_left_out() -> None:
    printed = parse("def run(self, x: Unknown, y: tuple[int, str] = ...) -> dict[str, int]")
    assert printed == Printed(
        (Parameter("x", "any", None, "Unknown"), Parameter("y", "any", "...", "tuple[int, str]")),
        "dict[str, int]",
    )


NAMES = st.lists(st.from_regex(r"[a-z]{1,5}", fullmatch=True), unique=True, max_size=6).filter(
    lambda names: not {"self", "cls"} & set(names)
)
TYPES = st.sampled_from(
    ["int", "dict[str, list[int]]", "(x: int, y: str) -> None", "Callable[[int], str] | None"]
)


@given(names=NAMES, data=st.data())
def test_printing_and_parsing_give_the_same_parameters(names: list[str], data: st.DataObject) -> None:
    cut = data.draw(st.integers(0, len(names)))
    parameters = tuple(
        Parameter(
            name, "any" if index < cut else "key", data.draw(st.sampled_from([None, "..."])), data.draw(TYPES)
        )
        for index, name in enumerate(names)
    )
    shown = [f"{p.name}: {p.annotation}" + (f" = {p.default}" if p.default else "") for p in parameters]
    if cut < len(names):
        shown.insert(cut, "*")
    assert parse(f"({', '.join(shown)}) -> int") == Printed(parameters, "int")


@given(names=NAMES)
def test_a_signature_suits_itself(names: list[str]) -> None:
    printed = Printed(tuple(Parameter(name, "any") for name in names))
    assert misfits(printed, printed) == ()
