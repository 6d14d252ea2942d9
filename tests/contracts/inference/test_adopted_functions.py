"""The first parameter of a function that the backend puts into an upstream class is an object of that class."""

from __future__ import annotations

import pytest

from tests.contracts.compare import compare, engine, told
from tests.contracts.world import compare as lib

OLD = """
class Runner:
    size = 1

    def run(self): ...

class Other:
    size = 1
"""
NEW = OLD.replace("class Runner:\n    size = 1", "class Runner:\n    length = 1")
GONE = "attribute-removed core.Runner.size breaks"


def use(body: str) -> str:
    """A module of the backend."""
    return f"import engine.core\nfrom engine.core import Other, Runner\n{body}"


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("def mine(self):\n    self.size\nRunner.run = mine\n", 4),
        ("def mine(runner, *rest):\n    runner.size\nengine.core.Runner.run = mine\n", 4),
        ("def mine(self):\n    self.size\nsetattr(Runner, 'run', mine)\n", 4),
        ("def mine(self):\n    self.size\nRunner.run = property(mine)\n", 4),
        ("def mine(cls):\n    cls.size\nRunner.run = classmethod(mine)\n", 4),
        ("def mine(self):\n    self.size\nif True:\n    Runner.run = mine\n", 4),
        ("def mine(self):\n    self.size\nRunner.run = mine\nRunner.walk = mine\n", 4),
        ("def mine(self):\n    self.size\ndef apply():\n    from engine.core import Runner as R\n"
         "    R.run = mine\n", 4),
        ("def apply():\n    def mine(self):\n        return self.size\n    Runner.run = mine\n", 5),
        ("def mine(self):\n    self.size\nput(Runner, 'run', mine)\n", 4),
        ("def mine(self):\n    self.size\nold = tools.put(engine.core.Runner, 'run', mine, True)\n", 4),
        ("def mine(self):\n    self.size\ndef apply():\n    put(Runner, 'run', mine)\n", 4),
        ("def apply():\n    target = Runner\n    def mine(self):\n        return self.size\n"
         "    target.run = mine\n", 6),
    ],
)  # fmt: skip
def test_it_is_known_by_the_statement_that_puts_the_function_there(body: str, line: int) -> None:
    assert f"{GONE} {line}" in told(OLD, NEW, use(body))


@pytest.mark.parametrize(
    "body",
    [
        "def mine(self):\n    self.size\n",
        "def mine(self: Other):\n    self.size\nRunner.run = mine\n",
        "def mine(self):\n    self = Other()\n    self.size\nOther.run = mine\n",
        "def mine(self):\n    self.size\nOther.run = mine\nRunner.run = mine\n",
        "def mine(self):\n    self.size\nRunner.run = wrapped(mine)\n",
        "def mine(self):\n    self.size\nRunner.run = staticmethod(mine)\n",
        "def mine(self):\n    self.size\nRunner().run = mine\n",
        "def mine(self):\n    self.size\nengine.core.run = mine\n",
        "class Mine:\n    def run(self):\n        self.size\nRunner.run = Mine.run\n",
        "def mine(self):\n    self.size\nput(Runner, 'other', mine)\n",
        "def mine(self):\n    self.size\nput('run', Runner, mine)\n",
        "def mine(self):\n    self.size\nput(Runner(), 'run', mine)\n",
        "def mine(self):\n    self.size\nput(engine.core, 'Runner', mine)\n",
        "def one():\n    def mine(self):\n        self.size\ndef two(mine):\n    Runner.run = mine\n",
    ],
)
def test_a_function_that_goes_elsewhere_or_is_wrapped_says_nothing(body: str) -> None:
    assert not [row for row in told(OLD, NEW, use(body)) if row.startswith("attribute")]


@pytest.mark.parametrize(
    "bound", ["types.MethodType(mine, t)", "MethodType(mine, t)", "mine.__get__(t)", "mine.__get__(t, T)"]
)
@pytest.mark.parametrize("around", ["def mine(self):\n    return self.gone\ndef put(t: T):\n    {}\n",
                                    "def put(t: T):\n    def mine(self):\n        return self.gone\n    {}\n"])  # fmt: skip
def test_a_method_of_one_object(bound: str, around: str) -> None:
    old, new = (
        "class T:\n    gone: int\n    def m(self): ...\n",
        "class T:\n    kept: int\n    def m(self): ...\n",
    )
    backend = "import types\nfrom lib.a import T\n" + around.format(f"t.m = {bound}")
    line = 4 if around.startswith("def mine") else 5
    assert lib(old, new, backend) == [f"attribute-removed lib.a.T.gone breaks {line} gone"]
    assert lib(old, new, backend.replace("t: T", "t")) == []


