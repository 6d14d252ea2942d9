"""Copied bodies: which changes of the original concern the copy."""

from __future__ import annotations

from tests.contracts.world import engine, findings

LINES = (
    "a = load(x)",
    "b = check(a)",
    "c = mix(a, b)",
    "d = cut(c)",
    "e = sort(d)",
    "f = pack(e)",
    "g = seal(f)",
)


def _body(lines: tuple[str, ...], indent: str = "        ") -> str:
    return "".join(f"{indent}{line}\n" for line in lines)


def _base(lines: tuple[str, ...] = LINES) -> str:
    return f"class Base:\n    def run(self, x):\n{_body(lines)}        return g\n"


def _mine(lines: tuple[str, ...] = LINES) -> str:
    return (
        "from engine.core import Base\nclass Mine(Base):\n    def run(self, x):\n"
        f"{_body(lines)}        return self.place(g)\n"
    )


def _changed(index: int, line: str) -> tuple[str, ...]:
    return (*LINES[:index], line, *LINES[index + 1 :])


def test_each_part_of_a_change_has_a_reason_of_its_own() -> None:
    new = (*_changed(1, "b = check(a, 1)")[:5], "f = pack(e, 2)", LINES[6])
    found = findings(engine(_base()), engine(_base(new)), {"plugin/use.py": _mine()})
    assert [f.reason.partition(", copied here, ")[2] for f in found] == [
        "changed: `b = check(a)` now reads `b = check(a, 1)`",
        "changed: `f = pack(e)` now reads `f = pack(e, 2)`",
    ]
    assert len({f.key for f in found}) == 2


def test_of_long_lines_the_difference_is_told() -> None:
    call = f"pack({', '.join(f'argument_{n}=e' for n in range(12))}"
    mine, new = _changed(5, f"f = {call})"), _changed(5, f"f = {call}, last=2)")
    (found,) = findings(engine(_base(mine)), engine(_base(new)), {"plugin/use.py": _mine(mine)})
    shown = "…, argument_10=e, argument_11=e"
    assert found.reason.partition(", copied here, ")[2] == (
        f"changed: `{shown})` now reads `{shown}, last=2)`"
    )
