"""Upstream's callers that never run, because the backend overrides them."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

OLD = """
class Tool:
    def run(self, x):
        return x

    @staticmethod
    def make(x):
        return x

class Driver:
    def __init__(self, tool: Tool):
        self.tool = tool

    def drive(self):
        return self.tool.run(1)
"""
NEW = OLD.replace("def run(self, x)", "def run(self, x, y=0)").replace("run(1)", "run(1, y=2)")
TOOL = """
from lib.a import Driver, Tool

class OwnTool(Tool):
    def run(self, x):
        return x
"""
DRIVER = """
class OwnDriver(Driver):
    def drive(self):
        {}
"""


def test_the_caller_runs() -> None:
    assert compare(OLD, NEW, TOOL) == ["parameter-added lib.a.Tool.run breaks 4 y"]


@pytest.mark.parametrize("body", ["return super().drive()", "return Driver.drive(self)"])
def test_the_caller_is_called_by_its_override(body: str) -> None:
    assert compare(OLD, NEW, TOOL + DRIVER.format(body)) == ["parameter-added lib.a.Tool.run breaks 4 y"]


def test_the_caller_is_overridden() -> None:
    own = TOOL + DRIVER.format("return self.tool.run(1)")
    assert compare(OLD, NEW, own) == ["parameter-added lib.a.Tool.run at-risk 4 y"]


def test_a_method_of_that_name_elsewhere_overrides_nothing() -> None:
    other = TOOL + DRIVER.replace("(Driver)", "").format("return 1")
    assert compare(OLD, NEW, other) == ["parameter-added lib.a.Tool.run breaks 4 y"]


def test_a_required_parameter_that_only_overridden_callers_pass() -> None:
    new = NEW.replace("y=0", "y")
    own = TOOL + DRIVER.format("return self.tool")
    assert compare(OLD, new, own) == ["parameter-required lib.a.Tool.run at-risk 4 y"]


def test_a_lost_parameter_that_only_overridden_callers_left_out() -> None:
    new = OLD.replace("def run(self, x):\n        return x", "def run(self):\n        return 1").replace(
        "run(1)", "run()"
    )
    assert compare(OLD, new, TOOL) == ["parameter-removed lib.a.Tool.run breaks 4 x"]
    own = TOOL + DRIVER.format("return self.tool")
    assert compare(OLD, new, own) == ["parameter-removed lib.a.Tool.run at-risk 4 x"]


def test_a_call_by_the_name_of_the_class_never_reaches_an_override() -> None:
    old = OLD.replace("self.tool.run(1)", "Tool.make(1)")
    new = old.replace("def make(x)", "def make(x, y=0)").replace("make(1)", "make(1, y=2)")
    own = "from lib.a import Tool\n\nclass OwnTool(Tool):\n    @staticmethod\n    def make(x):\n        return x\n"
    assert compare(old, new, own) == ["parameter-added lib.a.Tool.make at-risk 5 y"]
    through = new.replace("Tool.make(1, y=2)", "self.tool.make(1, y=2)")
    assert compare(old, through, own) == ["parameter-added lib.a.Tool.make breaks 5 y"]


def test_a_class_of_the_backend_between_is_no_upstream_one() -> None:
    old = "class Root:\n    pass\n\nclass Mid(Root):\n    def run(self, x):\n        return x\n"
    new = "class Root:\n    pass\n\nclass Mid(Root):\n    pass\n"
    own = (
        "from lib.a import Mid, Root\n\nclass Any(Root):\n    def run(self, *args):\n        return args\n\n"
        "class Both(Mid, Any):\n    def run(self, x):\n        return x\n"
    )
    found = compare(old, new, own)
    assert all("plugin" not in row and "parameter-removed" not in row for row in found), found


REPLACED = """
def drive(self):
    return self.tool.run(1)