@pytest.mark.parametrize("annotation", ["", ": Any", ": typing.Any"])
@pytest.mark.parametrize("put", ["T.m = mine", "setattr(T, 'm', mine)"])
def test_a_function_that_a_method_puts_there(annotation: str, put: str) -> None:
    old, new = "class T:\n    gone: int\n    def m(self): ...\n", "class T:\n    def m(self): ...\n"
    backend = (
        "import typing\nfrom typing import Any\nfrom lib.a import T\nclass Patches:\n    @staticmethod\n"
        f"    def put():\n        def mine(self{annotation}):\n            return self.gone\n        {put}\n"
    )
    assert lib(old, new, backend) == ["attribute-removed lib.a.T.gone breaks 8 gone"]
    assert lib(old, new, backend.replace(put, "use(mine)")) == []
    assert (
        lib(old, new, backend.replace("mine(self", "mine(self: str" if not annotation else "mine(x, self"))
        == []
    )


HELPER = "def helper(one):\n    one.size\n"


@pytest.mark.parametrize(
    ("caller", "expected"),
    [
        ("def mine(self):\n    helper(self)\nRunner.run = mine\n", [f"{GONE} 4"]),
        ("def mine(self):\n    helper(one=self)\nRunner.run = mine\nRunner.walk = mine\n", [f"{GONE} 4"]),
        ("def mine(self):\n    helper(self)\nOther.run = mine\n", []),
        ("def mine(self):\n    helper(self)\n", []),
        ("def mine(self):\n    helper(self)\nRunner.run = mine\ndef its(self):\n    helper(self)\n"
         "Other.run = its\n", []),
        ("def mine(self):\n    helper(self)\nRunner.run = mine\nhelper(object())\ndef go(x):\n    helper(x)\n", []),
    ],
)  # fmt: skip
def test_what_such_a_function_hands_to_a_helper_of_its_module(caller: str, expected: list[str]) -> None:
    assert [row for row in told(OLD, NEW, use(HELPER + caller)) if row.startswith(GONE)] == expected


MAKER = """
def made(original):
    def mine(self, *args):
        self.size
        return original(self, *args)
    return mine
"""


@pytest.mark.parametrize(
    ("maker", "put"),
    [
        (MAKER, "Runner.run = made(Runner.run)\n"),
        (MAKER, "def apply():\n    global kept\n    kept = Runner.run\n    engine.core.Runner.run = made(kept)\n"),
        (MAKER, "setattr(Runner, 'run', made(Runner.run))\n"),
        (MAKER.replace("def mine", "@functools.wraps(original)\n    def mine"), "Runner.run = made(Runner.run)\n"),
        (f"{MAKER}\n".replace("    def mine(self, *args):\n        self.size\n        return original(self, *args)\n",
         "    if original:\n        def mine(self, *args):\n            self.size\n"), "Runner.run = made(Runner.run)\n"),
        (MAKER.replace("return mine", "if original:\n        return mine\n    return original"),
         "Runner.run = made(Runner.run)\n"),
    ],
)  # fmt: skip
def test_what_a_function_makes_is_put_into_a_class(maker: str, put: str) -> None:
    (row,) = (row for row in told(OLD, NEW, use(maker + put)) if row.startswith("attribute"))
    assert row.startswith(GONE)
    importing = {
        "plugin/__init__.py": "",
        "plugin/making.py": maker,
        "plugin/using.py": use("") + IMPORT + put,
    }
    (elsewhere,) = (row for row in lib(OLD, NEW, _of_lib(importing)) if row.startswith("attribute"))
    assert elsewhere.startswith("attribute-removed lib.a.Runner.size breaks")


IMPORT = "from plugin.making import made\n"


def _of_lib(files: dict[str, str]) -> dict[str, str]:
    return {path: text.replace("engine.core", "lib.a") for path, text in files.items()}


