"""The list of simulated cases in docs/cases.md, from the cases themselves and from pyproject.toml.

``python benchmarks/cases.py --write docs/cases.md``
"""

from __future__ import annotations

import argparse
import ast
import importlib
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "simulator" / "vllm" / "src" / "vllm_npu_cases" / "cases"
_HALF = "_bfloat16"
_LIST = re.compile(r"(?<=<!-- cases: begin -->\n).*(?=<!-- cases: end -->)", re.DOTALL)


def configured() -> dict[str, list[str]]:
    """Each case of pyproject.toml and its runners, of the lanes or of the plugin."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["syncbot"]
    cases: dict[str, list[str]] = settings["plugin"]["cases"] | settings["simulate"]["cases"]
    return cases


def listed() -> dict[str, list[str]]:
    """Return the configured cases but those in bfloat16, which do the same as the plain ones."""
    cases = configured()
    halves = {f"{name}{_HALF}" for name in cases}
    return {name: runners for name, runners in cases.items() if name not in halves}


def registered() -> dict[str, str]:
    """Each case that a file registers, and the name of that file without its ending."""
    sys.path.insert(0, str(FOLDER.parents[1]))
    cases = importlib.import_module("vllm_npu_cases.cases")
    return {name: cases.module_of(name).rpartition(".")[2] for name in cases.cases()}


def known() -> dict[str, Any]:
    """The cases that files have registered, by name."""
    registered()
    cases: dict[str, Any] = importlib.import_module("vllm_npu_cases.cases").cases()
    return cases


def faults(case: Any) -> list[str]:
    """The faults of a case; those in parentheses it does not notice."""
    return [f"(`{each}`)" if each in case.blind_to else f"`{each}`" for each in case.faults]


def blind() -> str:
    """A line for each fault that a case does not notice."""
    cases = known()
    return "".join(
        f"- `{name}`, `{fault}`: {reason}.\n"
        for name in sorted(listed())
        for fault, reason in cases[name].blind_to.items()
    )


def table() -> str:
    """The list as a Markdown table, a row for each file of cases, and the faults that no case notices.

    Raises KeyError for a configured case that no file registers."""
    lines = ["| cases | what they are about | faults |", "|---|---|---|"]
    files, cases, runners = registered(), known(), listed()
    by_file: dict[str, list[str]] = {}
    for case in sorted(runners):
        by_file.setdefault(files[case], []).append(case)
    for file, names in by_file.items():
        about = ast.get_docstring(ast.parse((FOLDER / f"{file}.py").read_text(encoding="utf-8"))) or ""
        told = dict.fromkeys(fault for name in names for fault in faults(cases[name]))
        shown = (f"`{name}`{'' if len(runners[name]) == 2 else f' ({runners[name][0]})'}" for name in names)
        lines.append(f"| {', '.join(shown)} | {about.splitlines()[0]} | {', '.join(told)} |")
    return "\n".join([*lines, "", "A case does not notice the faults in parentheses:", "", blind()])


def main() -> None:
    """Write the list into the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", type=Path, required=True, help="the page, such as docs/cases.md")
    page = parser.parse_args().write
    page.write_text(_LIST.sub(lambda _: table(), page.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