{}
"""


def test_the_caller_is_replaced_by_assignment() -> None:
    own = TOOL + REPLACED.format("Driver.drive = drive")
    assert compare(OLD, NEW, own) == ["parameter-added lib.a.Tool.run at-risk 4 y"]


def test_the_replaced_caller_went_elsewhere() -> None:
    own = {"plugin/__init__.py": TOOL + REPLACED.format("Driver.drive = drive")}
    head, driver = NEW.partition("class Driver")[0], NEW.partition("class Driver")[2]
    moved = {"lib/b.py": f"from lib.a import Tool\n\nclass Driver{driver}", "lib/a.py": head}
    found = compare({"lib/a.py": OLD}, moved, own)
    assert "parameter-added lib.a.Tool.run at-risk 4 y" in found


@pytest.mark.parametrize(
    "assigned",
    [
        pytest.param(
            "before = Driver.drive\n\ndef around(self):\n    return before(self)\n\nDriver.drive = around",
            id="goes back",
        ),
        pytest.param("Driver.other = drive", id="another name"),
        pytest.param('if not hasattr(Driver, "drive"):\n    Driver.drive = drive', id="guarded"),
    ],
)
def test_the_caller_still_runs(assigned: str) -> None:
    own = TOOL + REPLACED.format(assigned)
    assert "parameter-added lib.a.Tool.run breaks 4 y" in compare(OLD, NEW, own)


CHAIN = """
class Driver:
    def __init__(self, tool: Tool):
        self.tool = tool

    def drive(self):
        return self.steered()

    def steered(self):
        return self.tool.run(1)
"""


def test_the_caller_is_called_by_an_overridden_method_alone() -> None:
    old = OLD.partition("class Driver")[0] + CHAIN
    new = old.replace("def run(self, x)", "def run(self, x, y=0)").replace("run(1)", "run(1, y=2)")
    own = TOOL + DRIVER.format("return 1")
    assert compare(old, new, own) == ["parameter-added lib.a.Tool.run at-risk 4 y"]


@pytest.mark.parametrize(
    "more",
    [
        pytest.param("\ndef start(driver):\n    return driver.steered()\n", id="called elsewhere"),
        pytest.param("\ndef start(driver):\n    return map(driver.steered, ())\n", id="handed on"),
        pytest.param("\ndef start(driver):\n    return getattr(driver, 'steered')\n", id="by a string"),
    ],
)
def test_the_caller_is_reached_in_another_way(more: str) -> None:
    old = OLD.partition("class Driver")[0] + CHAIN + more
    new = old.replace("def run(self, x)", "def run(self, x, y=0)").replace("run(1)", "run(1, y=2)")
    own = TOOL + DRIVER.format("return 1")
    assert compare(old, new, own) == ["parameter-added lib.a.Tool.run breaks 4 y"]


@pytest.mark.parametrize(
    "line", ["from lib.b import steered as go", "from lib.b import (\n    more,\n    steered,\n)"]
)
def test_an_import_of_something_of_that_name_hands_no_method_on(line: str) -> None:
    old = OLD.partition("class Driver")[0] + CHAIN
    new = old.replace("def run(self, x)", "def run(self, x, y=0)").replace("run(1)", "run(1, y=2)")
    more = {"lib/b.py": "def steered(): ...\n\ndef more(): ...\n", "lib/c.py": f"{line}\n"}
    own = TOOL + DRIVER.format("return 1")
    told = compare({"lib/a.py": old, **more}, {"lib/a.py": new, **more}, own)
    assert told == ["parameter-added lib.a.Tool.run at-risk 4 y"]


def test_the_caller_is_called_by_the_backend_itself() -> None:
    old = OLD.partition("class Driver")[0] + CHAIN
    new = old.replace("def run(self, x)", "def run(self, x, y=0)").replace("run(1)", "run(1, y=2)")
    own = TOOL + DRIVER.format("return self.steered()")
    assert compare(old, new, own) == ["parameter-added lib.a.Tool.run breaks 4 y"]


LOST = (
    "from lib.a import Tool\n\nclass OwnTool(Tool):\n    @staticmethod\n    def make(x):\n        return x\n"
)


def test_a_lost_parameter_of_a_method_that_is_called_by_the_name_of_its_class() -> None:
    old = OLD.replace("self.tool.run(1)", "Tool.make(1)")
    new = old.replace("def make(x):\n        return x", "def make():\n        return 1")
    new = new.replace("Tool.make(1)", "Tool.make()")
    assert compare(old, new, LOST) == ["parameter-removed lib.a.Tool.make at-risk 5 x"]
    through = new.replace("Tool.make()", "self.tool.make()")
    assert compare(old, through, LOST) == ["parameter-removed lib.a.Tool.make breaks 5 x"]
    own_stands_there = LOST + "\nimport lib.a\nlib.a.Tool = OwnTool\n"
    assert "parameter-removed lib.a.Tool.make breaks 5 x" in compare(old, new, own_stands_there)


def test_a_lost_parameter_whose_place_callers_still_fill() -> None:
    old = OLD.replace("def run(self, x):", "def run(self, x, z):").replace("run(1)", "run(1, 2)")
    new = OLD.replace("def run(self, x):", "def run(self, x, y):").replace("run(1)", "run(1, 2)")
    new = new.replace("return x\n", "return y\n", 1)
    own = TOOL.replace("def run(self, x)", "def run(self, x, z)")
    found = compare(old, new, own)
    assert all("breaks" not in row for row in found), found
    named = compare(old, new.replace("run(1, 2)", "run(1, y=2)"), own)
    assert any("breaks" in row for row in named), named


FAMILY = """
class Root:
    def drive(self):
        raise NotImplementedError
{}
class Driver(Root):
    def __init__(self, tool: Tool):
        self.tool = tool

    def drive(self):
        return self.tool.run(1)
