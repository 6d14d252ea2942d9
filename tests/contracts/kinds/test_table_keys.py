"""Keys of dictionaries that upstream spells out."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

OLD = "T = {'gone': 1, 'kept': 2}\n"
NEW = "T = {'kept': 2}\n"
LOCAL = "def g():\n    from lib.a import T\n    return T['gone']\n"


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        (OLD, NEW, "T['gone']"),
        (OLD.replace("T =", "T: dict[str, int] ="), NEW + "def f(x):\n    return T[x]\n", "T['gone']"),
        ("T = {1: 2}\n", "T = {2: 1}\ndef f():\n    return T.get(2)\n", "T[1]"),
    ],
)
def test_a_key_that_is_gone(old: str, new: str, line: str) -> None:
    assert [row.split()[:3] for row in compare(old, new, f"from lib.a import T\nx = {line}\n")] == [
        ["key-removed", f"lib.a.T[{line[2:-1]}]", "breaks"]
    ]


def test_an_import_in_the_function() -> None:
    assert compare(OLD, NEW, LOCAL) == ["key-removed lib.a.T['gone'] breaks 3 'gone'"]


@pytest.mark.parametrize(
    ("new", "line"),
    [
        pytest.param(NEW, "T['kept']", id="another key"),
        pytest.param(NEW, "T.get('gone')", id="asked for"),
        pytest.param(NEW + "T['gone'] = 1\n", "T['gone']", id="put there"),
        pytest.param(NEW + "T.update(other)\n", "T['gone']", id="filled"),
        pytest.param(NEW + "fill(T)\n", "T['gone']", id="handed on"),
        pytest.param("T = {'kept': 2, **other}\n", "T['gone']", id="more in it"),
        pytest.param("T = make()\n", "T['gone']", id="made"),
        pytest.param("if x:\n    T = {'kept': 1}\nelse:\n    T = OTHER\n", "T['gone']", id="on one branch"),
    ],
)
def test_a_key_that_may_be_there(new: str, line: str) -> None:
    assert not [row for row in compare(OLD, new, f"from lib.a import T\nx = {line}\n") if "breaks" in row]


@pytest.mark.parametrize(
    "put", ["T['gone'] = 3", "T.update(gone=3)", "a.T['gone'] = 3", "T.setdefault('gone', 3)"]
)
def test_a_key_that_another_module_puts_there(put: str) -> None:
    more = f"from lib import a\nfrom lib.a import T\n{put}\n"
    use = "from lib.a import T\nx = T['gone']\n"
    assert compare({"lib/a.py": OLD}, {"lib/a.py": NEW, "lib/b.py": more}, use) == []
    own = {"plugin/__init__.py": use, "plugin/more.py": more}
    assert compare({"lib/a.py": OLD}, {"lib/a.py": NEW}, own) == []
    read = {"plugin/__init__.py": use, "plugin/more.py": "from lib.a import T\ny = T['kept'] == 3\n"}
    assert len(compare({"lib/a.py": OLD}, {"lib/a.py": NEW}, read)) == 1
