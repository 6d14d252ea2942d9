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


@pytest.mark.parametrize(
    "elsewhere",
    [
        pytest.param("from lib.a import T\nT['gone'] = 1\n", id="put there"),
        pytest.param("from lib import a\na.T.update(more)\n", id="filled"),
        pytest.param("from lib.a import T as table\nfill(table)\n", id="under another name"),
        pytest.param("mock.patch.dict('lib.a.T', more)\n", id="by a mock"),
    ],
)
@pytest.mark.parametrize("where", ["lib/b.py", "plugin/b.py"])
def test_a_key_that_another_module_may_put_there(where: str, elsewhere: str) -> None:
    plugin = {"plugin/__init__.py": "", "plugin/a.py": "from lib.a import T\nx = T['gone']\n"}
    files = {"lib/a.py": NEW}, plugin
    files[where.startswith("plugin")][where] = elsewhere
    assert compare({"lib/a.py": OLD}, *files) == []


@pytest.mark.parametrize(
    "more",
    [
        pytest.param("def init():\n    global T\n    T = load()\n", id="bound anew"),
        pytest.param("T |= {'gone': 1}\n", id="joined"),
        pytest.param("U = T\nU['gone'] = 1\n", id="another name"),
        pytest.param("if x:\n    T = {'gone': 1}\n", id="on a branch"),
        pytest.param("def register(key):\n    T[key] = 1\n", id="any key"),
    ],
)
def test_a_key_that_its_module_may_put_there(more: str) -> None:
    assert compare(OLD, NEW + more, LOCAL) == []


def test_other_keys_that_are_put_there() -> None:
    own = "from lib.a import T\nT['mine'] = 1\nx = T['gone'], T['mine']\n"
    assert compare(OLD, NEW + "T['other'] = 3\n", own) == ["key-removed lib.a.T['gone'] breaks 3 'gone'"]


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("if 'gone' in T:\n        return T['gone']", id="asked before"),
        pytest.param("if T.get('gone'):\n        return T['gone']", id="looked up before"),
        pytest.param("try:\n        return T['gone']\n    except KeyError:\n        pass", id="caught"),
    ],
)
def test_a_key_that_may_be_missing(body: str) -> None:
    own = f"from lib.a import T\ndef g():\n    {body}\n"
    assert compare(OLD, NEW, own) == ["key-removed lib.a.T['gone'] at-risk 4 'gone'"]


@pytest.mark.parametrize(
    ("more", "told"),
    [("", ["key-removed lib.a.T['x']['gone'] breaks 2 'gone'"]), ("def f(x):\n    return T[x]\n", [])],
)
def test_a_key_of_a_dictionary_in_another_one(more: str, told: list[str]) -> None:
    old, new = "T = {'x': {'gone': 1}}\n", "T = {'x': {'kept': 1}}\n"
    assert compare(old, new + more, "from lib.a import T\nx = T['x']['gone']\n") == told


@pytest.mark.parametrize("line", ["del T['gone']", "x = T.pop('gone')", "T['gone'] += 1"])
def test_a_key_that_is_taken_away_or_changed_in_place(line: str) -> None:
    assert compare(OLD, NEW, f"from lib.a import T\n{line}\n") == [
        "key-removed lib.a.T['gone'] breaks 2 'gone'"
    ]


@pytest.mark.parametrize("line", ["x = T.pop('gone', None)", "T['gone'] = 1"])
def test_a_key_that_need_not_be_there(line: str) -> None:
    assert compare(OLD, NEW, f"from lib.a import T\n{line}\n") == []


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ("", ["key-removed lib.a.C.T['gone'] breaks 2 'gone'"]),
        ("class D(C): ...\n", ["key-removed lib.a.C.T['gone'] breaks 2 'gone'"]),
        ("    def put(self, key): self.T[key] = 1\n", []),
        ("    @classmethod\n    def put(cls): cls.T['gone'] = 1\n", []),
        ("C.T = make()\n", []),
    ],
)
def test_a_dictionary_of_a_class(more: str, told: list[str]) -> None:
    old, new = (f"class C:\n    {text}" for text in (OLD, NEW))
    assert compare(old, new + more, "from lib.a import C\nx = C.T['gone']\n") == told
