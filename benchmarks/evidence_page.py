"""The page of evidence, docs/evidence.md, from the figures in benchmarks/results.

usage: python benchmarks/evidence_page.py

Each file of that folder is a list of figures: what was measured, the figure, its aim where there is one, the
day, syncbot's commit and the command. A script that measures something writes its own file by `record`.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Sequence
from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict, Field

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results"
PAGE = ROOT / "docs" / "evidence.md"
HEAD = """# What was measured

```sh
python benchmarks/evidence_page.py   # makes this page from benchmarks/results/*.yaml
```

Each figure names its commit and the command that repeats it. `TRUTH` is a file of upstream ranges whose
breaks are known: [benchmarks](../benchmarks/README.md). A row says so where somebody improved the engine on
those very records: only fresh ones say what to expect. History: `git log -- docs/evidence`.

| what | figure | aim | day | commit | command |
|---|---|---|---|---|---|
"""


class Figure(BaseModel):
    """One row of the page."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    what: str = Field(min_length=1)
    figure: str = Field(min_length=1)
    aim: str | None = None
    date: datetime.date
    commit: str = Field(pattern=r"^[0-9a-f]{7,8}$")
    command: str = Field(min_length=1)


def figures(folder: Path = RESULTS) -> Iterator[Figure]:
    """Yield the figures of all files by their names. Raises ValueError for a file that is no list of them."""
    for file in sorted(folder.glob("*.yaml")):
        rows = yaml.safe_load(file.read_text(encoding="utf-8"))
        if not isinstance(rows, list):
            raise ValueError(f"{file} is no list of figures")
        yield from map(Figure.model_validate, rows)


def record(name: str, rows: Sequence[Figure], folder: Path = RESULTS) -> None:
    """Write the figures that a script has measured, in the place of those that it measured before."""
    values = [row.model_dump(exclude_none=True) for row in rows]
    text = yaml.safe_dump(values, sort_keys=False, allow_unicode=True, width=200)
    (folder / f"{name}.yaml").write_text(text, encoding="utf-8")


def page(folder: Path = RESULTS) -> str:
    """Return the text of the page."""
    return HEAD + "".join(_row(figure) for figure in figures(folder))


def _row(figure: Figure) -> str:
    command = figure.command if figure.command.endswith(" by hand") else f"`{figure.command}`"
    cells = (
        figure.what,
        figure.figure,
        figure.aim or "none",
        str(figure.date),
        f"`{figure.commit}`",
        command,
    )
    return f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