@pytest.mark.parametrize(
    ("maker", "put"),
    [
        pytest.param(MAKER, "", id="nobody puts it anywhere"),
        pytest.param(MAKER, "Runner.run = made(1)\nOther.run = made(2)\n", id="into two classes"),
        pytest.param(MAKER, "engine.core.run = made(1)\n", id="into a module"),
        pytest.param(MAKER.replace("return mine", "return original"), "Runner.run = made(1)\n", id="not returned"),
        pytest.param(
            MAKER.replace("return mine", "def other(): ...\n    return mine if original else other"),
            "Runner.run = made(1)\n",
            id="chosen in an expression",
        ),
        pytest.param(
            MAKER.replace("return mine", "def other(): ...\n    if original:\n        return other\n    return mine"),
            "Runner.run = made(1)\n",
            id="one of two",
        ),
        pytest.param(MAKER.replace("self", "self: Other"), "Runner.run = made(1)\n", id="declared"),
        pytest.param(MAKER.replace("def mine", "@staticmethod\n    def mine"), "Runner.run = made(1)\n", id="static"),
    ],
)  # fmt: skip
def test_what_a_function_makes_goes_elsewhere_or_nowhere(maker: str, put: str) -> None:
    assert not [row for row in told(OLD, NEW, use(maker + put)) if row.startswith("attribute")]
    importing = {"plugin/__init__.py": "", "plugin/making.py": f"from lib.a import Other\n{maker}",
                 "plugin/using.py": use("") + IMPORT + put}  # fmt: skip
    assert not [row for row in lib(OLD, NEW, _of_lib(importing)) if row.startswith("attribute")]


PUTTING = "def put(owner, name, new, loud=True):\n    setattr(owner, name, new)\n\n\ndef keep(owner, name, new): ...\n"
ELSEWHERE = "def mine(self):\n    self.size\n"


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("put(Runner, 'run', mine)\n", [f"{GONE} 2"]),
        ("def apply():\n    put(Runner, 'run', mine, False)\n", [f"{GONE} 2"]),
        ("keep(Runner, 'run', mine)\n", []),
        ("put(Runner, 'run', made(mine))\n", []),
    ],
)
def test_a_helper_that_puts_a_function_of_another_module_there(call: str, expected: list[str]) -> None:
    files = {
        "plugin/tools.py": PUTTING,
        "plugin/functions.py": ELSEWHERE,
        "plugin/use.py": f"from plugin.functions import mine\nfrom plugin.tools import keep, put\n{use(call)}",
    }
    found = compare(engine(OLD), engine(NEW), files)
    assert [f"{f.kind} {f.symbol.removeprefix('engine.')} {f.verdict} {f.contract.place.location.line}"
            for f in found] == expected  # fmt: skip


CONFIGURED = """
class Model:
    def head(self): ...

class Config:
    model: Model

class Base:
    @classmethod
    def verify(cls, config: Config) -> None: ...
    def run(self, config: Config): ...
    def walk(self, config): ...

def go(config: Config): ...
"""
MINE = "def mine(self, config):\n    config.model.head()\n"


@pytest.mark.parametrize(
    ("body", "line"),
    [
        (f"{MINE}lib.a.Base.run = mine\n", 3),
        (f"{MINE}from lib.a import Base\nBase.run = mine\n", 3),
        (f"{MINE}setattr(lib.a.Base, 'run', mine)\n", 3),
        (f"{MINE}lib.a.Base.verify = classmethod(mine)\n", 3),
        (f"@classmethod\n{MINE}lib.a.Base.verify = mine\n", 4),
        ("def mine(config):\n    config.model.head()\nlib.a.go = mine\n", 3),
        (f"{MINE}def apply():\n    lib.a.Base.run = mine\n", 3),
        (f"{MINE}lib.a.Base.run = mine\nlib.a.Base.run = mine\n", 3),
    ],
)
def test_a_parameter_without_a_type_is_what_the_function_replaced_takes(body: str, line: int) -> None:
    new = CONFIGURED.replace("head", "heads")
    told = lib(CONFIGURED, new, f"import lib.a\n{body}")
    assert told == [f"attribute-removed lib.a.Model.head breaks {line} head"]


@pytest.mark.parametrize(
    "body",
    [
        MINE,
        f"{MINE}lib.a.Base.walk = mine\n",
        f"{MINE}lib.a.Base.run = mine\nlib.a.Base.walk = mine\nlib.a.Base.verify = mine\n",
        f"{MINE.replace('config):', 'config: int):')}lib.a.Base.run = mine\n",
        f"{MINE}class Own:\n    def run(self, config: lib.a.Config): ...\nOwn.run = mine\n",
        f"{MINE}lib.a.Base.run = mine\nsome.other.run = mine\n",
    ],
)
def test_what_tells_no_type_or_several_leaves_it_open(body: str) -> None:
    new = CONFIGURED.replace("head", "heads")
    assert not any("head" in row for row in lib(CONFIGURED, new, f"import lib.a\n{body}"))
