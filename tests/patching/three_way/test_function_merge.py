"""A copy follows its original: what holds of every merge, and what a conflict is."""

from __future__ import annotations

import ast
import textwrap
from collections import Counter

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from syncbot.patching.errors import CannotRewrite
from syncbot.patching.three_way.function_merge import merge
from syncbot.patching.three_way.statement_rows import rows_of

BASE = """\
def run(self, batch):
    first = self.first(batch)
    if first is None:
        return []
    for each in batch:
        self.one(each)
    self.finish(batch)
    return self.done
"""

SIMPLE = st.sampled_from([f"{name}({value})" for name in ("a", "b", "c") for value in range(6)])
COMMENT = st.sampled_from(["", "", "", "# why", "\n# because\n# of this"])
HEADER = st.sampled_from(["if p:", "for i in q:", "while r:", "with s:"])


@st.composite
def bodies(draw: st.DrawFn, depth: int = 0) -> str:
    parts = []
    for _ in range(draw(st.integers(1, 6 - 2 * depth))):
        comment = draw(COMMENT)
        text = f"{comment}\n" if comment else ""
        if depth < 2 and draw(st.integers(0, 3)) == 0:
            text += f"{draw(HEADER)}\n{textwrap.indent(draw(bodies(depth + 1)), '    ')}"
        else:
            text += draw(SIMPLE)
        parts.append(text)
    return "\n".join(parts)


FUNCTIONS = bodies().map(lambda body: f"    def f(self):\n{textwrap.indent(body, ' ' * 8)}")


@st.composite
def changed(draw: st.DrawFn, function: str) -> str:
    """The function with some of its calls replaced, or given one more before or behind them."""
    lines = function.splitlines()
    calls = [at for at, line in enumerate(lines) if line.lstrip()[:2] in ("a(", "b(", "c(")]
    for at in draw(st.sets(st.sampled_from(calls), max_size=3)):
        call = lines[at].lstrip()
        indent, more = lines[at].removesuffix(call), draw(SIMPLE)
        rows = draw(st.sampled_from([[more], [more, call], [call, more]]))
        lines[at] = "\n".join(f"{indent}{row}" for row in rows)
    return "\n".join(lines)


def three(base: str) -> st.SearchStrategy[tuple[str, str, str]]:
    """The function, what became of it, and what became of its copy."""
    return st.tuples(st.just(base), changed(base), changed(base))


def said(function: str) -> Counter[tuple[int, str]]:
    return Counter(row.key for row in rows_of(function, "it"))


@given(FUNCTIONS, FUNCTIONS)
def test_where_only_one_side_changed_its_text_is_taken(one: str, other: str) -> None:
    for base, new, copy in ((one, one, other), (one, other, one), (one, other, other)):
        done = merge(base, new, copy)
        assert (done.text, done.marked, done.conflicts) == (other, other, ())


@given(FUNCTIONS.flatmap(three))
def test_a_merge_of_a_merge_is_the_same(sides: tuple[str, str, str]) -> None:
    base, new, copy = sides
    done = merge(base, new, copy)
    assume(not done.conflicts)
    ast.parse(f"if 1:\n{done.text}")
    again = merge(base, new, done.text)
    # Of changes beside each other, or statements again and again, nobody can tell what was done: it asks.
    assert again.conflicts or again == done


def row(kind: str, side: str, at: int) -> list[str]:
    """One of eight places in a function of unlike statements, as a side has it."""
    own, more = f"base_{at}()", f"{side}_{at}()"
    return {"kept": [own], "gone": [], "other": [more], "came": [more, own]}[kind]


@st.composite
def edited(draw: st.DrawFn) -> tuple[str, str, str]:
    """A function, what became of it, and what became of its copy: at each place one of them changed, or none."""
    kinds = st.sampled_from(["kept", "kept", "gone", "other", "came"])
    sides: tuple[list[str], ...] = ([], [], [])
    for at in range(8):
        before, after, changing = draw(kinds), draw(kinds), draw(st.sampled_from([1, 2, None]))
        for number, lines in enumerate(sides):
            lines += row(after, "side", at) if number == changing else row(before, "base_own", at)
            lines.append(f"kept_{at}()")
    base, new, copy = ("\n    ".join(["def f(self):", *lines, "end()"]) for lines in sides)
    return base, new, copy


@given(edited())
def test_a_merge_of_unlike_statements_is_the_same_twice(sides: tuple[str, str, str]) -> None:
    base, new, copy = sides
    done = merge(base, new, copy)
    assert done.conflicts == ()
    assert merge(base, new, done.text) == done
    assert set(said(new) - said(base)) <= said(done.text).keys()
    assert set(said(base) - said(new)).isdisjoint(said(done.text))
    assert set(said(copy) - said(base)) <= said(done.text).keys()