"""
OWN_KIND = "\nfrom lib.a import Root\n\nclass Mine({}):\n    def drive(self):\n        return 1\n"


@pytest.mark.parametrize(
    ("others", "own", "verdict"),
    [
        pytest.param("", OWN_KIND.format("Root"), "at-risk", id="has its own"),
        pytest.param("", OWN_KIND.format("Root").replace("drive", "go"), "breaks", id="another method"),
        pytest.param("", OWN_KIND.format(""), "breaks", id="of another kind"),
        pytest.param("", OWN_KIND.format("Root") + "from lib.a import Driver\n", "breaks", id="uses both"),
        pytest.param("class A(Root): ...\n" * 5, OWN_KIND.format("Root"), "breaks", id="one of many"),
    ],
)
def test_the_caller_is_of_a_kind_that_the_backend_has_its_own_of(others: str, own: str, verdict: str) -> None:
    old = OLD.partition("class Driver")[0] + FAMILY.format(others)
    new = old.replace("def run(self, x)", "def run(self, x, y=0)").replace("run(1)", "run(1, y=2)")
    tool = TOOL.replace("import Driver, Tool", "import Tool")
    assert f"parameter-added lib.a.Tool.run {verdict} 4 y" in compare(old, new, tool + own)


@pytest.mark.parametrize("stands", [DRIVER.format("return 1"), REPLACED.format("Driver.drive = drive")])
def test_what_stands_in_for_a_caller_in_tests_hides_nothing(stands: str) -> None:
    own = {"plugin/__init__.py": TOOL, "{}/mocks.py": "from lib.a import Driver\n" + stands}
    told = {
        folder: compare(OLD, NEW, {path.format(folder): text for path, text in own.items()})
        for folder in ("plugin", "tests")
    }
    assert "parameter-added lib.a.Tool.run at-risk 4 y" in told["plugin"]
    assert "parameter-added lib.a.Tool.run breaks 4 y" in told["tests"]


HELPED = (
    OLD
    + """
class Helper:
    def __init__(self, tool: Tool):
        self.tool = tool

    def help(self):
        return self.tool.run(1)

class Worker(Driver):
    def drive(self):
        return getattr(Helper(self.tool), 'help')()
