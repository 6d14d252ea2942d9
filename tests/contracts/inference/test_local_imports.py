"""Imports inside functions of the backend that return the imported name, and results of ``getattr``."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

OLD = "class C:\n    def __init__(self, gone=1): ...\n    def m(self, gone=1): ...\ndef f(gone=1): ...\n"
NEW = "class C:\n    def __init__(self): ...\n    def m(self): ...\ndef f(): ...\n"


def _told(*lines: str) -> list[str]:
    rows = compare(OLD, NEW, "import lib.a\nfrom lib import a\n" + "\n".join(lines) + "\n")
    return [" ".join(row.split()[1:3]).removeprefix("lib.a.") for row in rows]


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        (["def get():", "    from lib.a import C", "    return C"], "C.__init__ breaks"),
        (["def get():", "    from lib.a import C as D", "    return D"], "C.__init__ breaks"),
        (["def get():", "    from lib import a as b", "    return b.f"], "f breaks"),
        (
            [
                *("def get(k=0):", "    if k:", "        from lib.a import C", "        return C"),
                *("    from lib.a import C", "    return C"),
            ],
            "C.__init__ breaks",
        ),
    ],
)
def test_a_function_that_imports_what_it_returns(lines: list[str], told: str) -> None:
    assert _told(*lines, "def run():", "    get()(gone=2)") == [told]


@pytest.mark.parametrize(
    "lines",
    [
        ["def get():", "    try:", "        from lib.a import C", "    except ImportError:", "        C = own", "    return C"],
        ["def get(k):", "    if k:", "        from own import C", "    else:", "        from lib.a import C", "    return C"],
        ["def get(k):", "    from lib.a import C", "    return C if k else own"],
        ["@wrapped", "def get():", "    from lib.a import C", "    return C"],
    ],
)  # fmt: skip
def test_a_function_that_may_return_something_else(lines: list[str]) -> None:
    assert [row for row in _told(*lines, "def run():", "    get()(gone=2)") if "breaks" in row] == []


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        (["def run():", "    getattr(a, 'f')(gone=2)"], ["f breaks"]),
        (
            ["def run(c: a.C):", "    h = getattr(c, 'm', None)", "    if h:", "        h(gone=2)"],
            ["C.m breaks"],
        ),
        (["def run(c: a.C, n):", "    getattr(c, n)(gone=2)"], []),
        (["def run(c):", "    getattr(c, 'm')(gone=2)"], []),
    ],
)
def test_what_is_asked_for_by_its_name(lines: list[str], told: list[str]) -> None:
    assert _told(*lines) == told


ANNOTATED = "class T:\n    x: int\n"
PATCH = "def patch():\n    from lib.a import T\n    import lib.a as short\n    def inner(self, t: {}):\n        return t.x\n    return inner\n"


@pytest.mark.parametrize("annotation", ["T", "'T'", "T | None", "short.T"])
def test_an_annotation_that_names_what_the_function_around_imports(annotation: str) -> None:
    told = ["attribute-removed lib.a.T.x breaks 5 x"]
    assert compare(ANNOTATED, ANNOTATED.replace("x:", "y:"), PATCH.format(annotation)) == told


@pytest.mark.parametrize("annotation", ["Other", "list[T]", "short.U"])
def test_an_annotation_that_names_something_else(annotation: str) -> None:
    new = ANNOTATED.replace("x:", "y:")
    rows = compare(ANNOTATED, new, PATCH.format(annotation))
    assert [row for row in rows if " breaks " in row] == []


KERNEL = """
class Kernel:
    def apply(self, a): ...

def make(x) -> Kernel: ...

class Base: ...
"""
INSIDE = """
def build({}):
    from lib.a import Base, make
    class Mine(Base):
        def load(self{}):
            self.kernel = make(1)
        def run(self):
            self.kernel.apply(1)
    return Mine
"""


@pytest.mark.parametrize(
    ("own", "told"),
    [
        pytest.param(INSIDE.format("", ""), True, id="by the import around"),
        pytest.param(INSIDE.format("make", ""), True, id="which hides the parameter around"),
        pytest.param(INSIDE.format("", ", make"), False, id="by a parameter"),
        pytest.param(
            INSIDE.format("", "").replace("import Base, make", "import Base"), False, id="by nothing"
        ),
    ],
)
def test_what_a_class_in_a_function_sets(own: str, told: bool) -> None:
    new = KERNEL.replace("apply(self, a)", "apply(self, a, *, b)")
    assert compare(KERNEL, new, own) == (["parameter-added lib.a.Kernel.apply breaks 7 b"] if told else [])
