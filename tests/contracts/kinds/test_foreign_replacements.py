"""Replaced functions of modules and constructors: who calls them upstream, and how."""

from pathlib import Path

from syncbot.contracts.model import Verdict
from tests.contracts.foreign_world import compare

ROUTER = "def make_router(size, scale=1.0{more}):\n    return size\n"
CALLER = "from lib.router import make_router\n\n\ndef build():\n    return make_router(size=1{more})\n"
PATCH = (
    "import lib.router\n\n\ndef make_router(size, scale=1.0):\n    return None\n\n\n"
    "lib.router.make_router = make_router\n"
)


def test_a_module_functions_first_parameter_is_no_receiver(tmp_path: Path) -> None:
    found = compare(
        tmp_path,
        {"lib/__init__.py": "", "lib/router.py": ROUTER.format(more=""), "lib/a.py": CALLER.format(more="")},
        {
            "lib/__init__.py": "",
            "lib/router.py": ROUTER.format(more=", table=None"),
            "lib/a.py": CALLER.format(more=", table=2"),
        },
        {"plugin/__init__.py": PATCH},
    )
    (finding,) = [f for f in found if f.contract.kind == "patch"]
    assert (finding.verdict, finding.subject) == (Verdict.BREAKS, "table")
    assert "passes it by name (build, line 5)" in finding.reason


def test_a_call_of_another_function_of_that_name_proves_nothing(tmp_path: Path) -> None:
    other = (
        "def make_router(size, table):\n    return table\n\n\ndef build():\n    return make_router(1, {})\n"
    )
    found = compare(
        tmp_path,
        {"lib/__init__.py": "", "lib/router.py": ROUTER.format(more="")},
        {"lib/__init__.py": "", "lib/router.py": ROUTER.format(more=", table=None"), "lib/a.py": other},
        {"plugin/__init__.py": PATCH},
    )
    (finding,) = [f for f in found if f.contract.kind == "patch"]
    assert finding.verdict is Verdict.AT_RISK


HANDLER = "class Handler:\n    def __init__(self, data, {name}):\n        self.data = data\n"
UNRELATED = "class Actor(Base):\n    def __init__(self):\n        Base.__init__(self, 1, 2, 3, 4, 5)\n"


def test_a_replaced_constructor_is_called_by_the_name_of_its_class(tmp_path: Path) -> None:
    plugin = (
        "from lib.handler import Handler\n\n\ndef init(self, data, factor):\n    self.data = data\n\n\n"
        "Handler.__init__ = init\n"
    )
    caller = "from lib.handler import Handler\n\n\ndef start():\n    return Handler(1, {name}=2)\n"
    found = compare(
        tmp_path,
        {
            "lib/__init__.py": "",
            "lib/handler.py": HANDLER.format(name="factor"),
            "lib/use.py": caller.format(name="factor"),
        },
        {
            "lib/__init__.py": "",
            "lib/handler.py": HANDLER.format(name="blocks"),
            "lib/use.py": caller.format(name="blocks"),
            "lib/actor.py": "class Base:\n    pass\n\n\n" + UNRELATED,
        },
        {"plugin/__init__.py": plugin},
    )
    (finding,) = [f for f in found if f.contract.kind == "patch" and f.verdict is Verdict.BREAKS]
    assert finding.kind == "parameter-renamed"
    assert "(start, line 5)" in finding.reason


def test_a_call_of_what_the_plugin_itself_replaces_binds_to_the_plugins_function(tmp_path: Path) -> None:
    plugin = (
        "from lib.handler import Handler\n\n\ndef init(self, data, factor):\n    self.data = data\n\n\n"
        "Handler.__init__ = init\nhandler = Handler(1, factor=2)\n"
    )
    old, new = (
        {"lib/__init__.py": "", "lib/handler.py": HANDLER.format(name=name)} for name in ("factor", "blocks")
    )
    assert compare(tmp_path, old, new, {"plugin/__init__.py": plugin}) == []
    (tmp_path / "plain").mkdir()
    plain = plugin.replace("Handler.__init__ = init\n", "")
    found = compare(tmp_path / "plain", old, new, {"plugin/__init__.py": plain})
    assert {f.contract.kind for f in found} == {"call"}
