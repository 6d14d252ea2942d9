from __future__ import annotations

from pathlib import Path

import pytest

from syncbot.api.extract import extract
from syncbot.api.model import ModuleTable
from syncbot.bisect.imported_files import imported_files
from syncbot.contracts.source_files import read_backend
from syncbot.errors import UsageError

FILES = {
    "src/mine/__init__.py": "",
    "src/mine/a.py": "from . import b\nfrom up.x import X\n",
    "src/mine/b.py": "import mine.c\n",
    "src/mine/c.py": "",
    "src/mine/sub/__init__.py": "from mine.sub.inner import thing\n",
    "src/mine/sub/inner.py": "thing = 1\n",
    "src/mine/sub/leaf.py": "def f():\n    import mine.a\n",
    "src/mine/unused.py": "import up.z\n",
    "tests/test_a.py": "from mine.a import f\nimport up.y\n",
    "tests/test_leaf.py": "import mine.sub.leaf\n",
}


class Tables:
    def get(self, blob: str, read: object) -> ModuleTable:
        assert callable(read)
        return extract(read(blob))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for path, text in FILES.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    return tmp_path


def closure(root: Path, test: Path) -> tuple[set[str], set[str]]:
    backend = read_backend(root, ["src"], ["tests"])
    files, foreign = imported_files(backend, backend.tree(Tables()), test)
    return {f.removeprefix("src/mine/") for f in files}, set(foreign)


def test_what_a_test_imports_and_what_that_imports(root: Path) -> None:
    files, foreign = closure(root, root / "tests/test_a.py")
    assert files == {"tests/test_a.py", "__init__.py", "a.py", "b.py", "c.py"}
    assert foreign == {"up.y"}


def test_packages_around_a_module_run_too_and_imports_in_functions_count(root: Path) -> None:
    files, _ = closure(root, root / "tests/test_leaf.py")
    assert files == {
        "tests/test_leaf.py", "__init__.py", "a.py", "b.py", "c.py",
        "sub/__init__.py", "sub/inner.py", "sub/leaf.py",
    }  # fmt: skip


def test_a_file_from_elsewhere_may_be_a_test(root: Path, tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text("import mine.c\nfrom up.q import Q\n")
    files, foreign = closure(root, tmp_path / "script.py")
    assert (files, foreign) == ({"__init__.py", "c.py"}, {"up.q.Q"})


def test_what_cannot_be_read_is_said(root: Path) -> None:
    with pytest.raises(UsageError, match=r"nothing\.py"):
        closure(root, root / "nothing.py")
    (root / "bad.py").write_text("def (:\n")
    with pytest.raises(UsageError, match="cannot be parsed"):
        closure(root, root / "bad.py")
