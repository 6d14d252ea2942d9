"""A parameter without a type is of the class of what other modules of the backend pass to the function."""

from __future__ import annotations

import pytest

from syncbot.contracts.inference.calls_between_modules import MOST_FILES, callers
from syncbot.contracts.sources import SourceFile, in_memory
from tests.contracts.world import findings

OLD = """
class Model:
    def head(self): ...
    tail = 1

class Config:
    model: Model

class Runner:
    config: Config
    def go(self): ...
"""
NEW = OLD.replace("head", "heads")
HELPER = "def setup(config, n=1):\n    return config.model.head()\n"
CALLED = "from lib.a import Config, Runner\n{}\nclass Mine(Runner):\n    def go(self):\n        {}\n"


def told(helper: str, *callers: tuple[str, str], name: str = "plugin/helper.py") -> list[int]:
    """The lines of the helper's module in which something is told, for callers of an import and a call."""
    files = {f"plugin/use{n}.py": CALLED.format(*caller) for n, caller in enumerate(callers)}
    found = findings(OLD, NEW, {"plugin/__init__.py": "", name: helper, **files})
    return [f.contract.place.location.line for f in found if f.contract.place.location.file == name]


@pytest.mark.parametrize(
    ("imported", "call"),
    [
        ("from plugin.helper import setup", "setup(self.config)"),
        ("from plugin.helper import (\n    other,  # said\n    setup,\n)", "setup(self.config)"),
        ("from .helper import setup as made", "made(config=self.config)"),
        ("from plugin import helper", "helper.setup(self.config, 2)"),
        ("import plugin.helper", "plugin.helper.setup(self.config)"),
        ("import plugin.helper as helping", "helping.setup(self.config)"),
        ("def use(config: Config):\n    from plugin.helper import setup\n    setup(config)", "pass"),
        ("from plugin.helper import setup\ndef use(config: Config):\n    setup(config)", "pass"),
    ],
)
def test_a_function_is_told_by_its_call_in_another_module(imported: str, call: str) -> None:
    assert told(HELPER, (imported, call)) == [2]


@pytest.mark.parametrize(
    ("around", "line"),
    [
        ("def patch():\n    def inner(config: Config):\n        setup(config)\n    return inner", 2),
        ("def patch(config: Config):\n    def inner():\n        setup(config)\n    return inner", 2),
        ("def patch(config: Config):\n    def inner(config):\n        setup(config)\n    return inner", None),
    ],
)
def test_a_call_may_stand_in_a_function_inside_another(around: str, line: int | None) -> None:
    inside = f"from lib.a import Config\n{HELPER}\n{around}\n"
    found = findings(OLD, NEW, {"plugin/__init__.py": "", "plugin/helper.py": inside})
    assert [f.contract.place.location.line for f in found] == ([] if line is None else [line + 1])
    lines = [] if line is None else [line]
    assert told(HELPER, (f"from plugin.helper import setup\n{around}", "pass")) == lines


def test_a_constructor_is_told_by_its_call_in_another_module() -> None:
    helper = "class Helper:\n    def __init__(self, config, n: int = 1):\n        config.model.head()\n"
    assert told(helper, ("from plugin.helper import Helper", "Helper(self.config)")) == [3]


def test_what_is_not_known_of_one_call_is_told_by_the_others() -> None:
    known = ("from plugin.helper import setup", "setup(self.config)")
    unknown = ("from plugin.helper import setup\nfrom elsewhere import thing", "setup(thing)")
    assert told(HELPER, unknown, known) == [2]


@pytest.mark.parametrize(
    ("helper", "imported", "call"),
    [
        (HELPER, "from plugin.other import setup", "setup(self.config)"),
        (HELPER, "from plugin.helper import setup", "self.setup(self.config)"),
        (HELPER, "from plugin.helper import setup", "setup(n=self.config)"),
        (HELPER, "from plugin.helper import setup", "setup(*self.config)"),
        (HELPER, "from plugin.helper import setup\nfrom elsewhere import setup", "setup(self.config)"),
        (HELPER.replace("config,", "config: object,"), "from plugin.helper import setup", "setup(self.config)"),
        (HELPER.replace("return", "config = n\n    return"), "from plugin.helper import setup", "setup(self.config)"),
        (HELPER.replace("head()", "tail"), "from plugin.helper import setup", "setup(self.config)"),
    ],
)  # fmt: skip
def test_what_is_passed_elsewhere_or_has_a_type_is_not_told(helper: str, imported: str, call: str) -> None:
    assert told(helper, (imported, call)) == []