@given(FUNCTIONS, FUNCTIONS, FUNCTIONS)
def test_what_either_side_added_is_there_or_in_a_conflict(base: str, new: str, copy: str) -> None:
    done = merge(base, new, copy)
    held = said(done.text)
    for conflict in done.conflicts:
        # Copies of lines that both sides have may stand in either.
        held += Counter(row.key for row in rows_of(done.text, "it"))
        for side in (conflict.base, conflict.theirs):
            held += Counter({(depth, line.strip()): 1 for line in side for depth in range(4)})
    texts = Counter({key[1]: count for key, count in held.items()})
    for side in (new, copy):
        for (_, text), _count in (said(side) - said(base)).items():
            words = text.splitlines()[0].rstrip() if text else ""
            assert text in texts or words in texts, (text, done)


@given(FUNCTIONS, FUNCTIONS, st.data())
def test_two_changes_of_one_statement_are_always_a_conflict(
    before: str, after: str, data: st.DataObject
) -> None:
    """It does not matter what else changed around the statement."""
    function = f"{before}\n        here()\n{after.partition(chr(10))[2]}"
    ours = function.replace("here()", data.draw(st.sampled_from(["", "# x\n        "])) + "mine(1)")
    theirs = function.replace("here()", "theirs(2)").replace("a(1)", "a(7)")
    done = merge(function, theirs, ours)
    assert any("theirs(2)" in "\n".join(c.theirs) and "mine(1)" in "\n".join(c.ours) for c in done.conflicts)
    assert "theirs(2)" not in done.text
    assert ">>>>>>> new" in done.marked


def test_both_follow_where_the_layout_differs() -> None:
    copy = """\
    def run_fast(self, batch):
        # Ours, for the device.
        first = self.first(
            batch,
        )
        if first is None:
            return []
        for each in batch:
            # One by one.
            self.one(each.fast())
        self.finish(batch)
        return self.done"""
    new = BASE.replace("self, batch)", "self, batch, size=1)", 1).replace(
        "finish(batch)", "finish(batch, size)"
    )
    done = merge(BASE, new, copy)
    wanted = copy.replace("self, batch)", "self, batch, size=1)").replace(
        "finish(batch)", "finish(batch, size)"
    )
    assert (done.text, done.conflicts) == (wanted, ())


def test_statements_beside_each_other_are_two_changes() -> None:
    ours = BASE.replace("self.finish(batch)", "self.finish(batch.fast())")
    theirs = BASE.replace("return self.done", "return self.result")
    both = ours.replace("return self.done", "return self.result")
    assert merge(BASE, theirs, ours).text == both
    assert merge(BASE, theirs, both).text == both


def test_two_additions_at_one_place_are_a_conflict() -> None:
    ours, theirs = (
        BASE.replace("    self.finish", f"    self.{w}()\n    self.finish") for w in ("mine", "theirs")
    )
    (conflict,) = merge(BASE, theirs, ours).conflicts
    assert (conflict.base, conflict.ours, conflict.theirs) == (
        (),
        ("    self.mine()",),
        ("    self.theirs()",),
    )


def test_an_addition_that_reads_what_is_set_otherwise_is_a_conflict() -> None:
    """The lines are far from each other: a merge of texts would take both."""
    ours = BASE.replace("    return self.done", "    self.log(first.size)\n    return self.done")
    theirs = BASE.replace("first = self.first(batch)", "first = batch[0]")
    (conflict,) = merge(BASE, theirs, ours).conflicts
    assert (conflict.names, conflict.ours, conflict.theirs) == (("first",), ("    self.log(first.size)",), ())
    argument = BASE.replace("first = self.first(batch)", "first = self.first(batch, True)")
    assert merge(BASE, argument, ours).conflicts == ()


def test_comments_follow_only_where_the_copy_had_them() -> None:
    base = BASE.replace("    if first", "    # None of them.\n    if first").replace(
        "    self.fin", "    # End.\n    self.fin"
    )
    new = base.replace("None of them", "There is none").replace("# End.", "# The end.")
    copy = base.replace("# End.", "# End, on the device.")
    assert merge(base, new, copy).text == copy.replace("None of them", "There is none")


