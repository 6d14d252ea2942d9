"""False alarms from real plugins, each as its smallest example."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

LAYER = "class Layer:\n    def __init__(self):\n        self.{}('W', 1)\n    def make(self): ...\n"
HAS = "class Layer:\n    def __init__(self):\n        self.W = 1\n    def make(self): ...\n"
READ = "from lib.a import Layer\nclass Ours(Layer):\n    def use(self):\n        return self.W\n"


@pytest.mark.parametrize(
    ("call", "sets"),
    [
        ("replace_parameter(self, 'W', 1)", True),
        ("setattr(self, 'W', 1)", True),
        ("_set_weight(self, 'W', v=1)", True),
        ("check(self, 'W')", False),
        ("settle(self, 'W')", False),
        ("replace_parameter(other, 'W', 1)", False),
    ],
)
def test_an_attribute_that_is_set_by_its_name(call: str, sets: bool) -> None:
    new = HAS.replace("self.W = 1", call)
    rows = compare(HAS, new, READ)
    assert bool(rows) is not sets
    ours = READ + f"    def fill(self):\n        {call}\n"
    assert bool(compare(HAS, HAS.replace("self.W = 1", "pass"), ours)) is not sets


def test_a_call_in_a_patch_of_what_the_plugin_itself_provides() -> None:
    old = "class Base:\n    def run(self, a, b=0): ...\n    def go(self): ...\nclass Sub(Base): ...\n"
    use = "from lib.a import Sub\ndef run(self, a, b): ...\nclass P(Sub):\n    def go(self): ...\n"
    patch = "def go(self: Sub):\n    self.run(1, b=2)\nSub.go = go\n"
    new = old.replace(", b=0", "")
    assert "parameter-removed lib.a.Base.run breaks 6 b" in compare(old, new, use + patch)
    rows = compare(old, new, use + patch + "Sub.run = run\n")
    assert "parameter-removed lib.a.Base.run breaks 6 b" not in rows


CALLER = "class Runner:\n    def __init__(self, w: {0}):\n        self.w = w\n    def go(self, n):\n        self.w.run(n{1})\n"
TWO = "class Base:\n    def run(self, n{0}): ...\nclass Other:\n    def run(self, n, more): ...\n"
OURS = "from lib.a import Base\nclass Ours(Base):\n    def run(self, n): ...\n"


@pytest.mark.parametrize(("held", "proven"), [("Base", True), ("Other", False), ("Unknown", True)])
def test_a_method_of_the_same_name_of_another_class_proves_nothing(held: str, proven: bool) -> None:
    old = TWO.format("") + CALLER.format(held, "")
    new = TWO.format(", more=0") + CALLER.format(held, ", more=1")
    (row,) = compare(old, new, OURS)
    assert row.split()[2] == ("breaks" if proven else "at-risk")


def test_a_caller_that_calls_itself_in_another_subclass_proves_nothing() -> None:
    sub = "class {0}({1}):\n    def go(self):\n        self.run(1{2})\n"
    old, new = TWO.format(""), TWO.format(", more=0")
    told = compare(old + sub.format("Far", "Base", ""), new + sub.format("Far", "Base", ", more=1"), OURS)
    assert [row.split()[2] for row in told] == ["at-risk"]
    ours = OURS.replace("Base", "Far")
    told = compare(old + sub.format("Far", "Base", ""), new + sub.format("Far", "Base", ", more=1"), ours)
    assert [row.split()[2] for row in told] == ["breaks"]


@pytest.mark.parametrize(
    ("body", "verdict"),
    [("pass", "at-risk"), ("'''No.'''", "at-risk"), ("...", "at-risk"), ("self.x()", "breaks")],
)
def test_an_override_that_does_nothing_is_no_loss(body: str, verdict: str) -> None:
    old = "class Base:\n    def run(self): ...\ndef go(b):\n    b.run()\n"
    ours = f"from lib.a import Base\nclass Ours(Base):\n    def run(self):\n        {body}\n"
    new = "class Base:\n    pass\ndef go(b):\n    pass\n"
    assert compare(old, new, ours) == [f"method-removed lib.a.Base.run {verdict} 3 run"]


BOTH = "def marker(): ...\ndef f(a): ...\nclass C:\n    def mark(self): ...\n    def m(self): ...\n"


@pytest.mark.parametrize(
    ("guard", "call", "verdict"),
    [
        ("hasattr(a, 'marker')", "a.f(1)", "at-risk"),
        ("x and hasattr(a, 'marker')", "a.f(1)", "at-risk"),
        ("getattr(a, 'marker', None)", "a.f(1)", "at-risk"),
        ("getattr(a, 'marker', True)", "a.f(1)", "breaks"),
        ("not hasattr(a, 'other')", "a.f(1)", "at-risk"),
        ("x or hasattr(a, 'marker')", "a.f(1)", "breaks"),
        ("hasattr(a, 'C')", "a.f(1)", "breaks"),
        ("not hasattr(a, 'marker')", "a.f(1)", "breaks"),
    ],
)
def test_a_test_that_the_same_change_turns_off(guard: str, call: str, verdict: str) -> None:
    new = BOTH.replace("def marker(): ...\n", "other = 1\n").replace("f(a)", "f()")
    rows = compare(BOTH, new, f"from lib import a\nif {guard}:\n    {call}\n")
    assert [row.split()[2] for row in rows if " 3 " in f"{row} " and ".f " in row] == [verdict]


def test_a_test_for_a_method_of_self() -> None:
    use = "from lib.a import C\nclass D(C):\n    def go(self):\n        if hasattr(self, 'mark'):\n            self.m()\n"
    rows = compare(BOTH, BOTH.replace("def mark(self): ...", "x = 1").replace("def m(self): ...", ""), use)
    assert "attribute-removed lib.a.C.m at-risk 5 m" in rows


def test_a_flag_that_the_plugin_defines_itself() -> None:
    parser = "p.add_argument('--far')\n"
    use = "@click.option('--far')\ndef f(): ...\n"
    assert compare(parser, "", use) == []
    assert compare(parser, "", "run('--far')\n") != []


FALLBACK = """
try:
    import lib.new
    NEWER = True
