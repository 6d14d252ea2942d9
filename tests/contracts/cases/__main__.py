"""Write what the engine tells into files of cases, to be reviewed.

usage: python -m tests.contracts.cases --bless FILE [FILE …]
"""

from __future__ import annotations

import sys
from pathlib import Path

from tests.contracts.cases.judging import blessed
from tests.sections import FormError


def main(arguments: list[str]) -> str | None:
    """Write the files that change, and name them. Returns what is wrong, None where nothing is."""
    if len(arguments) < 2 or arguments[0] != "--bless":
        return __doc__
    for path in map(Path, arguments[1:]):
        before = path.read_text(encoding="utf-8")
        try:
            after = blessed(before)
        except FormError as error:
            return f"{path}: {error}"
        if after != before:
            path.write_text(after, encoding="utf-8")
            print(path)
    return None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
