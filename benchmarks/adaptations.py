"""Where a plugin's next release follows upstream: names that upstream gained or lost between two versions, on
lines that the release adds or removes.

``python benchmarks/adaptations.py --plugin OLD NEW --upstream OLD NEW``, each a folder of sources. A line
is one name: its sign, the name, how many files of the plugin have it, and the first three. Features that use
what is new count too: a person tells them apart.
"""

from __future__ import annotations

import argparse
import difflib
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

_NAME = re.compile(r"[A-Za-z_]\w{5,}")
_COMMENT = re.compile(r"(^|\s+)#.*")


def sources(root: Path) -> dict[str, list[str]]:
    """The lines of each Python file below a folder, without comments, by its path there."""
    files = sorted(root.resolve().rglob("*.py"))
    return {
        str(file.relative_to(root.resolve())): [
            _COMMENT.sub("", line) for line in file.read_text(errors="replace").splitlines()
        ]
        for file in files
    }


def names(tree: Mapping[str, list[str]]) -> set[str]:
    """The names of six letters and more in a tree."""
    return {name for lines in tree.values() for line in lines for name in _NAME.findall(line)}


def changed(old: Mapping[str, list[str]], new: Mapping[str, list[str]]) -> Iterator[tuple[str, str, str]]:
    """The file, the sign and the text of each line that was added or removed."""
    for path in sorted({*old, *new}):
        for line in difflib.unified_diff(old.get(path, []), new.get(path, []), n=0, lineterm=""):
            if line[0] in "+-" and not line.startswith(("+++", "---")):
                yield path, line[0], line[1:]


def followed(
    plugin: tuple[Mapping[str, list[str]], Mapping[str, list[str]]],
    upstream: tuple[Mapping[str, list[str]], Mapping[str, list[str]]],
) -> dict[tuple[str, str], list[str]]:
    """The files by sign and name: ``+`` where upstream's new name comes into the plugin, ``-`` where a name
    that upstream lost leaves it."""
    before, after = map(names, upstream)
    wanted = {"+": after - before - names(plugin[0]), "-": before - after}
    found: dict[tuple[str, str], set[str]] = {}
    for path, sign, text in changed(*plugin):
        for name in wanted[sign].intersection(_NAME.findall(text)):
            found.setdefault((sign, name), set()).add(path)
    return {key: sorted(paths) for key, paths in sorted(found.items())}


def main() -> None:
    """Parse the arguments and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--plugin", nargs=2, type=Path, required=True, metavar=("OLD", "NEW"))
    parser.add_argument("--upstream", nargs=2, type=Path, required=True, metavar=("OLD", "NEW"))
    arguments = parser.parse_args()
    plugin, upstream = ((sources(old), sources(new)) for old, new in (arguments.plugin, arguments.upstream))
    for (sign, name), files in followed(plugin, upstream).items():
        print(sign, name, len(files), *files[:3], sep="\t")


if __name__ == "__main__":
    main()
