"""The change of an upstream symbol between two commits, as a short diff."""

from __future__ import annotations

from syncbot.impact.upstream_hunk import LINES, difference

from .conftest import Engine, TreesOf

OLD = {
    "engine/base.py": "LIMIT = (\n    3\n)\n\n\nclass Base:\n    size: int = 1\n\n    def run(self):\n"
    "        return 1\n\n    def gone(self):\n        return 2\n",
    "engine/old.py": "def only_old():\n    return 0\n",
    "engine/point.py": "class Point:\n    x: int\n",
}
NEW = {
    "engine/base.py": "LIMIT = (\n    4\n)\n\n\nclass Base:\n    size: int = 2\n\n    def run(self, spec=None):\n"
    "        return 1\n",
    "engine/old.py": None,
    "engine/point.py": "class Point:\n    x: int\n    y: int = 0\n",
}


def body(diff: str) -> list[str]:
    return [line for line in diff.splitlines()[2:] if not line.startswith("@@")]


def test_the_text_of_the_symbol_alone_in_either_direction(engine: Engine, trees_of: TreesOf) -> None:
    old, new = engine.commit(OLD), engine.commit(NEW)
    with_ = trees_of("")
    assert body(difference(with_, "engine.base.Base.run", old, new)) == [
        "-    def run(self):",
        "+    def run(self, spec=None):",
        "         return 1",
    ]
    assert body(difference(with_, "engine.base.Base.run", new, old))[:2] == [
        "-    def run(self, spec=None):",
        "+    def run(self):",
    ]
    assert body(difference(with_, "engine.base.LIMIT", old, new)) == [" LIMIT = (", "-    3", "+    4", " )"]
    assert body(difference(with_, "engine.base.Base.size", old, new)) == [
        "-    size: int = 1",
        "+    size: int = 2",
    ]


def test_what_only_one_side_has_is_shown_whole(engine: Engine, trees_of: TreesOf) -> None:
    old, new = engine.commit(OLD), engine.commit(NEW)
    with_ = trees_of("")
    gone = body(difference(with_, "engine.base.Base.gone", old, new))
    assert [line for line in gone if line.startswith("-")][-2:] == [
        "-    def gone(self):",
        "-        return 2",
    ]
    assert body(difference(with_, "engine.old", old, new)) == ["-def only_old():", "-    return 0"]
    assert difference(with_, "engine.base", old, new) == ""
    assert difference(with_, "engine.nowhere", old, new) == ""


def test_what_took_the_place_of_a_member_is_shown_and_the_rest_of_its_class_is_not(
    engine: Engine, trees_of: TreesOf
) -> None:
    above, below = ([f"    {name}_{n} = {n}" for n in range(20)] for name in ("ABOVE", "BELOW"))
    text = "\n".join(["class State:", *above, "    STOPPED = 30", *below, ""])
    old = engine.commit({"engine/state.py": text})
    new = engine.commit(
        {"engine/state.py": text.replace("STOPPED", "HALTED").replace("ABOVE_0 = 0", "ABOVE_0 = 9")}
    )
    assert body(difference(trees_of(""), "engine.state.State.STOPPED", old, new)) == [
        *(f" {line}" for line in above[-2:]),
        "-    STOPPED = 30",
        "+    HALTED = 30",
        *(f" {line}" for line in below[:2]),
    ]


def test_a_constructor_that_nobody_wrote_is_that_of_its_class(engine: Engine, trees_of: TreesOf) -> None:
    old, new = engine.commit(OLD), engine.commit(NEW)
    assert "+    y: int = 0" in body(difference(trees_of(""), "engine.point.Point.__init__", old, new))


def test_a_long_one_is_cut_and_what_it_is_about_comes_first(engine: Engine, trees_of: TreesOf) -> None:
    lines = [f"    x{n} = {n}" for n in range(120)]
    old = engine.commit({"engine/long.py": "\n".join(["def long():", *lines]) + "\n"})
    changed = [line + "0" if n % 6 == 0 else line for n, line in enumerate(lines)]
    new = engine.commit({"engine/long.py": "\n".join(["def long():", *changed]) + "\n"})
    with_ = trees_of("")
    plain = difference(with_, "engine.long.long", old, new).splitlines()
    assert len(plain) == LINES + 1
    assert plain[-1].startswith("… ")
    assert "+    x0 = 00" in plain
    about = difference(with_, "engine.long.long", old, new, ["x114"]).splitlines()
    assert len(about) == LINES + 1
    assert about.index("+    x114 = 1140") < about.index("+    x0 = 00")