"""
)
HELPED_NEW = HELPED.replace("def run(self, x)", "def run(self, x, y=0)").replace(
    "help(self):\n        return self.tool.run(1)", "help(self):\n        return self.tool.run(1, y=2)"
)
OWN_WORKER = (
    TOOL.replace("import Driver", "import Worker, Driver")
    + "\nclass OwnWorker(Worker):\n    def drive(self):\n        return 1\n"
)


def test_the_callers_objects_are_made_by_an_overridden_method_alone() -> None:
    assert compare(HELPED, HELPED_NEW, OWN_WORKER) == ["parameter-added lib.a.Tool.run at-risk 4 y"]
    assert compare(HELPED, HELPED_NEW, TOOL) == ["parameter-added lib.a.Tool.run breaks 4 y"]


@pytest.mark.parametrize(
    "more",
    [
        pytest.param("\nhelp = Helper\n", id="handed on"),
        pytest.param("\nclass Aid(Helper):\n    pass\n", id="derived from"),
        pytest.param("\ndef lend(tool):\n    return Helper(tool)\n", id="made elsewhere"),
        pytest.param("\nHELPERS = {'one': 'lib.a.Helper'}\n", id="named by a string"),
    ],
)
def test_the_callers_objects_are_made_in_another_way(more: str) -> None:
    assert compare(HELPED + more, HELPED_NEW + more, OWN_WORKER) == [
        "parameter-added lib.a.Tool.run breaks 4 y"
    ]


def test_a_registered_class_is_made_by_whoever_has_the_register() -> None:
    old, new = (text.replace("class Helper", "@register\nclass Helper") for text in (HELPED, HELPED_NEW))
    assert compare(old, new, OWN_WORKER) == ["parameter-added lib.a.Tool.run breaks 4 y"]


def test_the_backend_makes_the_callers_objects_itself() -> None:
    own = OWN_WORKER.replace("return 1", "return lib.a.Helper(1).help()").replace(
        "from lib", "import lib.a\nfrom lib", 1
    )
    assert compare(HELPED, HELPED_NEW, own) == ["parameter-added lib.a.Tool.run breaks 5 y"]


def test_only_an_overridden_method_calls_the_function_that_calls() -> None:
    old, new = (
        text.replace("return getattr(Helper(self.tool), 'help')()", "return ask(self.tool)")
        + f"\ndef ask(tool):\n    return tool.run(1{more})\n"
        for text, more in (
            (HELPED, ""),
            (HELPED.replace("def run(self, x)", "def run(self, x, y=0)"), ", y=2"),
        )
    )
    assert compare(old, new, OWN_WORKER) == ["parameter-added lib.a.Tool.run at-risk 4 y"]
    assert compare(old, new + "\nasked = ask\n", OWN_WORKER) == ["parameter-added lib.a.Tool.run breaks 4 y"]


def test_a_class_that_is_no_kin_calls_its_own_method_of_that_name() -> None:
    other = "\nclass Other:\n    def __init__(self):\n        self.run(1, y=2)\n\n    def run(self, x, y=0):\n        return x\n"
    own = TOOL + DRIVER.format("return 1")
    assert compare(OLD + other, NEW + other, own) == ["parameter-added lib.a.Tool.run at-risk 4 y"]
    derived = other.replace("Other", "Other(Tool)")
    assert compare(OLD + derived, NEW + derived, own) == ["parameter-added lib.a.Tool.run at-risk 4 y"]
    old, new = (
        t.replace("class Driver", "    def warm(self):\n        self.run(1, y=2)\n\nclass Driver")
        for t in (OLD, NEW)
    )
    assert compare(old, new, own) == ["parameter-added lib.a.Tool.run breaks 4 y"]
    mixed = other.replace("\n    def run(self, x, y=0):\n        return x\n", "")
    assert compare(OLD + mixed, NEW + mixed, own) == ["parameter-added lib.a.Tool.run breaks 4 y"]


BUILT = "class Base:\n    def __init__(self, a{}):\n        self.a = a\n\ndef make():\n    return Base(1{})\n"
MADE_HERE = """\
import lib.b
from lib.a import Base

