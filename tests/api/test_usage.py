"""The names that modules call and read."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from syncbot.api.cache import TableCache
from syncbot.api.extract import extract
from syncbot.api.model import Call, ModuleTable, UsageTable
from syncbot.api.tree import ModuleTree
from syncbot.api.usage import UsageIndex, UsageTables, extract_usage


def calls(text: str) -> list[Call]:
    return list(extract_usage(text.encode()).calls)


@pytest.mark.parametrize(
    ("text", "call"),
    [
        ("f()", Call("f", 1, 0, (), False, "")),
        ("a.b.c(1, 2, k=3)", Call("a.b.c", 1, 2, ("k",), False, "")),
        ("f(*a, 1)", Call("f", 1, 1, (), True, "")),
        ("f(k=1, **b)", Call("f", 1, 0, ("k",), True, "")),
        ("a[0].run(1)", Call("?.run", 1, 1, (), False, "")),
        ("(lambda: 1)()", Call("?", 1, 0, (), False, "")),
        ("super().run(1)", Call("super().run", 1, 1, (), False, "")),
        ("super(C, self).run(1)", Call("super().run", 1, 1, (), False, "")),
        (
            "class C:\n  async def m(self):\n    await self.go(k=1)",
            Call("self.go", 3, 0, ("k",), False, "C.m"),
        ),
        ("def f():\n  def g():\n    h()", Call("h", 3, 0, (), False, "f.g")),
        ("x = [f(i) for i in y if g]", Call("f", 1, 1, (), False, "")),
        ("match f(1):\n  case C(): pass", Call("f", 1, 1, (), False, "")),
        ("lambda: f(1)", Call("f", 1, 1, (), False, "")),
        ("def f():\n  d = {'a': 1}\n  g(k=1, **d)", Call("g", 3, 0, ("k", "a"), False, "f")),
        ("def f():\n  d = dict(a=1)\n  d['b'] = 2\n  g(**d)", Call("g", 4, 0, ("a", "b"), False, "f")),
        ("def f(x):\n  d = {'a': 1}\n  if x:\n    d['b'] = 2\n  g(**d)", Call("g", 5, 0, ("a",), False, "f")),
        ("def f(x):\n  d = {'a': 1}\n  d.update(x)\n  g(**d)", Call("g", 4, 0, ("a",), True, "f")),
        ("def f(x):\n  d = {'a': 1}\n  x(d)\n  g(**d)", Call("g", 4, 0, (), True, "f")),
        ("def f(d):\n  g(**d)", Call("g", 2, 0, (), True, "f")),
        ("d = {'a': 1}\ng(**d)", Call("g", 2, 0, (), True, "")),
    ],
)
def test_calls(text: str, call: Call) -> None:
    assert call in calls(text)


@pytest.mark.parametrize(
    ("text", "call"),
    [
        ("Thread(target=a.f, args=(1, 2), kwargs={'k': 3})", Call("a.f", 1, 2, ("k",), False, "", False)),
        ("ctx.Process(target=f, kwargs=dict(k=3))", Call("f", 1, 0, ("k",), False, "", False)),
        ("Thread(target=f, args=given)", Call("f", 1, 0, (), True, "", False)),
        ("Thread(None, f, 'name', (1,))", Call("f", 1, 1, (), False, "", False)),
        ("pool.submit(self.f, 1, k=2)", Call("self.f", 1, 1, ("k",), False, "", False)),
        ("loop.run_in_executor(None, f, 1)", Call("f", 1, 1, (), False, "", False)),
        ("functools.partial(f, 1, k=2)", Call("f", 1, 1, ("k",), True, "", False)),
        ("all.ask('f', args=(1, 2))", Call("?.f", 1, 2, (), False, "", False)),
        ("all.ask('f', args=(1,), kwargs={'k': 2})", Call("?.f", 1, 1, ("k",), False, "", False)),
        ("all.ask('f', timeout=3, kwargs={'k': 2})", Call("?.f", 1, 0, ("k",), False, "", False)),
        ("from m import f as g\ng(1)", Call("f", 2, 1, (), False, "", False)),
        ("def h():\n  from m import f as g\n  g(k=1)", Call("f", 3, 0, ("k",), False, "h", False)),
    ],
)
def test_calls_that_are_made_later_or_by_another_name(text: str, call: Call) -> None:
    assert call in calls(text)
    assert [c for c in calls(text) if not c.direct] == [call]


@pytest.mark.parametrize(
    "text",
    [
        "register(f, 1)",
        "Thread(args=(1,))",
        "pool.submit(*all)",
        "from m import f\nf(1)",
        "import m as n\nn.f(1)",
    ],
)
def test_calls_that_nothing_else_makes(text: str) -> None:
    assert all(c.direct for c in calls(text))


def test_calls_in_decorators_defaults_and_annotations() -> None:
    text = (
        "@deco(1)\ndef f(a=make(), b: kind() = 1) -> result(): ...\nclass C(base(), metaclass=meta()): ...\n"
    )
    assert {c.callee for c in calls(text)} == {"deco", "make", "kind", "result", "base", "meta"}


def test_calls_are_in_the_order_of_their_lines() -> None:
    assert [c.line for c in calls("a(\n  b(),\n  c(),\n)\nd()\n")] == [1, 2, 3, 5]


def test_chains_are_what_is_read_not_what_is_written() -> None:
    found = extract_usage(b"a.b.c = d.e.f\ndel g.h\nx[0].y\nf().z.w\nname\n").chains
    assert {"a.b", "d.e.f", "d.e", "?.y", "?.z"} <= set(found)
    assert not {"a.b.c", "g.h", "name"} & set(found)


@pytest.mark.parametrize("text", [b"def (:\n", b"\0", b"x = '\xff'", b"(" * 100_000])
def test_what_does_not_parse_is_a_problem(text: bytes) -> None:
    found = extract_usage(text)
    assert found.problem
    assert found == UsageTable(problem=found.problem)


@given(st.binary(max_size=200))
def test_no_bytes_make_it_fail(text: bytes) -> None:
    assert extract_usage(text) == extract_usage(text)


# Over a tree


def tree(files: Mapping[str, str]) -> ModuleTree:
    """A tree whose blobs are their own texts."""
    tables = TableCache(None, "modules", "1", extract, ModuleTable)
    return ModuleTree({"engine/__init__.py": "", **files}, ("engine",), tables, str.encode)


def usage_of(found: ModuleTree) -> UsageTables:
    return UsageTables(found, UsageIndex(TableCache(None, "usages", "1", extract_usage, UsageTable)))


FILES = {
    "engine/a.py": "worker.run(1)\nrun(2)\n# stop(3)\n",
    "engine/b.py": "x = worker.run\n'run('\nrerun(1)\n",
    "engine/c.py": "pool[0].run(k=1)\n",
}
MODULES = ("engine.a", "engine.b", "engine.c", "engine.gone")


def test_calls_by_name_in_some_modules() -> None:
    found = usage_of(tree(FILES))
    assert [(m, c.callee, c.line) for m, c in found.calls(MODULES, "run")] == [
        ("engine.a", "worker.run", 1),
        ("engine.a", "run", 2),
        ("engine.c", "?.run", 1),
    ]
    assert [m for m, _ in found.calls(MODULES[1:], "run")] == ["engine.c"]
    assert list(found.calls(MODULES, "stop")) == []


def test_calls_that_are_asked_for_by_name() -> None:
    asked = {
        "engine/a.py": "everybody('run', args=(1,))\n",
        "engine/b.py": "everybody('run', args=given)\neverybody('run', 2, args=(1,))\n",
        "engine/c.py": "everybody('run')\neverybody('not run', args=(1,))\n",
    }
    found = usage_of(tree(asked)).calls(MODULES, "run")
    assert [(m, c.callee, c.positional) for m, c in found] == [("engine.a", "?.run", 1)]


def test_other_names_are_asked_for_apart() -> None:
    renamed = usage_of(tree({"engine/a.py": "from engine.b import run as go\ngo(1)\n"}))
    assert [c.callee for _, c in renamed.calls_under_any_name(MODULES, "run")] == ["run"]
    assert list(renamed.calls(MODULES, "run")) == []


def test_readers_of_an_attribute() -> None:
    found = usage_of(tree(FILES))
    assert list(found.readers(MODULES, "run")) == ["engine.a", "engine.b", "engine.c"]
    assert list(found.readers(MODULES, "rerun")) == []


def test_only_modules_that_answer_count_as_looked_at() -> None:
    modules = tree(FILES)
    found = usage_of(modules)
    seen = modules.start_recording()
    list(found.calls(MODULES, "run"))
    modules.stop_recording(seen)
    assert seen == {"engine.a", "engine.c"}
    seen = modules.start_recording()
    assert found.chains("engine.b") == ("worker.run",)
    assert found.chains("engine.gone") == ()
    modules.stop_recording(seen)
    assert seen == {"engine.b", "engine.gone"}