def test_resolutions_stand_in_the_place_of_their_conflict() -> None:
    ours, theirs = (BASE.replace("self.finish(batch)", f"self.finish({w})") for w in ("mine", "theirs"))
    (conflict,) = merge(BASE, theirs, ours).conflicts
    done = merge(BASE, theirs, ours, {conflict.id: ["    self.finish(mine)", "    self.finish(theirs)"]})
    assert done.conflicts == ()
    assert done.text == BASE.replace("self.finish(batch)", "self.finish(mine)\n    self.finish(theirs)")
    assert merge(BASE, theirs.replace("theirs", "others"), ours).conflicts[0].id != conflict.id


def test_a_block_of_which_each_side_took_a_part_away_is_a_conflict() -> None:
    """No statement of it was changed by both, and yet nothing is left of it."""
    base = "    def f(self):\n        a(0)\n        a(1)"
    new, copy = (base.replace(f"\n        a({gone})", "") for gone in (1, 0))
    done = merge(base, new, copy)
    (conflict,) = done.conflicts
    assert done.text == copy
    assert (conflict.ours[1:], conflict.theirs[1:]) == (("    a(1)",), ("    a(0)",))
    settled = merge(base, new, copy, {conflict.id: ["def f(self):", "    pass"]})
    assert (settled.text, settled.conflicts) == ("    def f(self):\n        pass", ())
    more = [f"{text}\n        a(2)" for text in (base, new, copy)]
    left = merge(*more)
    assert (left.text, left.conflicts) == ("    def f(self):\n        a(2)", ())


def test_statements_that_would_be_added_once_more_each_time_are_a_conflict() -> None:
    base = "def f(self):\n    a(1)"
    new = "def f(self):\n    a(1)\n    a(0)\n    a(1)"
    copy = "def f(self):\n    if p:\n        if p:\n            a(0)\n    a(1)"
    assert merge(base, new, copy).conflicts != ()
    unlike = new.replace("a(0)\n    a(1)", "b(0)")
    once = merge(base, unlike, copy)
    assert once.conflicts == ()
    assert merge(base, unlike, once.text) == once


def test_equal_conflicts_have_ids_of_their_own() -> None:
    base = "def f(self):\n    a()\n    b()\n    a()"
    ours, theirs = base.replace("a()", "mine()"), base.replace("a()", "theirs()")
    one, two = merge(base, theirs, ours).conflicts
    assert two.id == f"{one.id}-2"
    done = merge(base, theirs, ours, {one.id: ["    x()"]})
    assert done.text == "def f(self):\n    x()\n    b()\n    mine()"


@pytest.mark.parametrize("copy", ["x = 1", "def f(:\n    '''", "class A:\n    pass"])
def test_what_is_no_function_is_refused(copy: str) -> None:
    with pytest.raises(CannotRewrite):
        merge(BASE, BASE.replace("done", "gone"), copy)


DOCUMENTED = """\
def run(self, batch):
    {}
    first = self.first(batch)
    if first:
        {}
        return []
    return first
"""
OLD_SAYS, OUR_SAYS, NEW_SAYS = (f'"""Return {what}."""' for what in ("it", "ours", "a list"))


def test_a_docstring_is_no_statement() -> None:
    """The copy's own stays; a string that is none is a statement like others."""
    base = DOCUMENTED.format(OLD_SAYS, "pass")
    copy = DOCUMENTED.format(OUR_SAYS, "pass")
    new = DOCUMENTED.format(NEW_SAYS, "pass").replace("return first", "return [first]")
    done = merge(base, new, copy)
    assert (done.conflicts, done.marked) == ((), done.text)
    assert done.text == copy.replace("return first", "return [first]")
    # Where the copy has what the original had, it follows.
    assert merge(base, new, base).text == new
    base, copy, new = (DOCUMENTED.format(OLD_SAYS, each) for each in (OLD_SAYS, OUR_SAYS, NEW_SAYS))
    assert len(merge(base, new, copy).conflicts) == 1


def test_a_docstring_in_a_conflict_of_statements_does_not_settle_it() -> None:
    base, copy, new = (
        DOCUMENTED.format(says, "pass").replace("first(batch)", f"first({given})")
        for says, given in ((OLD_SAYS, "batch"), (OUR_SAYS, "self.mine"), (NEW_SAYS, "batch, 1"))
    )
    done = merge(base, new, copy)
    assert [conflict.settled for conflict in done.conflicts] == [False]


def test_a_resolution_of_a_docstring_still_counts() -> None:
    base, copy, new = (DOCUMENTED.format(says, "pass") for says in (OLD_SAYS, OUR_SAYS, NEW_SAYS))
    (settled,) = merge(base, new, copy).docstrings
    done = merge(base, new, copy, {settled.id: settled.theirs})
    assert (done.text, done.used) == (new, frozenset({settled.id}))
