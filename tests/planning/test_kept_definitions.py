"""Definitions that upstream dropped and the backend still uses are kept in the backend."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.planning.test_plan import migrated, text

OLD = """\
import math

from up.tools import Pool, is_wide, log

LOG = log(__name__)


class Engine:
    def __init__(self, size, pin):
        self.size = size
        self.wide = is_wide(size)
        self.pin = pin
        self.pool = Pool(size)

    @staticmethod
    def wait(job: "Job") -> None:
        \"\"\"Wait for it.\"\"\"
        if is_wide(job.size):
            log(job)

    def area(self, *, scale: int = 2) -> int:
        return math.ceil(self.size * scale)

    def run(self):
        return self.area(), self.wide, self.pin, self.pool


def check(value: int) -> bool:
    return is_wide(value) and value > math.pi


class Job:
    pass
"""
TOOLS = """\
class Pool:
    def __init__(self, size):
        self.size = size


def is_wide(size) -> bool:
    return size > 3


def log(name):
    return name
"""


def done(tmp_path: Path, mine: str, *lost: str, new: str = "", tools: str = TOOLS) -> str:
    after = OLD
    for piece in lost:
        assert piece in after
        after = after.replace(piece, new)
    first = {"up/engine.py": OLD, "up/tools.py": TOOLS}
    last = {"up/engine.py": after, "up/tools.py": tools}
    result = migrated(tmp_path, mine, ("helper(x, 2)", "helper(x, 3)"), more=(first, last))
    return text(result)


WAIT = OLD[OLD.index("    @staticmethod") : OLD.index("    def area")]
AREA = OLD[OLD.index("    def area") : OLD.index("    def run")]
CHECK = OLD[OLD.index("def check") : OLD.index("class Job")]
MINE = """\
from up.engine import Engine


class Mine(Engine):
    def __init__(self, size, pin):
        super().__init__(size, pin)
        self.own = 1

    def go(self, job):
        return self.USED
"""


def test_a_method_that_upstream_dropped_is_kept_with_its_imports(tmp_path: Path) -> None:
    assert done(tmp_path, MINE.replace("USED", "wait(job)"), WAIT).endswith(
        "    @staticmethod\n"
        "    def wait(job):\n"
        '        """As upstream had it before ' + _since(tmp_path) + '."""\n'
        "        from up.tools import is_wide\n"
        "        from up.tools import log\n"
        "        if is_wide(job.size):\n"
        "            log(job)\n"
    )


def _since(tmp_path: Path) -> str:
    import subprocess

    said = subprocess.run(
        ["git", "-C", tmp_path / "upstream", "rev-parse", "main"], capture_output=True, text=True, check=True
    )
    return said.stdout[:10]


def test_a_method_that_reads_the_object_is_kept_while_it_is_set_the_same_way(tmp_path: Path) -> None:
    mine = MINE.replace("USED", "area(scale=3)")
    kept = done(tmp_path, mine, AREA, "self.area(), ")
    assert "    def area(self, *, scale=2):\n" in kept
    assert "import math\n        return math.ceil(self.size * scale)" in kept


def test_a_method_is_not_kept_where_the_object_is_set_to_something_else(tmp_path: Path) -> None:
    after = OLD.replace(AREA, "").replace("self.area(), ", "").replace("self.size = size", "self.size = {}")
    first = {"up/engine.py": OLD, "up/tools.py": TOOLS}
    result = migrated(
        tmp_path, MINE.replace("USED", "area()"), ("helper(x, 2)", "helper(x, 3)"),
        more=(first, {"up/engine.py": after, "up/tools.py": TOOLS}),
    )  # fmt: skip
    assert text(result) == ""
    assert result.unwritten


@pytest.mark.parametrize(
    ("used", "line", "read", "expected"),
    [
        ("wide", "        self.wide = is_wide(size)\n", "self.wide, ",
         "from up.tools import is_wide\n        self.wide = is_wide(size)\n"),
        ("pin", "        self.pin = pin\n", "self.pin, ", "super().__init__(size, pin)\n        self.pin = pin\n"),
        # What upstream's methods might have filled is nothing to make anew.
        ("pool", "        self.pool = Pool(size)\n", ", self.pool", ""),
    ],
)  # fmt: skip
def test_an_attribute_is_set_here_if_it_is_a_mere_value(
    tmp_path: Path, used: str, line: str, read: str, expected: str
) -> None:
    kept = done(tmp_path, MINE.replace("USED", used), line, read)
    assert expected in kept
    assert bool(kept) == bool(expected)


def test_an_attribute_that_upstream_sets_from_outside_is_not_kept(tmp_path: Path) -> None:
    first = {"up/engine.py": OLD, "up/tools.py": TOOLS + "\n\ndef fill(engine):\n    engine.wide = True\n"}
    after = OLD.replace("        self.wide = is_wide(size)\n", "").replace("self.wide, ", "")
    result = migrated(
        tmp_path, MINE.replace("USED", "wide"), ("helper(x, 2)", "helper(x, 3)"),
        more=(first, {"up/engine.py": after, "up/tools.py": TOOLS}),
    )  # fmt: skip
    assert text(result) == ""


def test_a_function_that_upstream_dropped_stands_in_the_place_of_its_import(tmp_path: Path) -> None:
    mine = "from up.engine import Job, check\n\n\ndef go(x):\n    return check(x), Job\n"
    kept = done(tmp_path, mine, CHECK)
    assert kept.startswith("from up.engine import Job\ndef check(value):\n")
    assert "    import math\n    from up.tools import is_wide\n    return is_wide(value) and" in kept


def test_a_variable_is_made_by_its_statement_with_the_name_of_its_module(tmp_path: Path) -> None:
    mine = "from up.engine import LOG\n\n\ndef go():\n    return LOG\n"
    kept = done(tmp_path, mine, "LOG = log(__name__)\n")
    assert kept.startswith("from up.tools import log\nLOG = log('up.engine')\n")


def test_a_function_that_uses_what_is_gone_too_is_not_kept(tmp_path: Path) -> None:
    mine = "from up.engine import check\n\n\ndef go(x):\n    return check(x)\n"
    gone = "def is_wide(size) -> bool:\n    return size > 3\n\n\n"
    after = OLD.replace(CHECK, "").replace("is_wide(size)", "size > 3").replace("is_wide(job.size)", "job")
    result = migrated(
        tmp_path, mine, ("helper(x, 2)", "helper(x, 3)"),
        more=({"up/engine.py": OLD, "up/tools.py": TOOLS},
              {"up/engine.py": after.replace(", is_wide", ""), "up/tools.py": TOOLS.replace(gone, "")}),
    )  # fmt: skip
    assert text(result) == ""


def test_a_class_is_not_kept(tmp_path: Path) -> None:
    mine = "from up.engine import Job\n\n\ndef go():\n    return Job()\n"
    assert done(tmp_path, mine, "class Job:\n    pass\n") == ""


def test_a_function_is_not_kept_where_the_file_binds_its_name_again(tmp_path: Path) -> None:
    mine = "from up.engine import check\n\ncheck = [check]\n"
    assert done(tmp_path, mine, CHECK) == ""
