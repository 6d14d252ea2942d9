"""The names of Triton-Ascend, held against its wheel."""

from __future__ import annotations

import ast
import zipfile

import pytest
from torch_npu_sim.triton.ascend import names

from . import releases

_LANGUAGE = "triton.language"


# The wheel's file has backslashes that newer Pythons warn of.
@pytest.mark.filterwarnings("ignore:invalid escape sequence")
@pytest.mark.machine
def test_the_names_are_those_of_the_wheel() -> None:
    with zipfile.ZipFile(releases.triton_ascend()) as archive:
        files = set(archive.namelist())
        for module, listed in names().items():
            if module == _LANGUAGE:
                # Its own import puts them there.
                text = archive.read("triton/testing.py").decode()
                assert set(listed) <= set(_assigned_to(text, "language"))
                continue
            package = f"{module.replace('.', '/')}/__init__.py"
            file = package if package in files else f"{module.replace('.', '/')}.py"
            assert set(listed) == _public(archive.read(file).decode()), module


def _public(text: str) -> set[str]:
    found = set()
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Assign):
            found |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    return {name for name in found if not name.startswith("_")}


def _assigned_to(text: str, name: str) -> list[str]:
    targets = [
        target for node in ast.parse(text).body if isinstance(node, ast.Assign) for target in node.targets
    ]
    return [t.attr for t in targets if isinstance(t, ast.Attribute) and ast.unparse(t.value) == name]
