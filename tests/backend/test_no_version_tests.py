"""The backend is written for one version of vLLM: what others need is in patches, not in tests of a version."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCES = Path(__file__).parents[2] / "backend/src/ascend_backend"
CASES = Path(__file__).parents[2] / "simulator/vllm/src/vllm_npu_cases"

UPSTREAM = "vllm"
# What tells of a version of the upstream, or is there to compare versions.
TELLING = {
    f"{UPSTREAM}.__version__",
    f"{UPSTREAM}.__version_tuple__",
    f"{UPSTREAM}.version",
    f"{UPSTREAM}._version",
    "ascend_backend._lane.VLLM",
}
COMPARING = {"packaging.version", "packaging.specifiers", "pkg_resources", "distutils.version"}
ASKING = {"importlib.metadata.version", "importlib.metadata.distribution"}

# The wheel says at once that it was made for another vLLM.
ALLOWED = [
    ("version_check.py", "importlib.metadata.version('vllm')"),
    ("version_check.py", "ascend_backend._lane.VLLM"),
]


def names(tree: ast.Module) -> dict[str, str]:
    """Return the dotted name that each imported name refers to, wherever the import is."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found.update({a.asname or a.name.partition(".")[0]: a.name if a.asname else
                          a.name.partition(".")[0] for a in node.names})  # fmt: skip
        elif isinstance(node, ast.ImportFrom):
            found.update({a.asname or a.name: f"{node.module}.{a.name}" for a in node.names})
    return found


def dotted(node: ast.AST, known: dict[str, str]) -> str:
    """The dotted name that an expression stands for, empty where it is none."""
    if isinstance(node, ast.Name):
        return known.get(node.id, node.id)
    if isinstance(node, ast.Attribute):
        above = dotted(node.value, known)
        return f"{above}.{node.attr}" if above else ""
    return ""


def is_one_of(name: str, wanted: set[str]) -> bool:
    return any(name == each or name.startswith(f"{each}.") for each in wanted)


def told(text: str) -> Iterator[str]:
    """Yield the names in a module that test a version, or read one."""
    tree = ast.parse(text)
    known = names(tree)
    inner = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (a.name for a in node.names if is_one_of(a.name, COMPARING | TELLING))
        elif isinstance(node, ast.ImportFrom):
            yield from (name for a in node.names
                        if is_one_of(name := f"{node.module}.{a.name}", COMPARING | TELLING - {
                            "ascend_backend._lane.VLLM"}))  # fmt: skip
        elif isinstance(node, ast.Attribute | ast.Name) and id(node) not in inner:
            name = dotted(node, known)
            if is_one_of(name, TELLING):
                yield name
        if isinstance(node, ast.Call):
            name = dotted(node.func, known)
            asked = [a.value for a in node.args[:1] if isinstance(a, ast.Constant)]
            if name in ASKING and asked == [UPSTREAM]:
                yield f"{name}({UPSTREAM!r})"
            if "version_is" in name or (name == "getattr" and "__version__" in ast.unparse(node)):
                yield name


def test_no_source_of_the_backend_tests_a_version() -> None:
    found = [
        (path.relative_to(SOURCES).as_posix(), each)
        for path in sorted(SOURCES.rglob("*.py"))
        for each in told(path.read_text(encoding="utf-8"))
    ]
    assert sorted(found) == sorted(ALLOWED)


def test_the_version_in_the_evidence_is_compared_with_nothing() -> None:
    tree = ast.parse((CASES / "engine.py").read_text(encoding="utf-8"))
    entries = [value for node in ast.walk(tree) if isinstance(node, ast.Dict) for value in node.values]
    assert "vllm.__version__" in [ast.unparse(value) for value in entries]


@pytest.mark.parametrize(
    "text",
    [
        "import vllm\nfrom packaging.version import Version\n\nNEW = Version(vllm.__version__) > Version('0.30.0')\n",
        "import vllm\n\nif vllm.__version__ == '0.30.0':\n    x = 1\n",
        "import vllm as upstream\n\nx = upstream.__version__.split('.')\n",
        "from vllm import __version__\n",
        "from vllm.version import __version_tuple__\n",
        "def f():\n    import vllm.version\n",
        "from importlib import metadata\n\nx = metadata.version('vllm')\n",
        "import importlib.metadata\n\nx = importlib.metadata.version('vllm')\n",
        "from importlib.metadata import version\n\nx = version('vllm')\n",
        "from ascend_backend import _lane\n\nx = _lane.VLLM < '0.30.0'\n",
        "from ascend_backend._lane import VLLM\n\nx = VLLM\n",
        "from packaging import version\n",
        "import packaging.version as v\n",
        "from vllm_ascend.utils import vllm_version_is\n\nif vllm_version_is('0.30.0'):\n    x = 1\n",
        "import vllm\n\nx = getattr(vllm, '__version__')\n",
    ],
)
def test_a_test_of_a_version_is_seen(text: str) -> None:
    assert list(told(text))


@pytest.mark.parametrize(
    "text",
    [
        "import torch\n\nx = torch.__version__\n",
        "from importlib import metadata\n\nx = metadata.version('torch_npu')\n",
        "from ascend_backend import _lane\n\nx = _lane.WHEEL_VERSION\n",
        "from ascend_backend._lane import WHEEL_VERSION as __version__\n",
        "import vllm\n\nx = vllm.versions\n",
    ],
)
def test_other_versions_are_no_matter(text: str) -> None:
    assert list(told(text)) == []
