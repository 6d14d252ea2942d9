from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import UTC, datetime

import pytest

from syncbot.api.cache import TableCache
from syncbot.api.extract import extract
from syncbot.api.model import ModuleTable
from syncbot.api.module_declarations import DeclaredTable, extract_declared
from syncbot.api.tree import ModuleTree
from syncbot.impact.facts.collect import Blobs, collect, module_name
from syncbot.impact.facts.model import Change, Facts
from syncbot.impact.facts.native import kernels, schemas
from syncbot.impact.facts.requirements import required
from syncbot.impact.facts.users import with_users
from syncbot.upstream.model import Commit, FileChange

Tree = Mapping[str, str]


def blob(text: str) -> str:
    return hashlib.sha1(text.encode()).hexdigest()


def commit(old: Tree, new: Tree, renamed: Mapping[str, str] | None = None) -> Commit:
    renamed = renamed or {}
    files = [FileChange("R", a, b, blob(old[a]), blob(new[b])) for a, b in renamed.items()]
    for path in sorted({*old, *new} - {*renamed, *renamed.values()}):
        a, b = old.get(path), new.get(path)
        if a != b:
            status = "A" if a is None else "D" if b is None else "M"
            files.append(
                FileChange(
                    status,
                    path if a is not None else None,
                    path if b is not None else None,
                    blob(a) if a is not None else None,
                    blob(b) if b is not None else None,
                )
            )
    return Commit("c" * 40, ("p" * 40,), datetime(2026, 1, 1, tzinfo=UTC), "A", "s", "", None, tuple(files))


def facts(old: Tree, new: Tree, renamed: Mapping[str, str] | None = None) -> Facts:
    texts = {blob(text): text.encode() for text in (*old.values(), *new.values())}
    tables = TableCache(None, "modules", "1", extract, ModuleTable)
    declared = TableCache(None, "declared", "1", extract_declared, DeclaredTable)
    found = collect(commit(old, new, renamed), Blobs(texts.__getitem__, tables, declared))

    def tree(side: Tree) -> ModuleTree:
        files = {path: blob(text) for path, text in side.items()}
        return ModuleTree(files, ["pkg"], tables, texts.__getitem__)

    return with_users(found, lambda: tree(old), lambda: tree(new), declared)


def kinds(found: Facts) -> list[tuple[str, str]]:
    return [(c.kind, c.symbol) for c in found.changes]


LONG = "def work(x):\n    a = x + 1\n    b = a * 2\n    return a + b\n"


def test_a_move_is_one_fact_and_names_who_imported_it() -> None:
    old = {
        "pkg/__init__.py": "",
        "pkg/a.py": LONG,
        "pkg/b.py": "",
        "pkg/user.py": "from .a import work\n",
        "pkg/other.py": "from .b import work\n",
    }
    found = facts(old, {**old, "pkg/a.py": "", "pkg/b.py": LONG})
    assert found.changes == (
        Change("symbol-moved", "pkg.b.work", "pkg/b.py", "pkg.a.work", "pkg.b.work", users=("pkg.user",)),
    )
    assert found.breaking() == {"symbol-moved": 1}


def test_a_moved_name_that_is_imported_back_is_kept() -> None:
    old = {"pkg/__init__.py": "", "pkg/a.py": LONG, "pkg/b.py": ""}
    found = facts(old, {**old, "pkg/a.py": "from pkg.b import work\n", "pkg/b.py": LONG})
    moved = next(c for c in found.changes if c.kind == "symbol-moved")
    assert moved.kept
    assert not moved.breaking


def test_what_changes_in_a_moved_class_is_told_too() -> None:
    old = {"pkg/a.py": "class A:\n    def f(self): ...\n", "pkg/b.py": ""}
    new = {"pkg/a.py": "", "pkg/b.py": "class A:\n    def f(self, x): ...\n"}
    assert kinds(facts(old, new)) == [("symbol-moved", "pkg.b.A"), ("signature", "pkg.b.A.f")]


def test_the_same_body_under_another_name_is_a_renaming() -> None:
    found = facts({"pkg/a.py": LONG}, {"pkg/a.py": LONG.replace("work", "toil")})
    assert kinds(found) == [("symbol-renamed", "pkg.a.toil")]
    short = "def work(x):\n    return x\n"
    assert [k for k, _ in kinds(facts({"pkg/a.py": short}, {"pkg/a.py": short.replace("work", "toil")}))] == [
        "function-removed",
        "function-added",
    ]


def test_two_candidates_with_other_bodies_are_no_move() -> None:
    old = {"pkg/a.py": LONG, "pkg/b.py": "", "pkg/c.py": ""}
    other = LONG.replace("* 2", "* 3")
    found = facts(old, {"pkg/a.py": "", "pkg/b.py": other, "pkg/c.py": other})
    assert "symbol-moved" not in {c.kind for c in found.changes}


