"""Code that decides by upstream's version, in whatever form it is written: what does not run on a version is
no contract there, and what cannot be read counts as code that may run."""

from __future__ import annotations

import ast

import pytest
from packaging.version import Version

from syncbot.contracts.conditions.evaluation import UNKNOWN, Evaluation
from syncbot.contracts.discovery import discover
from syncbot.contracts.sources import in_memory
from tests.contracts.world import comparison

AVAILABLE = """
import warnings
from elsewhere import _is_package_available

def is_lib_available(min_version=None):
    _lib_available, _lib_version = _is_package_available("lib", return_version=True)
    if _lib_available:
        _base = Version(Version(_lib_version).base_version)
        if not (Version("0.5") <= _base <= Version("9")):
            warnings.warn(f"{_base} is not supported", stacklevel=2)
        if min_version is not None and Version(_lib_version) < Version(min_version):
            return False
    return _lib_available
"""
KEPT = """
_FOUND = None

def found():
    global _FOUND
    if _FOUND is None:
        try:
            _FOUND = Version(importlib.metadata.version("lib"))
        except Exception:
            _FOUND = Version("0")
    return _FOUND

def since(*, floor: str) -> bool:
    version: Version = found()
    return version >= Version(floor)
"""
NUMBERS = """
def version_numbers():
    version = lib.__version__
    return tuple(int(part) for part in version.split("+")[0].split(".")[:2])

CURRENT = version_numbers()

def at_least(major, minor):
    return CURRENT >= (major, minor)
"""
LOOP = """
def one_of(*, wanted="1.2"):
    for version in ("1.0", wanted):
        if lib.__version__ == version:
            return True
    return False
"""
TRIED = """
try:
    lib_version = lib.__version__
except Exception:
    BEFORE_VERSION_12 = False
else:
    _major, _minor = (int(lib_version.split(".")[0]), int(lib_version.split(".")[1]))
    BEFORE_VERSION_12 = (_major, _minor) < (1, 12)
"""
OTHER = "try:\n    import other_version\n    HAS = True\nexcept ImportError:\n    HAS = False\n"
ANY_OF = "def fits(v):\n    current = lib_version\n    return any(Version(v) <= current for v in (v, '7'))\n"


@pytest.mark.parametrize(
    ("defined", "test", "expected"),
    [
        pytest.param(AVAILABLE, "is_lib_available()", True, id="that it is there"),
        pytest.param(AVAILABLE, "is_lib_available(min_version='1.2')", True, id="keyword, locals, early return"),
        pytest.param(AVAILABLE, "is_lib_available(min_version='1.12')", False, id="the same, not that new"),
        pytest.param(KEPT, "since(floor='1.2')", True, id="kept in a global"),
        pytest.param(KEPT, "since(floor='2')", False, id="kept in a global, not that new"),
        pytest.param(KEPT, "found() < Version('2')", True, id="a function that gives the version"),
        pytest.param(NUMBERS, "at_least(1, 2)", True, id="numbers, by a constant of the module"),
        pytest.param(NUMBERS, "at_least(1, 10)", False, id="numbers, not that new"),
        pytest.param(LOOP, "one_of(wanted='1.9')", True, id="a loop over what is written"),
        pytest.param(LOOP, "one_of()", False, id="a loop, with a default"),
        pytest.param(TRIED, "BEFORE_VERSION_12", True, id="what is tried, and does not fail"),
        pytest.param(TRIED, "not BEFORE_VERSION_12", False, id="what is tried, the other way"),
        pytest.param(OTHER, "HAS", None, id="what is tried says nothing of a version"),
        pytest.param(f"{TRIED}    BEFORE_VERSION_12 = False\n", "BEFORE_VERSION_12", None, id="tried, given twice"),
        pytest.param(ANY_OF, "fits('1.2')", True, id="any of several"),
        pytest.param("", "tuple(map(int, lib.__version__.split('.')[:2])) >= (1, 10)", False, id="map"),
        pytest.param("", "lib.__version__.startswith('1.')", True, id="a text that begins so"),
        pytest.param("", "find_spec('lib') is not None", True, id="a look for the package"),
        pytest.param("def has_b():\n    version = 1\n    try:\n        from lib.b import g\n        return True\n    except ImportError:\n"
                     "        return False\n", "has_b()", None, id="an import that one version may lack"),
        pytest.param("", "parser.has_option('lib')", None, id="another question with the name"),
        pytest.param("", "find_spec('other') is not None", None, id="a look for another one"),
        pytest.param("", "(v := Version(lib.__version__)) >= Version('1.2')", True, id="named in a condition"),
        pytest.param("", "Version('2') > Version('1')", None, id="nothing of upstream"),
        pytest.param("", "lib.__version__.split('.')[:n] >= ['1']", None, id="an unknown part"),
        pytest.param("def at(v):\n    while version:\n        v = 1\n    return v\n", "at(w)", None, id="while"),
        pytest.param("def at(v):\n    version = v\n    return at(v)\n", "at(w)", None, id="one that asks itself"),
    ],
)  # fmt: skip
def test_what_a_condition_comes_to(defined: str, test: str, expected: bool | None) -> None:
    plugin = f"import lib\nfrom lib.a import f\n{defined}\nif {test}:\n    f(1)\nelse:\n    f(2)\n"
    own = in_memory({"plugin/__init__.py": plugin})
    files = {"lib/a.py": "def f(a): ...\n", "lib/__init__.py": ""}
    pair = comparison(files, files, own)
    found = discover(own, pair.old, ("lib",), version=Version("1.9"))
    given = sorted(c.arguments.constants[0][1] for c in found if c.kind == "call")  # type: ignore[attr-defined]
    assert given == {True: ["1"], False: ["2"], None: ["1", "2"]}[expected]


