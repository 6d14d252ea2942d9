"""Monkey-patches that loops, functions and decorators of the backend make."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

OLD = "class T:\n    def m(self, x): ...\n    def run(self):\n        self.m(1)\ndef f(x): ...\n"
NEW = OLD.replace("x)", "x, y)").replace("m(1)", "m(1, 2)")
HEAD = (
    "import importlib, sys\nfrom lib import a\nfrom lib.a import T\ndef new(self, x): ...\n"
    "def fun(x): ...\nclass P:\n    def m(self, x): ...\n    def _m(self, x): ...\n"
)
PUT = "def put(owner, name, function):\n    {}setattr(owner, name, function)\n"
OF_MODULE = "def put(name, new):\n    module = importlib.import_module(name)\n    setattr(module, 'f', new)\n"
MARK = "def mark(cls, name=None):\n    def inner(function):\n        {}\n        return function\n    return inner\n"
MERGE = "for n, v in vars(function).items():\n            if not n.startswith('_'):\n                setattr(cls, n, v)"


@pytest.mark.parametrize(
    ("plugin", "symbol"),
    [
        ("for c in (T,):\n    c.m = new  # here\n", "T.m"),
        ("for k, v in {'m': new}.items():\n    setattr(T, k, v)  # here\n", "T.m"),
        ("TABLE = [(T, 'm', new)]\nfor c, k, v in TABLE:\n    setattr(c, k, v)  # here\n", "T.m"),
        ("def go():\n    table = {'f': fun}\n    for k in table.keys():\n        setattr(a, k, fun)  # here\n", "f"),
        ("for k, v in vars(P).items():\n    if callable(v):\n        setattr(T, k, v)  # here\n", "T.m"),
        ("for k in dir(P):\n    if k.startswith('__'):\n        continue\n    setattr(T, k, getattr(P, k))  # here\n",
         "T.m"),
        ("for k in ('m', 'f'):\n    if k in ('m',):\n        setattr(T, k, getattr(P, k))  # here\n", "T.m"),
        (PUT.format("") + "put(T, 'm', new)  # here\n", "T.m"),
        (PUT.format("old = getattr(owner, name)\n    ") + "put(name='m', owner=T, function=new)  # here\n", "T.m"),
        (PUT.format("if not callable(function):\n        raise TypeError\n    ") + "put(T, 'm', new)  # here\n",
         "T.m"),
        (PUT.format("") + "put(sys.modules['lib.a'], 'f', fun)  # here\n", "f"),
        (OF_MODULE + "put('lib.a', fun)  # here\n", "f"),
        (OF_MODULE.replace(", 'f'", ", new.__name__") + "def f(x): ...\nput('lib.a', f)  # here\n", "f"),
        (MARK.format("setattr(cls, function.__name__, function)") + "@mark(T)\ndef m(self, x): ...  # here\n", "T.m"),
        (MARK.format("setattr(cls, name or function.__name__, function)")
         + "@mark(T, 'm')\ndef own(self, x): ...  # here\n@mark(T)\ndef other(self): ...\n", "T.m"),
        (MARK.format(MERGE) + "@mark(T)\nclass Q:  # here\n    def m(self, x): ...\n", "T.m"),
        ("def go(module):\n    old = module.f\n    def f(x): return old(x)\n    module.f = f\ngo(a)  # here\n", "f"),
        ("def go(cls):\n    def own(self, x): ...\n    setattr(cls, 'm', own)\ndef all():\n    from lib import a as b\n"
         "    done = [go(b.T)]  # here\n", "T.m"),
        # What bears the name outside is another one.
        ("def own(self, x, y): ...\ndef go(kind):\n    def own(self, x): ...\n    kind.m = own\ngo(T)  # here\n", "T.m"),
        ("def mark(function):\n    T.m = function\n@mark\ndef own(self, x): ...  # here\n", "T.m"),
        # Two of one name: each is what is put there.
        (MARK.format("setattr(cls, 'm', function)") + "@mark(T)\ndef m(self, x): ...  # here\n@mark(P)\n"
         "def m(self, x, y): ...\n", "T.m"),
    ],
)  # fmt: skip
def test_what_is_put_there_does_not_fit_any_more(plugin: str, symbol: str) -> None:
    rows = (HEAD + plugin).splitlines()
    line = next(at for at, row in enumerate(rows, 1) if row.endswith("# here"))
    assert compare(OLD, NEW, HEAD + plugin) == [f"parameter-required lib.a.{symbol} breaks {line} y"]


@pytest.mark.parametrize(
    "plugin",
    [
        "for c in (T,):\n    c.other = new\n",
        "def go(kind):\n    def own(self, x): ...\n    own = more(own)\n    kind.m = own\ngo(T)\n",
        "def go(kind):\n    @more\n    def own(self, x): ...\n    kind.m = own\ngo(T)\n",
        "def go(kind):\n    def own(self, x, y=0): ...\n    kind.m = own\ngo(T)\n",
        "for c in classes():\n    c.m = new\n",
        "for c in (T, *more):\n    c.m = new\n",
        "TABLE = {'m': new}\nTABLE.pop('m')\nfor k, v in TABLE.items():\n    setattr(T, k, v)\n",
        "TABLE = {'m': new}\nTABLE['m'] = other\nfor k, v in TABLE.items():\n    setattr(T, k, v)\n",
        "for k in vars(P):\n    if k in chosen():\n        setattr(T, k, getattr(P, k))\n",
        "for k in vars(P):\n    if k in chosen():\n        continue\n    setattr(T, k, getattr(P, k))\n",
        "for k in dir(P):\n    if k.startswith('_'):\n        setattr(T, k, getattr(P, k))\n",
        "for k in ('m',):\n    v = adapted(getattr(P, k))\n    setattr(T, k, v)\n",
        "for k, v in {'m': new}.items():\n    v = adapted(v)\n    setattr(T, k, v)\n",
        PUT.format("") + "put(T(), 'm', new)\n",
        PUT.format("") + "put(T, *more)\n",
        PUT.format("function = adapted(function)\n    ") + "put(T, 'm', new)\n",
        PUT.format("if is_known(name):\n        return\n    ") + "put(T, 'm', new)\n",
        PUT.format("if is_known(name):\n        ") + "put(T, 'm', new)\n",
        PUT.format("def function(self, *args, **more): ...\n    ") + "put(T, 'm', new)\n",
        "@adapted\n" + PUT.format("") + "put(T, 'm', new)\n",
        MARK.format("setattr(cls, function.__name__, function)") + "@mark(T)\n@adapted\ndef m(self, x): ...\n",
        MARK.format("setattr(cls, 'm', adapted(function))") + "@mark(T)\ndef m(self, x): ...\n",
        MARK.format("setattr(cls, 'm', function)") + "@mark(T)\ndef m(self, x, y): ...\n",
        MARK.format(MERGE) + "@mark(T)\nclass Q:\n    def _m(self, x): ...\n",
    ],
)  # fmt: skip
def test_what_may_not_be_put_there_or_fits(plugin: str) -> None:
    assert compare(OLD, NEW, HEAD + plugin) == []


def test_a_helper_of_another_module() -> None:
    helpers = "WORD = 'm'\ndef wrapped(x): ...\n" + PUT.format("")
    plugin = HEAD + "from plugin.helpers import put\nput(T, 'm', new)\n"
    files = {"plugin/__init__.py": "", "plugin/helpers.py": helpers, "plugin/use.py": plugin}
    told = ["parameter-required lib.a.T.m breaks 10 y"]
    assert compare(OLD, NEW, files) == told
    # What names mean there, they do not mean here.
    assert (
        compare(OLD, NEW, {**files, "plugin/helpers.py": helpers.replace("function)\n", "wrapped)\n")}) == []
    )


GONE = OLD.replace("m(", "k(")


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("", ["patch-target-removed lib.a.T.m breaks 11 m"]),
        ("if hasattr(owner, name):\n        ", ["patch-target-removed lib.a.T.m at-risk 12 m"]),
        (
            "if not hasattr(owner, name):\n        return\n    ",
            ["patch-target-removed lib.a.T.m at-risk 13 m"],
        ),
    ],
)
def test_what_is_put_where_nobody_asks_for_it(body: str, told: list[str]) -> None:
    found = compare(OLD, GONE, HEAD + PUT.format(body) + "put(T, 'm', new)\n")
    assert [row for row in found if row.startswith("patch")] == told


def test_what_each_statement_says_is_told_once() -> None:
    written = (
        "def put(function, name='m'):\n    T.m = function\n    for k in ('m',):\n        setattr(T, k, new)\n"
    )
    plugin = HEAD + written + "put(new)\n"
    required = "parameter-required lib.a.T.m breaks {} y"
    assert compare(OLD, NEW, plugin) == [required.format(12), required.format(13)]
    removed = "patch-target-removed lib.a.T.m breaks {} m"
    found = compare(OLD, GONE, plugin)
    assert [row for row in found if row.startswith("patch")] == [removed.format(10), removed.format(12)]


def test_a_name_that_a_variable_of_the_module_is() -> None:
    plugin = HEAD + "NAME = 'm'\nsetattr(T, NAME, new)\n"
    assert compare(OLD, NEW, plugin) == ["parameter-required lib.a.T.m breaks 10 y"]
    assert compare(OLD, NEW, plugin.replace("'m'\n", "'m' + other\n")) == []
