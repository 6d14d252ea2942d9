"""Names that an import gives, and something that says nothing where the import does not run."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

OLD = "class Inner:\n    gone = False\nclass Config:\n    inner: Inner = Inner()\n"
NEW = OLD.replace("gone", "other")
USE = "def read(config: 'Config'):\n    return config.inner.gone\n"


@pytest.mark.parametrize(
    "header",
    [
        "if TYPE_CHECKING:\n    from lib.a import Config\nelse:\n    Config = None\n",
        "if TYPE_CHECKING:\n    from lib.a import Config\nelse:\n    Config = Any\n",
        "if not TYPE_CHECKING:\n    Config = object\nelse:\n    from lib.a import Config\n",
        "Config = None\nif TYPE_CHECKING:\n    from lib.a import Config\n",
        "try:\n    from lib.a import Config\nexcept ImportError:\n    Config = None\n",
    ],
)
def test_the_import_says_what_the_name_means(header: str) -> None:
    plugin = f"from typing import TYPE_CHECKING, Any\n{header}{USE}"
    line = plugin[: plugin.index("return")].count("\n") + 1
    assert compare(OLD, NEW, plugin) == [f"attribute-removed lib.a.Inner.gone breaks {line} gone"]


@pytest.mark.parametrize(
    "header",
    [
        "class Config: ...\nif TYPE_CHECKING:\n    from lib.a import Config\n",
        "Config = None\ndef other():\n    from lib.a import Config\n",
        "Config = make()\nif TYPE_CHECKING:\n    from lib.a import Config as C\n",
    ],
)
def test_a_name_with_a_meaning_of_its_own(header: str) -> None:
    assert compare(OLD, NEW, f"from typing import TYPE_CHECKING\n{header}{USE}") == []


@pytest.mark.parametrize(
    "error", ["ImportError", "ModuleNotFoundError", "(ImportError, OSError)", "Exception"]
)
def test_what_stands_in_for_an_import_that_fails(error: str) -> None:
    header = f"try:\n    from lib.a import Config, Inner\nexcept {error}:\n"
    old, new = OLD + "    def f(self, a): ...\n", NEW + "    def f(self, a, b): ...\n"
    told = compare(old, new, f"{header}    class Config: ...\n{USE}")
    assert told == ["attribute-removed lib.a.Inner.gone breaks 6 gone"]
    own = f"{header}    class Config: ...\nclass Mine(Config):\n    def f(self, a): ...\n"
    assert [row.split()[:2] for row in compare(old, new, own)] == [["parameter-required", "lib.a.Config.f"]]


@pytest.mark.parametrize("test", ["HAS_LIB", "lib_is_present()", "find_spec('lib') is not None"])
def test_a_class_for_want_of_what_is_not_installed(test: str) -> None:
    header = f"if {test}:\n    from lib.a import Config\nelse:\n    class Config: ...\n"
    assert compare(OLD, NEW, header + USE) == ["attribute-removed lib.a.Inner.gone breaks 6 gone"]
    header = f"if not {test}:\n    class Config: ...\nelse:\n    from lib.a import Config\n"
    assert compare(OLD, NEW, header + USE) == ["attribute-removed lib.a.Inner.gone breaks 6 gone"]


@pytest.mark.parametrize(
    "header",
    [
        "try:\n    from lib.a import Config\nexcept KeyError:\n    class Config: ...\n",
        "if x:\n    from lib.a import Config\nelse:\n    class Config: ...\n",
        "try:\n    import lib.a\nexcept ImportError:\n    class Config: ...\n",
    ],
)
def test_a_class_that_stands_in_for_nothing(header: str) -> None:
    assert compare(OLD, NEW, f"{header}{USE}") == []
