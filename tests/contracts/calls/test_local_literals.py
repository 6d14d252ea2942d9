"""Keys that a function puts into its own ``**kwargs`` dictionary before it passes it on."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

OLD = "def make(a=0, task=None): ...\n"
NEW = "def make(a=0): ...\n"
HEAD = "from lib.a import make\n\n\ndef run({given}):\n"


def _plugin(*lines: str, given: str = "**kwargs") -> str:
    return HEAD.format(given=given) + "".join(f"    {line}\n" for line in lines)


@pytest.mark.parametrize(
    ("lines", "line"),
    [
        (["kwargs['task'] = 1", "make(**kwargs)"], 6),
        (["first = kwargs.pop('a')", "kwargs['task'] = 1", "make(**kwargs)"], 7),
        (["kwargs.update(task=1)", "if 'a' in kwargs:", "    print(kwargs['a'])", "make(**kwargs)"], 8),
        (["del kwargs['a']", "kwargs['task'] = 1", "make(**kwargs)"], 7),
    ],
)
def test_a_key_that_is_put_in_is_passed(lines: list[str], line: int) -> None:
    assert compare(OLD, NEW, _plugin(*lines)) == [f"parameter-removed lib.a.make breaks {line} task"]


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param(["make(**kwargs)"], id="nothing is put in"),
        pytest.param(["kwargs['task'] = 1", "kwargs.pop('task')", "make(**kwargs)"], id="taken out"),
        pytest.param(["kwargs['task'] = 1", "del kwargs['task']", "make(**kwargs)"], id="deleted"),
        pytest.param(["kwargs['task'] = 1", "kwargs.pop(name)", "make(**kwargs)"], id="any taken out"),
        pytest.param(["if version > 1:", "    kwargs['task'] = 1", "make(**kwargs)"], id="a version"),
        pytest.param(["if hasattr(x, 'task'):", "    kwargs['task'] = 1", "make(**kwargs)"], id="tested"),
        pytest.param(["try:", "    kwargs['task'] = x()", "except E: ...", "make(**kwargs)"], id="tried"),
        pytest.param(["for task in x:", "    kwargs['task'] = 1", "make(**kwargs)"], id="in a loop"),
        pytest.param(["make(**kwargs)", "if x:", "    kwargs['task'] = 1"], id="put in later, perhaps"),
        pytest.param(["make(**kwargs)", "kwargs['task'] = 1"], id="put in later"),
        pytest.param(["kwargs['task'] = 1", "clean(kwargs)", "make(**kwargs)"], id="handed on before"),
        pytest.param(["kwargs['task'] = 1", "kwargs = {}", "make(**kwargs)"], id="another dictionary"),
        pytest.param(["kwargs['task'] = 1", "kwargs.clear()", "make(**kwargs)"], id="emptied"),
    ],
)
def test_what_may_not_be_passed(lines: list[str]) -> None:
    assert [row for row in compare(OLD, NEW, _plugin(*lines)) if "breaks" in row] == []


@pytest.mark.parametrize(
    ("lines", "line"),
    [
        (["if x:", "    kwargs['task'] = 1", "make(**kwargs)"], 7),
        (["more = {'a': 1}", "if x:", "    if y:", "        more['task'] = 1", "make(**more)"], 9),
        (["make(a=1, **({'task': 1} if x else {}))"], 5),
    ],
)
def test_what_a_condition_decides_is_passed_where_it_holds(lines: list[str], line: int) -> None:
    assert compare(OLD, NEW, _plugin(*lines)) == [f"parameter-removed lib.a.make breaks {line} task"]
    taken = "def other(a=0): ...\ndef make(a=0, **more):\n    return other(a, **more)\n"
    handed = taken.replace("other(a=0)", "other(a=0, task=None)")
    assert compare(handed, taken, _plugin(*lines)) == [f"parameter-removed lib.a.make breaks {line} task"]


def test_a_plain_parameter_may_be_anybodys() -> None:
    lines = ["kwargs['task'] = 1", "make(**kwargs)"]
    assert [row for row in compare(OLD, NEW, _plugin(*lines, given="kwargs")) if "breaks" in row] == []


@pytest.mark.parametrize(
    ("lines", "line"),
    [
        (["args = (1, 2)", "make(*args)"], 6),
        (["args = [1]", "args.append(2)", "make(*args)"], 7),
        (["make(*(1, 2))"], 5),
    ],
)
def test_elements_behind_a_star_are_passed_by_place(lines: list[str], line: int) -> None:
    assert compare(OLD, NEW, _plugin(*lines)) == [f"parameter-removed lib.a.make breaks {line} 1"]


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param(["args = [1]", "make(*args)", "args.append(2)"], id="later"),
        pytest.param(["args = [1]", "if x:", "    args.append(2)", "make(*args)"], id="perhaps"),
        pytest.param(["args = [1, 2]", "args.pop()", "make(*args)"], id="taken out"),
        pytest.param(["args = [1, 2]", "fit(args)", "make(*args)"], id="handed on before"),
        pytest.param(["args = (1, 2)", "args = args[:1]", "make(*args)"], id="another tuple"),
        pytest.param(["args = [*some]", "make(*args)"], id="not known how many"),
    ],
)
def test_what_may_not_stand_behind_a_star(lines: list[str]) -> None:
    assert compare(OLD, NEW, _plugin(*lines)) == []


OWN = """
from lib.a import make


class Client:
    {held}

    def run(self, **more):
        {lines}
        return make(**{given})
"""
PROPERTY = "@property\n    def kwargs(self):\n        made = {'a': 1, 'task': 2}\n        return {**made}"


@pytest.mark.parametrize(
    ("held", "lines", "given"),
    [
        (PROPERTY, "pass", "self.kwargs"),
        (PROPERTY, "given = {**self.kwargs, **more}", "given"),
        ("def kwargs(self):\n        return {'task': 1}", "pass", "self.kwargs()"),
        ("KWARGS = {'task': 1}", "given = {**self.KWARGS, 'a': 2}", "given"),
    ],
)
def test_what_another_method_gives_is_passed(held: str, lines: str, given: str) -> None:
    plugin = OWN.format(held=held, lines=lines, given=given)
    line = plugin[: plugin.index("return make")].count("\n")
    assert compare(OLD, NEW, plugin) == [f"parameter-removed lib.a.make breaks {line} task"]


@pytest.mark.parametrize(
    ("held", "lines", "given"),
    [
        ("def kwargs(self):\n        return {'task': 1}", "pass", "self.kwargs"),
        (
            "def kwargs(self, x):\n        if x:\n            return {'task': 1}\n        return {}",
            "",
            "self.kwargs(1)",
        ),
        ("def kwargs(self):\n        return other({'task': 1})", "pass", "self.kwargs()"),
        ("kwargs = {}\n    kwargs = {'task': 1}", "pass", "self.kwargs"),
        ("kwargs = {'task': 1}", "pass", "other.kwargs"),
    ],
)
def test_what_another_method_may_not_give(held: str, lines: str, given: str) -> None:
    assert compare(OLD, NEW, OWN.format(held=held, lines=lines or "pass", given=given)) == []
