"""The walk shows each node of a module once to the finders that ask for its kind."""

from __future__ import annotations

import ast
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from syncbot.contracts import registry
from syncbot.contracts.context import Context
from syncbot.contracts.inference.expressions import Inference
from syncbot.contracts.inference.values import Scope
from syncbot.contracts.model import Contract
from syncbot.contracts.sources import in_memory
from syncbot.contracts.walk import walk

from .world import contracts, universe

PROGRAM = """
from __future__ import annotations
import a.b as c, d
from e import f

@decorated(1)
class K(Base, metaclass=Meta, **rest):
    field: int = 1

    @x
    async def m(self, p: A, /, q: B = D, *r: C, s, t: E = F, **u: G) -> R:
        global g1
        nonlocal_ = lambda v, w=W, *y, z=Z, **k: v + w
        async for i in aiter:
            await i
        async with ctx as opened, other:
            yield opened
        return [n async for n in m if n]

def f(x):
    def inner():
        nonlocal x
        yield from x
    x = [y]
    x += y
    del x, y[1:2, ...], y.attribute
    assert x, y
    for i, *rest in {1: 2, **x}.items():
        if i: continue
        elif not i: break
        else: pass
    else: pass
    while (walrus := x): raise x from y
    try:
        f(*x, key=y, **z)
    except (A, B) as error:
        z
    except: pass
    else: x
    finally: y
    try: x
    except* C: y
    with suppress(A, B) as s, t: s
    match x, y:
        case A.b | "s" | -1 | None | {"k": v, **rest} if x > y: x
        case Point(1, y=q) | [first, *others] | (_ as named): y
        case _: pass
    return {1, 2}, {s for s in x}, {k: v for k, v in y}, (g for g in z if g), f"{x!r:>{y}}", x if y else z, (x and y)
"""

LIBRARY = sorted(p for p in Path(ast.__file__).parent.glob("*.py") if p.stat().st_size < 60_000)


def shown(text: str, *kinds: type[ast.AST]) -> list[ast.AST]:
    """The nodes that finders of these kinds get."""
    own = in_memory({"plugin/__init__.py": text})
    known = universe("")
    file = own.files[0]
    context = Context(
        file=file,
        universe=known,
        upstream=("lib",),
        inference=Inference(known, frozenset()),
        scope=Scope(file.module),
    )
    found: list[ast.AST] = []

    def note(node: ast.AST, context: Context) -> Iterator[Contract]:
        found.append(node)
        yield from ()

    walk(TREES.setdefault(text, ast.parse(text)), context, {kind: [note] for kind in kinds})
    return found


TREES: dict[str, ast.Module] = {}


def held(text: str, kinds: set[type[ast.AST]]) -> None:
    """Each node of these kinds once, and nothing else."""
    found = Counter(map(id, shown(text, *kinds)))
    assert found == Counter(id(node) for node in ast.walk(TREES[text]) if type(node) in kinds)
    assert set(found.values()) <= {1}


def test_the_program_has_every_kind_of_node_that_is_shown() -> None:
    assert {type(node) for node in ast.walk(ast.parse(PROGRAM))} & registry.SHOWN == registry.SHOWN
    held(PROGRAM, set(registry.SHOWN))


@pytest.mark.parametrize("kind", sorted(registry.SHOWN, key=lambda kind: kind.__name__))
def test_a_finder_gets_each_node_of_its_kind_once(kind: type[ast.AST]) -> None:
    assert shown(PROGRAM, kind)
    held(PROGRAM, {kind})


@pytest.mark.parametrize("file", random.Random(1).sample(LIBRARY, 25), ids=lambda file: file.name)
def test_on_real_programs_every_node_is_shown(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    held(text, set(registry.SHOWN))
    held(text, {ast.Attribute, ast.Call, ast.Constant})


@pytest.mark.parametrize(
    "kind",
    [
        ast.Module,
        ast.Load,
        ast.Add,
        ast.And,
        ast.Eq,
        ast.Not,
        ast.stmt,
        ast.expr,
        ast.AST,
        ast.pattern,
        ast.Num,
    ],
)
def test_a_kind_that_is_not_shown_is_refused(kind: type[ast.AST]) -> None:
    with pytest.raises(TypeError, match=rf"no finder is shown ast\.{kind.__name__}: register for"):
        registry.finder(kind)
    assert kind not in registry.finders()


def test_what_a_pattern_names_is_a_contract() -> None:
    backend = """
        from lib import a

        def f(x):
            match x:
                case a.LIMIT if x.y(a.other):
                    return 1
        """
    lines = {(c.symbol, c.place.location.line) for c in contracts("LIMIT = 1\nother = 2\n", backend)}
    assert lines >= {("lib.a.LIMIT", 5), ("lib.a.other", 5)}


@pytest.mark.parametrize(
    ("statement", "known"),
    [
        ("a.Box.other = x", True),
        ("a.Box.table[0] = x", True),
        ("for a.Box.other in x: ...", True),
        ("a = x", False),
        ("for a in x: ...", False),
        ("a, a.other = x", False),
    ],
)
def test_what_is_given_an_attribute_keeps_its_meaning(statement: str, known: bool) -> None:
    backend = f"""
        from lib import a

        def f(x):
            {statement}
            a.Box.size
        """
    upstream = "class Box:\n    size = 1\n    other = 2\n    table = {}\n"
    lines = {(c.symbol, c.place.location.line) for c in contracts(upstream, backend)}
    assert (("lib.a.Box.size", 5) in lines) is known


def test_a_finder_that_wants_words_is_shown_files_that_have_one() -> None:
    """Such a finder needs the words to find anything; the other finders are shown every file."""
    nothing, some = (registry.finders_for(frozenset(words)) for words in ((), ("getattr", "x")))
    more = {f.__name__ for f in some[ast.Call]} - {f.__name__ for f in nothing[ast.Call]}
    assert more == {"find_getattr"}
    everything = registry.finders_for(frozenset({w for wanted in registry._words.values() for w in wanted}))
    assert {kind: list(found) for kind, found in everything.items()} == registry.finders()


def test_of_some_kinds_those_finders_are_shown_that_say_to_find_them() -> None:
    kinds = (registry.contract_types()["ImportContract"], registry.contract_types()["PatchContract"])
    some, everything = registry.finders_for(frozenset(), kinds), registry.finders_for(frozenset())
    assert {f.__name__ for f in some[ast.ImportFrom]} == {"find_imports"}
    # One that finds a kind or another one.
    assert "find_entries" in {f.__name__ for f in some[ast.Assign]}
    assert "find_calls" not in {f.__name__ for f in some[ast.Call] if f.__module__.endswith("kinds.calls")}
    assert registry.finders_for(frozenset(), tuple(registry.contract_types().values())) == everything
