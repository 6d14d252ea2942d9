"""The table of backend/docs/operators.md is that of the code."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "backend" / "src" / "ascend_backend"
SIMULATOR = ROOT / "simulator" / "src" / "torch_npu_sim"
REFERENCES = SIMULATOR / "references"
PAGE = (ROOT / "backend/docs/operators.md").read_text(encoding="utf-8")


def table(header: str) -> dict[str, list[str]]:
    """The rows of the table with that header, by the operator in the first column."""
    lines = PAGE.splitlines()
    start = lines.index(header) + 2
    found: dict[str, list[str]] = {}
    for line in lines[start:]:
        if not line.startswith("|"):
            break
        name, *cells = (cell.strip() for cell in line.strip("|").split("|"))
        found[name.strip("`")] = [cell.strip("`") for cell in cells]
    return found


OPERATORS = table("| operator | where used | since | constraints | reference | test |")
RELEASES = table("| operator | first release | changes of the schema since |")


def calls() -> dict[str, set[str]]:
    """Operator → the functions ``module.function`` of ascend_backend.ops that call it."""
    found: dict[str, set[str]] = {}
    for path in (PACKAGE / "ops").glob("*.py"):
        for function in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(function, ast.FunctionDef):
                for name in re.findall(r"torch_npu\.(\w+)(?:\.default)?\(", ast.unparse(function)):
                    found.setdefault(name, set()).add(f"{path.stem}.{function.name}")
    return found


def since() -> dict[str, str]:
    module = ast.parse((PACKAGE / "ops" / "availability.py").read_text(encoding="utf-8"))
    value = next(n.value for n in module.body if isinstance(n, ast.Assign))
    return dict(ast.literal_eval(value))


def test_every_operator_has_a_row_and_no_other() -> None:
    assert list(OPERATORS) == sorted(calls())
    assert list(RELEASES) == list(since()) == list(OPERATORS)


def test_where_an_operator_is_used() -> None:
    assert {name: cells[0] for name, cells in OPERATORS.items()} == {
        name: ", ".join(sorted(functions)) for name, functions in calls().items()
    }


def test_since_when() -> None:
    assert {name: cells[1] for name, cells in OPERATORS.items()} == since()
    for name, (first, _) in RELEASES.items():
        oldest = [int(part) for part in first.removesuffix(" or earlier").split(".")]
        assert [int(part) for part in since()[name].split(".")] >= oldest, name


def test_constraints_are_told() -> None:
    """In words here, or in the rows of the simulator."""
    documented = "".join(
        path.read_text(encoding="utf-8") for path in (SIMULATOR / "strictness/documented").glob("*.py")
    )
    for name, cells in OPERATORS.items():
        assert f'"{name}"' in documented if cells[2] == "in rows" else len(cells[2]) > 20, name


def test_the_module_of_the_reference() -> None:
    for name, cells in OPERATORS.items():
        text = (REFERENCES / f"{cells[3]}.py").read_text(encoding="utf-8")
        assert f'"{name}"' in text, name


def test_the_test_of_the_formula() -> None:
    """One at least; several stand one after the other."""
    files = (ROOT / "tests" / "backend" / "lane").glob("test_formulas*.py")
    formulas = "".join(path.read_text(encoding="utf-8") for path in files)
    for name, cells in OPERATORS.items():
        tests = re.findall(r"test_\w+", cells[4])
        assert tests, name
        assert all(f"\ndef {test}(" in formulas for test in tests), name
