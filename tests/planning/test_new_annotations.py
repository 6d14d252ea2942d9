"""New parameters of overrides bring upstream's annotation, where its names can mean the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.planning.test_plan import migrated, text

UP = """\
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from up import shapes
from up.shapes import Shape

if TYPE_CHECKING:
    from up.kinds import Kind


class Base:
    def run(self, x: int):
        return x

    def go(self):
        return self.run(1)


class Size:
    pass
"""
MORE = {"up/shapes.py": "class Shape: ...\n", "up/kinds.py": "class Kind: ...\n"}
MINE = "class Mine(Base):\n    def run(self, x: int):\n        return x\n"


def gained(tmp_path: Path, mine: str, annotation: str, default: str = "") -> str:
    new = UP.replace("x: int)", f"x: int, k: {annotation}{default})").replace("run(1)", "run(1, k=2)")
    done = migrated(tmp_path, mine, (UP, new), base=UP, more=(MORE, MORE))
    assert not done.unwritten
    return text(done)


@pytest.mark.parametrize(
    ("annotation", "head", "imports", "written"),
    [
        ("int", "from up.base import Base\n", "", "int"),
        ("'int'", "from up.base import Base\n", "", "int"),
        ("int | None", "from up.base import Base\n", "", "int | None"),
        ("Shape", "from up.base import Base, Shape\n", "", "Shape"),
        ("Size", "from up.base import Base\n", "from up.base import Size\n", "Size"),
        ("Any", "from up.base import Base\n", "from typing import Any\n", "Any"),
        (
            "Sequence[Any]",
            "from up.base import Base\n",
            "from collections.abc import Sequence\nfrom typing import Any\n",
            "Sequence[Any]",
        ),
    ],
)
def test_the_annotation_comes_with_the_imports_that_it_needs(
    tmp_path: Path, annotation: str, head: str, imports: str, written: str
) -> None:
    now = gained(tmp_path, f"{head}\n\n{MINE}", annotation)
    assert f"def run(self, x: int, k: {written}):" in now
    above, _, _ = now.partition("\n\nclass")
    assert sorted(above.splitlines()) == sorted(f"{imports}{head}".splitlines())


def test_what_only_type_checkers_import_is_quoted(tmp_path: Path) -> None:
    head = "from typing import TYPE_CHECKING\n\nfrom up.base import Base\n\nif TYPE_CHECKING:\n    import os\n\n\n"
    now = gained(tmp_path / "evaluated", head + MINE, "'Kind'")
    assert "    import os\n    from up.kinds import Kind\n" in now
    assert 'def run(self, x: int, k: "Kind"):' in now
    now = gained(tmp_path / "postponed", f"from __future__ import annotations\n\n{head}{MINE}", "'Kind'")
    assert "def run(self, x: int, k: Kind):" in now


@pytest.mark.parametrize(
    ("annotation", "mine"),
    [
        # The file uses no annotations, the name means something else there, or nothing imports it.
        ("int", "from up.base import Base\n\n\n" + MINE.replace(": int", "")),
        ("Shape", "from up.base import Base\n\nShape = 1\n\n\n" + MINE),
        ("'Kind'", "from up.base import Base\n\n\n" + MINE),
    ],
)
def test_without_its_names_there_is_no_annotation(tmp_path: Path, annotation: str, mine: str) -> None:
    now = gained(tmp_path, mine, annotation)
    assert now == mine.replace("x: int):", "x: int, k):").replace("(self, x):", "(self, x, k):")


def test_a_default_of_none_is_allowed_for(tmp_path: Path) -> None:
    # The backend calls it itself without the parameter, which therefore is optional here.
    mine = "from up.base import Base\n\n\n" + MINE + "\n    def other(self):\n        return self.run(1)\n"
    assert "def run(self, x: int, k: int | None = None):" in gained(tmp_path, mine, "int")