def test_calls_that_pass_objects_of_different_classes_tell_nothing() -> None:
    one = ("from plugin.helper import setup", "setup(self.config)")
    other = ("from plugin.helper import setup", "setup(self)")
    assert told(HELPER, one, other) == []


def test_a_function_that_many_files_call_is_not_asked_about() -> None:
    call = ("from plugin.helper import setup", "setup(self.config)")
    assert told(HELPER, *[call] * MOST_FILES) == [2]
    assert told(HELPER, *[call] * (MOST_FILES + 1)) == []


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("def f(a, b: int): ...", {"f"}),
        ("async def f(a): ...", {"f"}),
        ("def f(\n    a: int,\n    b=(1, 2),  # why, then\n): ...", {"f"}),
        ("class C:\n    def __init__(self, a): ...\n    def run(self, b): ...\ndef g(): ...", {"C"}),
        (
            "class C:\n    def __init__(self, a: int): ...\nclass D(C):\n    def __init__(self, *, a): ...",
            {"D"},
        ),
        ("def f(a: int, *, b: str = ')', c: int = 1): ...", set()),
        ("def f(): ...\ndef g(*, a: int): ...", set()),
        ("if True:\n    def f(a): ...", set()),
    ],
)
def test_what_may_leave_out_types_is_told_by_the_text(text: str, names: set[str]) -> None:
    """A file without such names is not looked at again when others change."""
    assert SourceFile("a.py", "a", text.encode(), False).names.untyped == names


def test_which_files_may_call_is_told_by_the_texts() -> None:
    backend = in_memory(
        {
            "plugin/helper.py": HELPER,
            "plugin/typed.py": "def typed(a: int): ...\n",
            "plugin/one.py": "from .helper import (\n    setup,\n)\nfrom .typed import typed\n",
            "plugin/two.py": "import plugin.helper\nplugin.helper.setup(1)\n",
            "plugin/three.py": "import plugin.helper\nsetups = 1\n",
            "plugin/four.py": "setup(1)\n",
        }
    )
    assert callers(backend) == {"plugin.helper": {"plugin/one.py", "plugin/two.py"}}


BASE = "class Own:\n    def __init__(self, config, n=1):\n        config.model.head()\n"


@pytest.mark.parametrize(
    ("bases", "call"),
    [
        ("Own", "super().__init__(config)"),
        ("Own", "super().__init__(n=1, config=config)"),
        ("Own", "Own.__init__(self, config)"),
        ("Runner, Own", "Own.__init__(self, config, 2)"),
        ("helper.Own", "super().__init__(config)"),
    ],
)
def test_a_constructor_is_told_by_an_heir_in_another_module(bases: str, call: str) -> None:
    heir = f"from plugin import helper\nfrom plugin.helper import Own\nclass Heir({bases}):"
    heir += f"\n    def __init__(self, config: Config):\n        {call}"
    assert told(BASE, (heir, "pass")) == [3]


@pytest.mark.parametrize(
    ("bases", "call"),
    [
        ("Runner, Own", "super().__init__(config)"),
        ("Own", "super().setup(config)"),
        ("Own", "Own.__init__(config)"),
        ("Own", "Runner.__init__(self, config)"),
        ("Own", "super().__init__(1)"),
    ],
)
def test_what_constructs_another_base_or_passes_something_else_tells_nothing(bases: str, call: str) -> None:
    heir = f"from plugin.helper import Own\nclass Heir({bases}):"
    heir += f"\n    def __init__(self, config: Config):\n        {call}"
    assert told(BASE, (heir, "pass")) == []
