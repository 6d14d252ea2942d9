"""Names through any graph of imports: as a plain search finds them, in steps that grow with the graph."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from syncbot.api.extract import extract
from syncbot.api.model import ModuleTable
from syncbot.api.symbols import Symbol
from syncbot.api.tree import ModuleTree
from syncbot.api.universe import Universe

NAMES = "abc"
# What a module of a graph says, one a line: ("from", module, name, local), ("star", module), ("class", name),
# ("value", name), ("alias", name, other).
Graph = Sequence[Sequence[tuple[str, ...]]]


class Counted:
    """Tables that count how often they are asked for."""

    def __init__(self) -> None:
        self.steps = 0
        self._known: dict[str, ModuleTable] = {}

    def get(self, blob: str, read: Callable[[str], bytes]) -> ModuleTable:
        self.steps += 1
        if blob not in self._known:
            self._known[blob] = extract(read(blob))
        return self._known[blob]


def universe(files: Mapping[str, str]) -> tuple[Universe, Counted]:
    tables = Counted()
    modules = {module: (f"{module}.py", text) for module, text in files.items()}
    return Universe((ModuleTree.of_modules(modules, tables, str.encode),)), tables


def written(graph: Graph) -> dict[str, str]:
    shapes = {
        "from": "from lib.{0} import {1} as {2}",
        "star": "from lib.{0} import *",
        "class": "class {0}: ...",
        "value": "{0} = 1",
        "alias": "{0} = {1}",
    }
    texts = ("".join(f"{shapes[kind].format(*rest)}\n" for kind, *rest in module) for module in graph)
    return {"lib": "", **{f"lib.m{number}": text for number, text in enumerate(texts)}}


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    count = draw(st.integers(1, 6))
    name, module = st.sampled_from(NAMES), st.sampled_from([f"m{i}" for i in range(count)])
    line = st.one_of(
        st.tuples(st.just("star"), module),
        st.tuples(st.just("star"), module),
        st.tuples(st.just("from"), module, name, name),
        st.tuples(st.just("alias"), name, name),
        st.tuples(st.just("class"), name),
        st.tuples(st.just("value"), name),
    )

    def defines(said: tuple[str, ...]) -> object:
        # Several definitions of a name are another subject.
        return said[1] if said[0] in ("class", "value", "alias") else said

    lines = st.lists(line, max_size=4, unique_by=defines)
    return draw(st.lists(lines, min_size=count, max_size=count))


def plainly(graph: Graph, module: str, name: str, active: frozenset[tuple[str, str]]) -> str | None:
    """Return the kind and home of a name, by trying every path that asks no module twice for a name."""
    if (module, name) in active:
        return None
    active |= {(module, name)}
    lines = graph[int(module[1:])]
    for said in lines:
        match said:
            case ("class" | "value" as kind, defined) if defined == name:
                return f"{kind} {module}.{name}"
            case ("alias", defined, other) if defined == name:
                found = plainly(graph, module, other, active)
                return found if found and found.startswith("class") else f"value {module}.{name}"
    for kind in ("from", "star"):
        for said in reversed(lines):
            if said[0] == kind and (kind == "star" or said[3] == name):
                found = plainly(graph, said[1], name if kind == "star" else said[2], active)
                if found is not None:
                    return found
    return None


def shown(symbol: Symbol | None) -> str | None:
    if symbol is None:
        return None
    return f"{'class' if symbol.kind == 'class' else 'value'} {symbol.name.removeprefix('lib.')}"


@given(graphs(), st.randoms(use_true_random=False))
def test_names_are_found_as_a_plain_search_finds_them(graph: Graph, chance: st.Random) -> None:
    files = written(graph)
    questions = [(f"m{number}", name) for number in range(len(graph)) for name in NAMES]
    expected = {asked: plainly(graph, *asked, frozenset()) for asked in questions}
    size = sum(len(module) + 1 for module in graph)
    for module, name in questions:
        names, tables = universe(files)
        assert shown(names.local(f"lib.{module}", name)) == expected[module, name]
        # Each name of each module is asked for once, with its submodules and without.
        assert tables.steps <= 2 * len(NAMES) * size
    chance.shuffle(questions)
    names, _ = universe(files)
    assert {(m, n): shown(names.local(f"lib.{m}", n)) for m, n in questions} == expected


@given(graphs(), st.randoms(use_true_random=False))
def test_what_is_looked_at_is_the_same_whatever_was_asked_before(graph: Graph, chance: st.Random) -> None:
    files = written(graph)
    questions = [(f"lib.m{number}", name) for number in range(len(graph)) for name in NAMES]

    def looks(names: Universe, asked: tuple[str, str]) -> set[str]:
        with names.watch() as seen:
            names.local(*asked)
        return seen()

    alone = {asked: looks(universe(files)[0], asked) for asked in questions}
    chance.shuffle(questions)
    names, _ = universe(files)
    assert {asked: looks(names, asked) for asked in questions} == alone


def layers(deep: int, wide: int) -> dict[str, str]:
    """Layers of modules, each of which takes all that the next layer has."""
    files = {
        f"lib.m{layer}_{number}": "".join(
            f"from lib.m{layer + 1}_{other} import *\n" for other in range(wide) if layer + 1 < deep
        )
        for layer in range(deep)
        for number in range(wide)
    }
    return {"lib": "", **files}


def circle(modules: int, ahead: int) -> dict[str, str]:
    """A circle of modules, each of which takes all that the next ones have."""
    texts = (
        "".join(f"from lib.m{(n + i) % modules}_0 import *\n" for i in range(1, ahead + 1))
        for n in range(modules)
    )
    return {"lib": "", **{f"lib.m{number}_0": text for number, text in enumerate(texts)}}


@pytest.mark.parametrize(
    ("files", "edges"),
    [
        (layers(16, 2), 15 * 4),
        (layers(30, 3), 29 * 9),
        (circle(4, 3), 4 * 3),
        (circle(40, 5), 40 * 5),
        (layers(2_000, 1), 2_000),
        (circle(2_000, 1), 2_000),
    ],
    ids=["16 layers of 2", "30 layers of 3", "circle of 4", "circle of 40", "chain", "long circle"],
)
def test_steps_grow_with_the_imports(files: Mapping[str, str], edges: int) -> None:
    last = max(files, key=lambda name: int(name[5:].partition("_")[0] or -1))
    for text, expected in (("", None), ("class Found: ...\n", "class")):
        names, tables = universe({**files, last: files[last] + text})
        found = names.local("lib.m0_0", "Found")
        assert (found.kind if found is not None else None) == expected
        assert tables.steps <= 2 * (edges + len(files))


def test_all_modules_of_a_chain_together_cost_what_the_first_costs() -> None:
    files = layers(300, 1)
    names, tables = universe(files)
    assert [names.local(module, "Nothing") for module in files] == [None] * len(files)
    assert tables.steps <= 4 * len(files)


def diamonds(steps: int) -> str:
    """Classes in diamonds one above the other."""
    lines = ["class A0: ..."]
    for n in range(1, steps + 1):
        lines += [f"class L{n}(A{n - 1}): ...", f"class R{n}(A{n - 1}): ...", f"class A{n}(L{n}, R{n}): ..."]
    return "\n".join(lines) + "\n"


def test_steps_grow_with_the_classes() -> None:
    namespace: dict[str, type] = {}
    exec(diamonds(40), namespace)
    names, tables = universe({"lib": diamonds(40)})
    bottom = names.resolve("lib.A40")
    assert bottom is not None
    found = [c.qualname for c in names.lineage(bottom).classes]
    assert found == [c.__name__ for c in namespace["A40"].__mro__[:-1]]
    assert tables.steps <= 2 * 4 * 40 + 10


def test_a_class_has_so_many_classes_above_it_at_most() -> None:
    source = "class C0: ...\n" + "".join(f"class C{i}(C{i - 1}): ...\n" for i in range(1, 3_000))
    names, tables = universe({"lib": source})
    last = names.resolve("lib.C2999")
    assert last is not None
    assert [c.qualname for c in names.lineage(last).classes] == [f"C{i}" for i in range(2999, 2499, -1)]
    assert tables.steps <= 2 * 3_000 + 10


@given(
    st.lists(st.lists(st.sampled_from("ABCDEF"), max_size=3, unique=True), min_size=6, max_size=6),
    st.permutations("ABCDEF"),
)
def test_classes_that_derive_from_themselves_end_whatever_was_asked_before(
    bases: Sequence[Sequence[str]], order: Sequence[str]
) -> None:
    source = "".join(
        f"class {name}({', '.join(above)}): ...\n" for name, above in zip("ABCDEF", bases, strict=True)
    )

    def lineage(names: Universe, name: str) -> list[str]:
        symbol = names.resolve(f"lib.{name}")
        assert symbol is not None
        return [c.qualname for c in names.lineage(symbol).classes]

    alone = {name: lineage(universe({"lib": source})[0], name) for name in "ABCDEF"}
    names, _ = universe({"lib": source})
    assert {name: lineage(names, name) for name in order} == {name: alone[name] for name in order}
    above = {name: {name} for name in "ABCDEF"}
    for _ in "ABCDEF":
        for name, direct in zip("ABCDEF", bases, strict=True):
            above[name] |= {other for base in direct for other in above[base]}
    for name, found in alone.items():
        assert found[0] == name
        assert len(set(found)) == len(found)
        assert set(found) == above[name]


def test_names_through_classes_that_need_them_end() -> None:
    source = "A = C.inner\n\n\nclass C(A):\n    class inner(A): ...\n\n\nB = B.B\nD = E\nE = D\n"
    names, _ = universe({"lib": source})
    kinds = {name: symbol.kind for name in "ABCDE" if (symbol := names.resolve(f"lib.{name}")) is not None}
    assert kinds == {"A": "class", "B": "variable", "C": "class", "D": "variable", "E": "variable"}
