"""The list of simulated cases in docs/simulation.md, from the cases themselves and from pyproject.toml.

``python benchmarks/cases.py --write docs/simulation.md``
"""

from __future__ import annotations

import argparse
import ast
import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "backend" / "src" / "ascend_backend" / "simulation" / "cases"
_LIST = re.compile(r"(?<=<!-- cases: begin -->\n).*(?=<!-- cases: end -->)", re.DOTALL)


def configured() -> dict[str, list[str]]:
    """Each case of pyproject.toml and its runners."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    cases: dict[str, list[str]] = settings["tool"]["syncbot"]["simulate"]["cases"]
    return cases


def file_of(case: str) -> Path:
    """The file that registers a case: that of its name, or the one that imports the model it begins with.

    Raises LookupError for a case without a file.
    """
    if (own := FOLDER / f"{case}.py").exists():
        return own
    texts = {path: path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("*.py"))}
    model = case
    while model:
        for path, text in texts.items():
            if re.search(rf"^from \S+\.models import .*\b{model}\b", text, re.MULTILINE):
                return path
        model = model.rpartition("_")[0]
    raise LookupError(f"no file in {FOLDER} registers {case}")


def table() -> str:
    """The list as a Markdown table."""
    lines = ["| case | runners | what it is about |", "|---|---|---|"]
    for case, runners in sorted(configured().items()):
        about = ast.get_docstring(ast.parse(file_of(case).read_text(encoding="utf-8"))) or ""
        lines.append(f"| `{case}` | {', '.join(runners)} | {about.splitlines()[0]} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Write the list into the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", type=Path, required=True, help="the page, such as docs/simulation.md")
    page = parser.parse_args().write
    page.write_text(_LIST.sub(lambda _: table(), page.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