except ImportError:
    import lib.old
    NEWER = False
if NEWER:
    x = 1
else:
    lib.old.f(1)
"""


@pytest.mark.parametrize(
    ("change", "verdicts"),
    [
        (("", ""), ["at-risk", "at-risk"]),
        (("lib.new", "lib.none"), ["breaks", "breaks"]),
        (("if NEWER", "if not NEWER"), ["breaks", "at-risk"]),
        (("ImportError", "KeyError"), ["breaks", "breaks"]),
        (("    NEWER = True\n", "    NEWER = found()\n"), ["breaks", "at-risk"]),
        (("import lib.new", "import lib.other"), ["at-risk", "at-risk"]),
        (("import lib.new", "import lib.gone"), ["breaks", "breaks"]),
        (("import lib.new", "import far.new"), ["breaks", "breaks"]),
        (("import lib.new", "from .lib import other"), ["breaks", "breaks"]),
        (("import lib.new", "import lib.other, far.new"), ["breaks", "breaks"]),
        (("import lib.new", "import plugin"), ["breaks", "breaks"]),
        (("import lib.new", "import lib.other\n    if x:\n        import far"), ["breaks", "breaks"]),
    ],
)
def test_what_stands_in_for_an_import_that_works_now(change: tuple[str, str], verdicts: list[str]) -> None:
    files = {"lib/__init__.py": "", "lib/other.py": ""}
    old = {**files, "lib/old.py": "def f(a): ...\n", "lib/gone.py": ""}
    new = {**files, "lib/new.py": ""}
    rows = compare(old, new, FALLBACK.replace(*change) if change[0] else FALLBACK)
    assert [row.split()[2] for row in rows if "lib.old" in row] == verdicts


ALWAYS = "try:\n    from lib.a import g\n    {more}\nexcept {caught}:\n    from lib.a import f\n"


@pytest.mark.parametrize(
    ("more", "caught", "verdict"),
    [
        ("x = True", "ImportError", "at-risk"),
        ("x = True", "(ImportError, ModuleNotFoundError)", "at-risk"),
        ("x = True", "Exception", "at-risk"),
        ("g()", "ImportError", "at-risk"),
        ("g()", "Exception", "breaks"),
        ("g()", "(ImportError, RuntimeError)", "breaks"),
        ("g()", "ImportError:\n    pass\nexcept KeyError", "breaks"),
    ],
)
def test_what_stands_in_for_an_import_that_always_worked(more: str, caught: str, verdict: str) -> None:
    both = "def g(): ...\n"
    rows = compare(both + "def f(): ...\n", both, ALWAYS.format(more=more, caught=caught))
    assert [row.split()[2] for row in rows] == [verdict]


@pytest.mark.parametrize(("flag", "verdict"), [("LIB_BEFORE_VERSION_2", "at-risk"), ("LIB_BEFORE", "breaks")])
def test_a_call_under_a_name_for_a_test_of_the_version(flag: str, verdict: str) -> None:
    use = f"from lib.a import f\nfrom own import {flag}\nx = f(1) if {flag} else f()\n"
    assert compare("def f(a): ...\n", "def f(a, b): ...\n", use) == [f"parameter-added lib.a.f {verdict} 3 b"]