@pytest.mark.parametrize(
    ("plugin", "given"),
    [
        pytest.param("def g():\n    now = Version(lib.__version__)\n    if now < Version('1.2'):\n        f(1)\n    f(2)\n", ["2"],
                     id="a local"),
        pytest.param("NOW = Version(lib.__version__)\ndef g(NOW):\n    if NOW < Version('1.2'):\n        f(1)\n", ["1"],
                     id="a parameter of the same name"),
        pytest.param("NOW = Version(lib.__version__)\nclass C:\n    def g(self):\n        if NOW < Version('1.2'):\n"
                     "            f(1)\n        f(2)\n", ["2"], id="a constant in a method"),
        pytest.param("def g():\n    major, minor = lib.__version__.split('.')[:2]\n    if int(minor) < 2:\n        f(1)\n"
                     "    f(2)\n", ["2"], id="numbers taken apart"),
        pytest.param("def g():\n    v = version('lib')\n    v = other\n    if Version(v) < Version('1'):\n        f(1)\n", ["1"],
                     id="given twice"),
    ],
)  # fmt: skip
def test_names_that_hold_a_version(plugin: str, given: list[str]) -> None:
    own = in_memory({"plugin/__init__.py": f"import lib\nfrom lib.a import f\n{plugin}"})
    files = {"lib/a.py": "def f(a): ...\n", "lib/__init__.py": ""}
    pair = comparison(files, files, own)
    found = discover(own, pair.old, ("lib",), version=Version("1.9"))
    assert sorted(c.arguments.constants[0][1] for c in found if c.kind == "call") == given  # type: ignore[attr-defined]


def test_a_flag_of_another_module() -> None:
    files = {
        "plugin/tools.py": f"import lib\n{AVAILABLE}",
        "plugin/flags.py": "from plugin.tools import is_lib_available\nNEW = is_lib_available(min_version='1.12')\n",
        "plugin/use.py": "from lib.a import f\nfrom plugin.flags import NEW\nclass C:\n    def g(self):\n"
        "        if NEW:\n            f(1)\n        else:\n            f(2)\n",
    }
    own = in_memory(files)
    upstream = {"lib/a.py": "def f(a): ...\n", "lib/__init__.py": ""}
    pair = comparison(upstream, upstream, own)
    for version, given in (("1.9", "2"), ("1.12", "1")):
        found = discover(own, pair.old, ("lib",), version=Version(version))
        assert [c.arguments.constants[0][1] for c in found if c.kind == "call"] == [given]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "text",
    [
        *("(" * 90 + "1" + ")" * 90, " or ".join(["a"] * 900), "x if y else " * 60 + "z", "'a' * 10 ** 9"),
        "'a'" + ".replace('a', 'aa')" * 60,
    ],
)
def test_what_is_long_or_deep_is_not_followed_for_ever(text: str) -> None:
    run = Evaluation(Version("1.9"), ("lib",))
    assert run.value(ast.parse(text, mode="eval").body, {}) in (UNKNOWN, 1)
