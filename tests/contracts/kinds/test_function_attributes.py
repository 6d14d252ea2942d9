"""Attributes that functions have from a decorator."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

OLD = "import functools\n@functools.lru_cache(maxsize=None)\ndef f(): ...\n"
NEW = "def f(): ...\n"
USE = "from lib.a import f\ndef g():\n    f.{}()\n"


@pytest.mark.parametrize("name", ["cache_clear", "cache_info", "__wrapped__"])
def test_a_plain_function_has_none(name: str) -> None:
    told = [f"attribute-removed lib.a.f.{name} breaks 3 {name}"]
    assert compare(OLD, NEW, USE.format(name)) == told
    assert compare(OLD.replace("lru_cache(maxsize=None)", "cache"), NEW, USE.format(name)) == told


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param(OLD, OLD.replace("lru_cache(maxsize=None)", "cache"), id="another cache"),
        pytest.param(OLD, "@cached\ndef f(): ...\n", id="a decorator that nobody knows"),
        pytest.param(OLD, NEW + "f = functools.cache(f)\n", id="wrapped below"),
        pytest.param(OLD.replace("@functools.lru_cache(maxsize=None)", "@mine"), NEW, id="never from that"),
        pytest.param(OLD, "import functools\nclass F: ...\nf = F()\n", id="an object"),
    ],
)
def test_a_function_that_may_have_it(old: str, new: str) -> None:
    assert not [row for row in compare(old, new, USE.format("cache_clear")) if "breaks" in row]


@pytest.mark.parametrize(
    "own",
    [
        "if hasattr(f, 'cache_clear'):\n    f.cache_clear()",
        "try:\n    f.cache_clear()\nexcept AttributeError:\n    pass",
    ],
)
def test_an_attribute_that_may_be_missing(own: str) -> None:
    old, new = "import functools\n@functools.cache\ndef f(): ...\n", "def f(): ...\n"
    told = compare(old, new, f"from lib.a import f\n{own}\n")
    assert [row.split()[2] for row in told] == ["at-risk"]
    assert compare(old, new + "f.cache_clear = clear\n", "from lib.a import f\nf.cache_clear()\n") == []
    another = {"lib/a.py": new, "lib/b.py": "def g(x):\n    x.f = 1\n"}
    use = "from lib.a import f\nf.cache_clear()\n"
    assert [row.split()[2] for row in compare({"lib/a.py": old}, another, use)] == ["breaks"]
    patched = "import functools\nfrom lib import a\na.f = functools.cache(a.f)\na.f.cache_clear()\n"
    assert compare(old, new, patched) == []
