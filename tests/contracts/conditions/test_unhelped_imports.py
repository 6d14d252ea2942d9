"""Imports whose error is caught, where nothing helps without them."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

OLD = {"lib/a.py": "def f(): ...\nclass C: ...\n", "lib/b.py": "x = 1\n"}
NEW = {"lib/a.py": "", "lib/b.py": "x = 1\n"}
TRIED = "try:\n    from lib.a import f\nexcept ImportError:\n    "


def _verdict(plugin: str | dict[str, str]) -> str:
    found = [row.split() for row in compare(OLD, NEW, plugin)]
    assert {row[1] for row in found} <= {"lib.a.f", "lib.a.C"}
    return next(row[2] for row in found if row[1] == "lib.a.f")


@pytest.mark.parametrize(
    "rest",
    [
        "f = None\ndef g():\n    return f()\n",
        "pass\ndef g():\n    return f()\n",
        "pass\ndef g(x):\n    x.append(f)\n",
        "log.warning('no lib')\n    f = None\nclass B:\n    def g(self):\n        return f.x\n",
        "f = None\nclass B(f): ...\n",
        "f = None\ndef g(x):\n    return isinstance(x, f)\n",
        "f = None\ndef g():\n    if f is None:\n        raise RuntimeError('install lib')\n    return f()\n",
        "f = None\ndef g():\n    if not f:\n        print('no')\n        raise RuntimeError\n    return [f]\n",
        "f = None\ndef g():\n    assert f is not None\n    return f()\n",
        "HAS = False\nelse:\n    HAS = True\ndef g():\n    if not HAS:\n        raise ImportError\n    f()\n",
        "import lib\n    version = lib.v\n    if version < '2':\n        warn('old')\ndef g():\n    f()\n",
        "version = 1\ndef g(version):\n    return f(version)\n",
        "f: object = None\ndef g(x: f) -> f:\n    return f(x)\n",
        "pass\ndef g(x, y):\n    if x and y in [f]:\n        return 1\n",
        "pass\ndef g(x):\n    return f() if x else 0\n",
        "pass\ndef g(x: f): ...\n",
        "pass\ndef g(x) -> list[f]: ...\n",
        "pass\nclass B:\n    def g(self, x: int | f = 1): ...\n",
        "HAS = False\nelse:\n    HAS = True\nclass B:\n    def __init__(self):\n        if not HAS:\n"
        "            raise ImportError\n    def g(self):\n        return f() if HAS else 0\n",
    ],
)
def test_what_fails_without(rest: str) -> None:
    """All that asks for the name raises when it is not there: the import is needed."""
    assert _verdict(TRIED + rest) == "breaks"


@pytest.mark.parametrize(
    "rest",
    [
        "f = None\n",
        "HAS = False\nelse:\n    HAS = True\ndef g(x):\n    return HAS and isinstance(x, f)\n",
        "pass\ndef g(x):\n    return 'f' in globals() and isinstance(x, f)\n",
        "pass\ndef g(x: 'f'): ...\n",
        "f = None\ndef g(x: f): ...\n",
        "f = None\ndef g():\n    if f is not None:\n        return f()\n",
        "f = None\ndef g():\n    if f is None:\n        return 1\n    return f()\n",
        "f = None\ndef g():\n    return f() if f else 0\n",
        "HAS = False\nelse:\n    HAS = True\nclass B:\n    def __init__(self):\n        if not HAS:\n"
        "            raise ImportError\n    @staticmethod\n    def g():\n        return f() if HAS else 0\n",
        "f = None\ndef g():\n    return f and f()\n",
        "f = None\ndef g():\n    try:\n        return f()\n    except TypeError:\n        return 0\n",
        "f = None\ndef g():\n    return h(f) or f()\n",
        "f = lambda: 0\ndef g():\n    return f()\n",
        "f = None\n    from other import f\ndef g():\n    return f()\n",
        "f = None\nif not f:\n    f = int\ndef g():\n    return f()\n",
        "def f(): ...\ndef g():\n    return f()\n",
        "install()\ndef g():\n    return f()\n",
        "f = None\ndef g(f):\n    return f()\n",
        "HAS = False\nelse:\n    HAS = True\ndef g():\n    if HAS:\n        f()\n",
        "HAS = False\nelse:\n    HAS = True\ndef has():\n    return HAS\ndef g():\n    f()\n",
        "HAS = False\nelse:\n    HAS = True\ndef g(x):\n    if not HAS or x:\n        return 1\n    f()\n",
        "import lib\n    version = lib.v\ndef g():\n    return 1 if version else f()\n",
        "if x:\n        f = int\ndef g():\n    f()\n",
        "if install():\n        pass\ndef g():\n    f()\n",
        "version = find()\ndef g():\n    f()\n",
        "f = None\ndef g():\n    while f:\n        f()\n",
    ],
)
def test_what_does_without(rest: str) -> None:
    """Something else is done, or something else decides: only a risk."""
    assert _verdict(TRIED + rest) == "at-risk"


def test_a_name_set_before() -> None:
    """A name that is bound before the statement keeps that value after it."""
    tried = "try:\n    from lib.a import f\nexcept ImportError:\n    pass\n"
    assert _verdict(f"f = None\n{tried}def g():\n    if f is None:\n        raise RuntimeError\n") == "breaks"
    assert _verdict(f"f = int\n{tried}def g():\n    return f()\n") == "at-risk"


def test_only_what_comes_after_is_lost() -> None:
    """A name that was imported before the failing import is defined."""
    tried = "try:\n    from lib.b import x\n    from lib.a import f\nexcept ImportError:\n    pass\n"
    assert _verdict(f"{tried}def g():\n    return x.y\n") == "at-risk"
    tried = "try:\n    from lib.a import f\n    from lib.b import x\nexcept ImportError:\n    pass\n"
    assert _verdict(f"{tried}def g():\n    return x.y\n") == "breaks"


def test_an_import_in_a_function() -> None:
    """Only the code of that function matters there."""
    body = "    try:\n        from lib.a import f\n    except ImportError:\n        f = None\n"
    assert _verdict(f"def g():\n{body}    return f()\n") == "breaks"
    assert _verdict(f"def g():\n{body}    return f\ndef h():\n    return f()\n") == "at-risk"


def test_a_name_that_other_modules_take() -> None:
    """Nobody says what they do with it."""
    plugin = TRIED + "f = None\ndef g():\n    return f()\n"
    other = {"plugin/a.py": plugin, "plugin/b.py": "from .a import f\nif f:\n    f()\n"}
    assert _verdict(other) == "at-risk"
    assert _verdict(other | {"plugin/b.py": "from .a import g\nf = 1\n"}) == "breaks"


def test_annotations_that_are_kept_as_texts_ask_for_nothing() -> None:
    plugin = f"from __future__ import annotations\n{TRIED}pass\ndef g(x: f) -> f: ...\n"
    assert _verdict(plugin) == "at-risk"
    assert _verdict(plugin.partition("\n")[2]) == "breaks"


@pytest.mark.parametrize(
    ("line", "verdict"),
    [
        ("from lib.a import f", "breaks"),
        ("from lib.gone import f", "at-risk"),
    ],
)
def test_what_a_module_lacks_is_no_missing_module(line: str, verdict: str) -> None:
    old = {**OLD, "lib/gone.py": "def f(): ...\n"}
    plugin = f"try:\n    {line}\nexcept ModuleNotFoundError:\n    f = None\n"
    assert [row.split()[2] for row in compare(old, NEW, plugin)] == [verdict]