def test_modules_come_go_and_move() -> None:
    old = {"pkg/__init__.py": "", "pkg/a.py": LONG, "pkg/user.py": "import pkg.a\n"}
    gone = facts(old, {k: v for k, v in old.items() if k != "pkg/a.py"})
    assert kinds(gone) == [("module-removed", "pkg.a")]
    assert gone.changes[0].parts == (("function", "work"),)
    assert gone.changes[0].users == ("pkg.user",)
    new = {"pkg/__init__.py": "", "pkg/z.py": LONG, "pkg/user.py": "import pkg.a\n"}
    moved = facts(old, new, {"pkg/a.py": "pkg/z.py"})
    assert [(c.kind, c.before, c.after) for c in moved.changes] == [("module-moved", "pkg.a", "pkg.z")]
    assert kinds(facts({}, {"pkg/a.py": LONG})) == [("module-added", "pkg.a")]


@pytest.mark.parametrize(
    ("gone", "text", "uses"),
    [
        ("module-removed", "from pkg import a\n", True),
        ("module-removed", "from . import a\n", True),
        ("module-removed", "from .a import (\n    # all)\n    work,\n)\n", True),
        ("module-removed", "from pkg \\\n    import a\n", True),
        ("module-removed", "if x: import pkg.a\n", True),
        ("module-removed", "from pkg import b  # not a\n", False),
        ("module-removed", "from pkg import b\na = b.a\n", False),
        ("function-removed", "from pkg.a import other, work\n", True),
        ("function-removed", "from .a import (\n    other,\n    work,\n)\n", True),
        ("function-removed", "from pkg.a import other\nwork = 1\n", False),
        ("function-removed", "from pkg.b import work\n", False),
    ],
)
def test_who_imports_what_goes(gone: str, text: str, uses: bool) -> None:
    old = {"pkg/__init__.py": "", "pkg/a.py": LONG, "pkg/b.py": "", "pkg/user.py": text}
    left = {} if gone == "module-removed" else {"pkg/a.py": "other = 1\n"}
    new = {path: text for path, text in old.items() if path != "pkg/a.py"} | left
    assert [change.users for change in facts(old, new).of(gone)] == [("pkg.user",) if uses else ()]


def test_what_is_inherited_now_is_kept() -> None:
    base = "class Base:\n    size: int = 1\n    def f(self): ...\n"
    old = {"pkg/__init__.py": "", "pkg/a.py": f"{base}\nclass A:\n    size: int = 1\n    def f(self): ...\n"}
    new = {**old, "pkg/a.py": f"{base}\nclass A(Base):\n    pass\n"}
    found = facts(old, new)
    assert {(c.kind, c.kept) for c in found.of("method-removed", "attribute-removed")} == {
        ("method-removed", True),
        ("attribute-removed", True),
    }
    outside = {**old, "pkg/a.py": f"import torch\n{base}\nclass A(torch.nn.Module):\n    pass\n"}
    assert not any(c.kept for c in facts(old, outside).changes)


def test_an_export_of_a_package_that_goes() -> None:
    old = {
        "pkg/__init__.py": "from pkg.a import work\n",
        "pkg/a.py": LONG,
        "pkg/user.py": "from pkg import work\n",
    }
    found = facts(old, {**old, "pkg/__init__.py": ""})
    assert [(c.kind, c.symbol, c.users) for c in found.changes] == [
        ("export-removed", "pkg.work", ("pkg.user",))
    ]


def test_variables_and_options_that_others_declare_too_are_no_news() -> None:
    read = "import os\nx = os.getenv('SIZE', '1')\n"
    old = {"pkg/__init__.py": "", "pkg/a.py": "", "pkg/b.py": read}
    assert facts(old, {**old, "pkg/a.py": read}).of("environment-added") == ()
    assert facts(old, {**old, "pkg/b.py": ""}).of("environment-removed") != ()
    (changed,) = facts(old, {**old, "pkg/b.py": read.replace("'1'", "'2'")}).of("environment-changed")
    assert (changed.symbol, changed.before, changed.after) == ("SIZE", "'1'", "'2'")


def test_entries_of_a_registry() -> None:
    table = "T = {\n" + "".join(f"    '{k}': '{k}',\n" for k in "abcdef") + "}\n"
    found = facts(
        {"pkg/a.py": table},
        {"pkg/a.py": table.replace("'f': 'f'", "'g': 'x'").replace("'a': 'a'", "'a': 'y'")},
    )
    assert {(c.kind, c.symbol) for c in found.changes if c.kind.startswith("registry")} == {
        ("registry-added", "pkg.a.T[g]"),
        ("registry-removed", "pkg.a.T[f]"),
        ("registry-changed", "pkg.a.T[a]"),
    }
    assert kinds(facts({"pkg/a.py": ""}, {"pkg/a.py": table})) == [("variable-added", "pkg.a.T")]


