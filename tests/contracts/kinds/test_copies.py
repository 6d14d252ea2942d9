"""Copied bodies: which changes of the original concern the copy."""

from __future__ import annotations

import pytest

from tests.contracts.compare import compare, engine, rows, told

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


def _inserted(index: int, line: str) -> tuple[str, ...]:
    return (*LINES[:index], line, *LINES[index:])


@pytest.mark.parametrize(
    ("new", "mine"),
    [
        pytest.param(_changed(2, "c = mix(b, a)"), LINES, id="line changed"),
        pytest.param(LINES[:3] + LINES[4:], LINES, id="line gone"),
        pytest.param(_inserted(3, "log(c)"), LINES, id="line gained"),
        pytest.param(_changed(2, "c = mix(b, a)"), _changed(5, "f = npu_pack(e)"), id="other lines differ"),
    ],
)
def test_originals_that_changed_where_the_copy_is_alike(new: tuple[str, ...], mine: tuple[str, ...]) -> None:
    assert told(_base(), _base(new), _mine(mine)) == ["copied-body-changed core.Base.run drift 3"]


@pytest.mark.parametrize(
    ("new", "mine"),
    [
        pytest.param(LINES, LINES, id="nothing"),
        pytest.param(_changed(2, "c = mix(b, a)"), _changed(2, "c = npu_mix(a, b)"), id="replaced line"),
        pytest.param(_changed(2, "c = mix(b, a)"), _changed(2, "c = mix(b, a)"),
                     id="the copy has it already"),
        pytest.param(_inserted(3, "log(c)"), _inserted(3, "log(c)"), id="the copy gained it already"),
        pytest.param(_inserted(3, "'a note'"), LINES, id="a string that does nothing"),
        pytest.param(_inserted(3, "# a note"), LINES, id="comment"),
        pytest.param(_changed(2, "c = mix(a,\n            b)"), LINES, id="layout"),
        pytest.param(_changed(2, "c = mix(b, a)"), LINES[:2], id="too short to be a copy"),
        pytest.param(_changed(2, "c = mix(b, a)"),
                     tuple(f"{n} = own_{n}(x)" for n in "abdefg") + LINES[2:3], id="not alike"),
    ],
)  # fmt: skip
def test_originals_that_changed_elsewhere_or_are_no_originals(
    new: tuple[str, ...], mine: tuple[str, ...]
) -> None:
    assert told(_base(), _base(new), _mine(mine)) == []


def test_a_new_line_beside_one_that_the_copy_lacks_does_not_concern_it() -> None:
    mine = _changed(2, "c = npu_mix(a, b)")
    assert told(_base(), _base(_inserted(3, "log(c)")), _mine(mine)) == []


def test_each_part_of_a_change_has_a_reason_of_its_own() -> None:
    new = (*_changed(1, "b = check(a, 1)")[:5], "f = pack(e, 2)", LINES[6])
    found = compare(engine(_base()), engine(_base(new)), {"plugin/use.py": _mine()})
    assert [f.reason.partition(", copied here, ")[2] for f in found] == [
        "changed: `b = check(a)` now reads `b = check(a, 1)`",
        "changed: `f = pack(e)` now reads `f = pack(e, 2)`",
    ]
    assert len({f.key for f in found}) == 2


def test_of_long_lines_the_difference_is_told() -> None:
    call = f"pack({', '.join(f'argument_{n}=e' for n in range(12))}"
    mine, new = _changed(5, f"f = {call})"), _changed(5, f"f = {call}, last=2)")
    (found,) = compare(engine(_base(mine)), engine(_base(new)), {"plugin/use.py": _mine(mine)})
    shown = "…, argument_10=e, argument_11=e"
    assert found.reason.partition(", copied here, ")[2] == (
        f"changed: `{shown})` now reads `{shown}, last=2)`"
    )


def test_a_copy_that_is_patched_in() -> None:
    core = f"def run(x):\n{_body(LINES, '    ')}    return g\n"
    changed = core.replace("mix(a, b)", "mix(b, a)")
    copy = f"def mine(x):\n{_body(LINES, '    ')}    return place(g)\n"
    plugin = f"from engine import core\n\n{copy}core.run = mine\n"
    assert rows(compare(engine(core), engine(changed), {"plugin/use.py": plugin})) == [
        "copied-body-changed core.run drift 3"
    ]
    unpatched = plugin.replace("core.run = mine\n", "")
    assert compare(engine(core), engine(changed), {"plugin/use.py": unpatched}) == []


def test_a_copy_of_a_method_two_bases_up() -> None:
    old, new = _base() + "class Child(Base): ...\n", _base(LINES[:3] + LINES[4:]) + "class Child(Base): ...\n"
    assert told(old, new, _mine().replace("Base", "Child")) == ["copied-body-changed core.Base.run drift 3"]


def test_a_copy_whose_original_moved_with_its_class() -> None:
    old = engine(_base())
    new = engine("", other=_base(LINES[:3] + LINES[4:]))
    found = rows(compare(old, new, {"plugin/use.py": _mine()}))
    assert "symbol-moved core.Base breaks 1" in found
    assert "copied-body-changed core.Base.run drift 3" in found
