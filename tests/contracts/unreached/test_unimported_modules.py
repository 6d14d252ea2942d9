"""Modules that nothing imports, in a project that others load by its entry points."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.contracts.world import compare

OLD = "class Base: ...\n\n\ndef tool(x, y):\n    return x\n"
NEW = OLD.replace("x, y", "x")
LEFT = '"""Left."""\nfrom lib import a\n\na.tool(1, 2)\n'
LOADED = ("plugin.main.register",)
Files = Mapping[str, str]


def told(
    more: Files | None = None, loaded: tuple[str, ...] = LOADED, left: str = LEFT, new: str = NEW
) -> list[str]:
    """The verdicts on a module ``plugin.left``."""
    files = {"plugin/__init__.py": "", "plugin/main.py": "def register(): ...\n", "plugin/left.py": left}
    return [row.split()[2] for row in compare(OLD, new, files | dict(more or {}), loaded=loaded)]


def test_a_module_that_nothing_imports() -> None:
    assert told() == ["at-risk"]


@pytest.mark.parametrize(
    "more",
    [
        pytest.param({"plugin/main.py": "# from plugin import left\ndef register(): ...\n"}, id="a comment"),
        pytest.param({"plugin/main.py": '"""Not left."""\ndef register(): ...\n'}, id="a docstring"),
        pytest.param({"plugin/main.py": "from lib.left import x\ndef register(left): ...\n"}, id="another one"),
        pytest.param({"plugin/other.py": "from plugin import left\n"}, id="by what nothing imports"),
        pytest.param({"plugin/main.py": "from importlib import import_module\nimport_module(name)\nimport_module(f'ops.{x}')\n"},
                     id="names of others"),
    ],
)  # fmt: skip
def test_what_imports_it_not(more: Files) -> None:
    assert told(more) == ["at-risk"]


@pytest.mark.parametrize(
    "more",
    [
        pytest.param({"plugin/main.py": "from plugin import left\n"}, id="imported"),
        pytest.param({"plugin/main.py": "from . import left as it\n"}, id="imported from here"),
        pytest.param({"plugin/main.py": "from .left import a\n"}, id="imported from"),
        pytest.param({"plugin/main.py": "def register():\n    import plugin.left\n"}, id="imported by a function"),
        pytest.param({"plugin/main.py": "PATH = 'plugin.left:tool'\n"}, id="spelled"),
        pytest.param({"plugin/main.py": "from importlib import import_module\nimport_module(f'plugin.{name}')\n"},
                     id="put together"),
        pytest.param({"plugin/main.py": "from importlib import import_module\nimport_module(f'{__package__}.{name}')\n"},
                     id="put together of names"),
        pytest.param({"plugin/main.py": "from importlib import import_module\nimport_module('.' + name, 'plugin')\n"},
                     id="added"),
        pytest.param({"plugin/main.py": "import pkgutil\npkgutil.iter_modules(path)\n"}, id="looked for"),
        pytest.param({"tests/test_left.py": "from plugin import left\n"}, id="imported by a test"),
        pytest.param({"plugin/between.py": "from . import left\n", "plugin/main.py": "from . import between\n"},
                     id="imported by what is"),
    ],
)  # fmt: skip
def test_what_imports_it(more: Files) -> None:
    assert told(more) == ["breaks"]


def test_entry_points_scripts_packages_and_what_upstream_names() -> None:
    assert told(loaded=()) == ["breaks"], "no entry points are known"
    assert told(loaded=(*LOADED, "plugin.left.tool")) == ["breaks"]
    assert told(left=f"{LEFT}\nif __name__ == '__main__':\n    print()\n") == ["breaks"]
    assert told(new=f"{NEW}\nKNOWN = 'plugin.left'\n") == ["breaks"]
    derived = f"{LEFT}\nclass Mine(a.Base): ...\n"
    assert told(left=derived) == ["breaks"], "users may name the class in their settings"
    assert told(left=derived.replace("a.Base", "Own")) == ["at-risk"]
    package = {"plugin/left.py": "", "plugin/left/__init__.py": LEFT}
    assert told(package) == ["breaks"]