def test_compiled_functions_are_kernels() -> None:
    old = "import triton\n\n@triton.jit\ndef k(x):\n    return x\n"
    assert kinds(facts({"pkg/a.py": old}, {"pkg/a.py": old.replace("return x", "return -x")})) == [
        ("kernel-changed", "pkg.a.k")
    ]


def test_tests_and_examples_are_not_looked_at() -> None:
    assert facts({"tests/test_a.py": LONG}, {"tests/test_a.py": ""}).changes == ()
    assert facts({"examples/a.py": LONG}, {}).changes == ()


def test_a_file_that_does_not_parse_has_no_facts() -> None:
    assert facts({"pkg/a.py": LONG}, {"pkg/a.py": "def f(:\n"}).changes == ()


KERNEL = "template <typename T>\n__global__ void scale(T* x) {\n  if (x) { x[0] = 1; }\n}\nvoid host() { scale<<<1, 1>>>(0); }\n"


def test_cuda_kernels_and_operator_schemas() -> None:
    old = {"csrc/a.cu": KERNEL, "csrc/b.cpp": 'ops.def("scale(Tensor! x) -> ()");\n'}
    new = {
        "csrc/a.cu": KERNEL.replace("x[0] = 1", "x[0] = 2"),
        "csrc/b.cpp": 'ops.def(\n  "scale(Tensor! x, "\n  "int n) -> ()");\n',
    }
    assert kinds(facts(old, new)) == [("kernel-changed", "scale"), ("operator-changed", "scale")]
    host = {**old, "csrc/a.cu": KERNEL.replace("<<<1, 1>>>", "<<<2, 1>>>").replace("  if", "  // why\n  if")}
    assert kinds(facts(old, host)) == []
    assert list(kernels(KERNEL.encode())) == ["scale"]
    assert kernels(b"__global__ void __launch_bounds__(f(1), 2)\nrun(int a);\n").keys() == {"run"}
    assert schemas(b'm.def("plain", &f);') == {}


def test_requirements() -> None:
    old, new = (
        "torch==2.9.1 # pin\n-r common.txt\nnumpy\n",
        "torch==2.10.0; python_version >= '3.10'\npip @ https://e.org/a.whl\n",
    )
    found = facts({"requirements/cpu.txt": old}, {"requirements/cpu.txt": new})
    assert [(c.kind, c.symbol, c.before, c.after) for c in found.changes] == [
        ("requirement-changed", "torch", "==2.9.1", '==2.10.0; python_version >= "3.10"'),
        ("requirement-removed", "numpy", "*", None),
        ("requirement-added", "pip", None, "@ https://e.org/a.whl"),
    ]
    pyproject = b"[project]\ndependencies = ['a>=1']\n[build-system]\nrequires = ['b']\n"
    assert required("pyproject.toml", pyproject) == {"a": ">=1", "b": "*"}
    assert required("pyproject.toml", b"not toml =") == {}
    setup = b"""
from setuptools import setup
setup(
    name="x", version="1", install_requires=read("common.txt"),
    extras_require={"fast": ["c==0.3.2", "d [e] >= 0.5"], "slow": []},
)
"""
    assert required("setup.py", setup) == {"c": "==0.3.2", "d": ">=0.5"}
    assert required("setup.py", b"setup(") == {}


def test_a_comment_changes_no_body() -> None:
    before = "def work(x):\n    a = x\n    # it's for 'x'\n    return a\n"
    comment = before.replace("# it's for 'x'", '# for "y"\n    # and "z"')
    assert facts({"pkg/a.py": before}, {"pkg/a.py": comment}).changes == ()
    other = before.replace("a = x", "a = -x")
    assert kinds(facts({"pkg/a.py": before}, {"pkg/a.py": other})) == [("body", "pkg.a.work")]
    # In a text, the same line is no comment.
    text = 'def work(x):\n    a = """\n# title "a"\n"""\n    return a\n'
    other = text.replace('title "a"', 'title "b"')
    assert kinds(facts({"pkg/a.py": text}, {"pkg/a.py": other})) == [("body", "pkg.a.work")]


@pytest.mark.parametrize(
    ("path", "name"),
    [("pkg/a.py", "pkg.a"), ("src/pkg/__init__.py", "pkg"), ("python/pkg/b/c.py", "pkg.b.c")],
)
def test_module_names(path: str, name: str) -> None:
    assert module_name(path) == name


@pytest.mark.parametrize(
    "text",
    [
        "project = 'x'",
        "[project]\ndependencies = 3",
        "[project]\noptional-dependencies = ['a']",
        "[project.optional-dependencies]\na = 'b'",
        "build-system = []",
        f"a = {'[' * 20_000}",
        f"a = {'9' * 10_000}",
    ],
)
def test_a_pyproject_of_another_shape_requires_nothing(text: str) -> None:
    assert required("pyproject.toml", text.encode()) == {}
