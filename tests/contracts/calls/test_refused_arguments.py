"""Guards that appear: upstream raises from now on for what a call passes, or leaves out."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

OLD = "def f(a, b=None, mode='x', n=0): ...\n"
TOP = "import enum\nno = object()\nMODES = ('x', 'y')\nclass Flag(enum.Enum):\n    NO = 1\n"


def guarded(body: str, old: str = OLD, signature: str = "a, b=None, mode='x', n=0") -> tuple[str, str]:
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    return TOP + old, f"{TOP}def f({signature}):\n{lines}"


@pytest.mark.parametrize(
    ("body", "call", "subject"),
    [
        ("if b is None:\n    raise ValueError('give b')", "f(1)", "b"),
        ("if not b:\n    raise ValueError", "f(1, b=0)", "b"),
        ("if mode not in ('p', 'q'):\n    raise KeyError(mode)", "f(1, mode='x')", "mode"),
        ("if mode in MODES:\n    raise KeyError(mode)", "f(1, None, 'y')", "mode"),
        ("c = b or mode\nif c == 'x':\n    raise KeyError", "f(1)", ""),
        ("if a and n == 0:\n    pass\nelse:\n    pass\nassert n > 0 and a", "f(a)", "a"),
        ("if n == 0:\n    if b is None:\n        raise ValueError\n", "f(1)", "b"),
        ("if isinstance(a, str):\n    raise TypeError", "f('x')", "a"),
        ("return g(b)", "f(1)", ""),
        ("with lock:\n    if n < 1:\n        raise ValueError", "f(1, n=-1)", "n"),
    ],
)
def test_what_is_sure_to_raise(body: str, call: str, subject: str) -> None:
    old, new = guarded(body)
    helper = "def g(x):\n    if x is None:\n        raise ValueError\n"
    row = f"argument-refused lib.a.f breaks 2 {subject}".rstrip()
    assert compare(old + helper, new + helper, f"from lib.a import f\n{call}\n") == [row]


@pytest.mark.parametrize(
    ("body", "call"),
    [
        ("if b is None:\n    raise ValueError", "f(1, b=x)"),
        ("if b is None:\n    raise ValueError", "f(1, **kw)"),
        ("if b is None:\n    raise ValueError", "f(*args)"),
        ("if a:\n    return\nif b is None:\n    raise ValueError", "f(x)"),
        ("b = a\nif b is None:\n    raise ValueError", "f(x)"),
        ("for b in a:\n    pass\nif b is None:\n    raise ValueError", "f(x)"),
        ("try:\n    if b is None:\n        raise ValueError\nexcept ValueError:\n    pass", "f(1)"),
        ("with contextlib.suppress(ValueError):\n    if b is None:\n        raise ValueError", "f(1)"),
        ("if a and b is None:\n    raise ValueError", "f(x)"),
        ("if mode not in unknown:\n    raise ValueError", "f(1)"),
        ("if b is None:\n    raise ValueError\nyield 1", "f(1)"),
        ("if a is None:\n    b = 1\nif b is None:\n    raise ValueError", "f(x)"),
        ("def inner():\n    raise ValueError\nreturn inner", "f(1)"),
    ],
)
def test_what_may_not_raise(body: str, call: str) -> None:
    assert compare(*guarded(body), f"from lib.a import f\n{call}\n") == []


def test_sentinels() -> None:
    old, new = guarded(
        "if b is not no and n is not no:\n    raise ValueError('one of them')",
        signature="a, b=no, mode='x', n=no",
    )
    use = "from lib.a import f\nf(1, b=None, n=1)\nf(1, b=None)\n"
    assert compare(old, new, use) == ["argument-refused lib.a.f breaks 2 b"]
    old, new = guarded("if b is Flag.NO:\n    raise ValueError", signature="a, b=Flag.NO")
    assert compare(old, new, "from lib.a import f\nf(1)\nf(1, None)\n") == [
        "argument-refused lib.a.f breaks 2 b"
    ]


@pytest.mark.parametrize(("declared", "told"), [("Nothing", 1), ("int", 0), ("Nothing | None", 0)])
def test_sentinels_that_a_stub_declares(declared: str, told: int) -> None:
    old, new = guarded("if b is not no and n is not no:\n    raise ValueError", signature="a, b=no, n=no")
    stub = {"lib/c.pyi": f"class Nothing: ...\nno: {declared}\n"}
    old, new = (text.replace("no = object()", "from lib.c import no") for text in (old, new))
    use = "from lib.a import f\nf(1, b=None, n=1)\nf(1, b=None)\n"
    assert len(compare({"lib/a.py": old, **stub}, {"lib/a.py": new, **stub}, use)) == told


def test_what_raised_before_is_no_news() -> None:
    old, new = guarded("if b is None:\n    raise ValueError")
    assert compare(new, new.replace("raise", "print()\n        raise"), "from lib.a import f\nf(1)\n") == []
    assert compare(new, old, "from lib.a import f\nf(1)\n") == []


def test_constructors_and_methods() -> None:
    old = "class C:\n    def __init__(self, a=None): ...\n    def m(self, a=None): ...\n"
    new = old.replace("...", "\n        if a is None:\n            raise ValueError")
    use = "from lib.a import C\nc = C()\nc.m()\nC(1).m(a)\nclass D(C):\n    pass\nD()\n"
    assert compare(old, new, use) == [
        "argument-refused lib.a.C.__init__ breaks 2 a",
        "argument-refused lib.a.C.__init__ breaks 7 a",
        "argument-refused lib.a.C.m breaks 3 a",
    ]


@pytest.mark.parametrize(
    ("setter", "rows"),
    [
        ("def put(x):\n    global other, held\n    held = x\n", []),
        ("def put(x):\n    held = x\n", ["argument-refused lib.a.f breaks 2"]),
    ],
)
def test_what_a_function_of_the_module_sets_is_not_known(setter: str, rows: list[str]) -> None:
    state = f"held = None\nother = None\n{setter}"
    old = f"{state}def f():\n    return held\n"
    new = f"{state}def f():\n    if held is None:\n        raise AssertionError\n    return held\n"
    assert compare(old, new, "from lib.a import f\nf()\n") == rows


LENIENT = "def f(a, **more): ...\n"


@pytest.mark.parametrize(
    ("body", "call", "rows"),
    [
        ("if more:\n    raise TypeError", "f(1, b=2)", ["argument-refused lib.a.f breaks 2 more"]),
        ("if more:\n    raise TypeError", "f(1)", []),
        ("if more:\n    raise TypeError", "f(1, **kw)", []),
        ("more.pop('b', None)\nif more:\n    raise TypeError", "f(1, b=2)", []),
        ("for name in list(more):\n    del more[name]\nif more:\n    raise TypeError", "f(1, b=2)", []),
    ],
)
def test_keywords_that_nobody_may_pass_any_more(body: str, call: str, rows: list[str]) -> None:
    """A function that caught them refuses all of them, unless it takes some out first."""
    old, new = guarded(body, LENIENT, "a, **more")
    assert compare(old, new, f"from lib.a import f\n{call}\n") == rows


def test_the_stubs_of_overloads_do_not_run() -> None:
    """Only the one definition after the stubs runs."""
    stubs = "from typing import overload\n@overload\ndef f(a: int) -> int: ...\n@overload\ndef f(a: str) -> str: ...\n"
    old = f"{stubs}def f(a): ...\n"
    new = f"{stubs}def f(a):\n    if a is None:\n        raise ValueError\n"
    assert compare(old, new, "from lib.a import f\nf(None)\n") == ["argument-refused lib.a.f breaks 2 a"]


LOOKS = "def get(name):\n    return {}\n"
CHECKS = "def get(name):\n    if name not in R:\n        raise ValueError(name)\n"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("R = {'gone': 1, 'b': 2}\n" + LOOKS.format("R[name]"), "R = {'b': 2}\n" + LOOKS.format("R[name]")),
        ("R = {'gone': A}\n" + LOOKS.format("R[name]()"), "R = {'b': A}\n" + LOOKS.format("R[name]()")),
        ("R = ['gone', 'b']\n" + CHECKS, "R = ['b']\n" + CHECKS),
    ],
)
def test_a_table_that_has_no_such_key_any_more(old: str, new: str) -> None:
    use = "from lib.a import get\ndef g():\n    {}return get('gone')\n"
    told = [row.split()[:3] for row in compare(old, new, use.format(""))]
    assert told == [["argument-refused", "lib.a.get", "breaks"]]
    error = "ValueError" if "raise" in new else "LookupError"
    caught = f"try:\n        return get('gone')\n    except {error}:\n        pass\n    "
    assert [row.split()[2] for row in compare(old, new, use.format(caught)) if " 4" in row] == ["at-risk"]


@pytest.mark.parametrize(
    "new",
    [
        pytest.param("R = {'b': 2}\nR['gone'] = 1\n" + LOOKS.format("R[name]"), id="put there"),
        pytest.param(
            "R = {'b': 2}\ndef put(k, v):\n    R[k] = v\n" + LOOKS.format("R[name]"), id="registered"
        ),
        pytest.param("R = {'b': 2}\n" + LOOKS.format("R[name.lower()]"), id="another key"),
        pytest.param("R = {'b': 2}\n" + LOOKS.format("R.get(name)"), id="asked for"),
        pytest.param("R = ['b']\nR.append('gone')\n" + CHECKS, id="added to a list"),
    ],
)
def test_a_table_that_may_have_the_key(new: str) -> None:
    old = "R = {'gone': 1, 'b': 2}\n" + LOOKS.format("R[name]")
    assert compare(old, new, "from lib.a import get\nx = get('gone')\n") == []