class Mine(Base):
    def __init__(self, a):
        self.a = a

def build():
    return Mine(1)
"""


@pytest.mark.parametrize(
    ("more", "verdict"),
    [
        pytest.param("", "at-risk", id="called"),
        pytest.param("\nclass More(Mine):\n    pass\n\nmore = More(2)\n", "at-risk", id="derived from"),
        pytest.param(
            "\nclass More(Mine):\n    pass\n\nregister(More)\n", "breaks", id="what derives is handed on"
        ),
        pytest.param("\nregister(Mine)\n", "breaks", id="handed on"),
        pytest.param("\nlib.b.Base = Mine\n", "breaks", id="under the base's name"),
        pytest.param(
            "\nclass Other: ...\n\nlib.c.Base = Other\n", "at-risk", id="under another one of that name"
        ),
        pytest.param("\nsetattr(lib.b, 'Base', Mine)\n", "breaks", id="by a string"),
        pytest.param("\ndef use(base: 'Base', mine: Mine): ...\n", "at-risk", id="annotated"),
        pytest.param("\ndef use(base): Mine.tell(base)\n", "at-risk", id="made, and its method called"),
    ],
)
def test_a_constructor_of_what_only_the_backend_makes(more: str, verdict: str) -> None:
    old, new = BUILT.format("", ""), BUILT.format(", b=0", ", b=1")
    trees = [
        {"lib/a.py": a, "lib/b.py": "from lib.a import Base\n", "lib/c.py": "class Base: ...\n"}
        for a in (old, new)
    ]
    plugin = MADE_HERE.replace("import lib.b\n", "import lib.b\nimport lib.c\n") + more
    assert compare(*trees, plugin) == [f"parameter-added lib.a.Base.__init__ {verdict} 6 b"]


METHODS = """\
from lib.a import Base

class Mine(Base):
    def __init__(self, a):
        self.a = a

    def tell(self):
        return self.a

    @classmethod
    def made(cls):
        return cls(1)

"""


@pytest.mark.parametrize(
    ("use", "verdict"),
    [
        pytest.param("def use(base): Mine.tell(base)\n", "breaks", id="only its methods are called"),
        pytest.param("def use(base): Mine.made()\n", "at-risk", id="a class method makes it"),
        pytest.param("def use(base): Mine(1)\n", "at-risk", id="it is made"),
        pytest.param("def use(base): Mine.unknown()\n", "at-risk", id="something is called"),
    ],
)
def test_a_class_that_the_backend_never_makes(use: str, verdict: str) -> None:
    old, new = BUILT.format("", ""), BUILT.format(", b=0", ", b=1")
    assert compare(old, new, METHODS + use) == [f"parameter-added lib.a.Base.__init__ {verdict} 4 b"]


@pytest.mark.parametrize(
    ("body", "verdict"),
    [
        pytest.param("return super().drive()", "breaks", id="calls what it overrides"),
        pytest.param(
            "def inner():\n            return super(Mine, self).drive()\n        return inner()",
            "breaks",
            id="calls it in a function of its own",
        ),
        pytest.param("return 1", "at-risk", id="stands for it"),
    ],
)
def test_an_override_of_a_caller_of_a_kind(body: str, verdict: str) -> None:
    old = OLD.partition("class Driver")[0] + FAMILY.format("")
    new = old.replace("def run(self, x)", "def run(self, x, y=0)").replace("run(1)", "run(1, y=2)")
    tool = TOOL.replace("import Driver, Tool", "import Tool")
    own = f"\nimport lib.a\n\nclass Mine(lib.a.Driver):\n    def drive(self):\n        {body}\n"
    assert f"parameter-added lib.a.Tool.run {verdict} 4 y" in compare(old, new, tool + own)
