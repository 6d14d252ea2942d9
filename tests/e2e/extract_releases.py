"""Run as a program: extract Python files of the newest release in a mirror, and print what came of each.

Usage: python extract_releases.py GIT_DIR STEP

Takes every STEPth file; calls and attribute chains are looked at in every fourth. Prints a JSON object:
digests by path, problems by path, and the paths that Python itself cannot parse.
"""

from __future__ import annotations

import ast
import gc
import hashlib
import json
import sys
import warnings
from pathlib import Path

import msgspec

from syncbot.api.extract import extract
from syncbot.api.model import ModuleTable, UsageTable
from syncbot.api.usage import extract_usage
from syncbot.upstream.git_repository import GitRepository


def main(git_dir: Path, step: int) -> None:
    gc.disable()
    warnings.simplefilter("ignore")
    encode = msgspec.msgpack.Encoder().encode
    digests: dict[str, str] = {}
    problems: dict[str, str] = {}
    unparsed: list[str] = []
    with GitRepository(git_dir) as repository:
        tag = repository.version_tags()[-1][1]
        tree = repository.tree(f"refs/tags/{tag}")
        files = {entry.blob: path for path, entry in tree.items() if path.endswith((".py", ".pyi"))}
        for index, (blob, text) in enumerate(repository.blobs(list(files)[::step])):
            name = files[blob]
            tables: list[ModuleTable | UsageTable] = [extract(text)]
            if index * step % 4 == 0:
                tables.append(extract_usage(text))
            digests[name] = hashlib.sha256(b"".join(map(encode, tables))).hexdigest()[:16]
            if any(table.problem is not None for table in tables):
                assert all(table.problem is not None for table in tables)
                problems[name] = str(tables[0].problem)
                try:
                    ast.parse(text)
                except (SyntaxError, ValueError, RecursionError, MemoryError):
                    unparsed.append(name)
    json.dump({"digests": digests, "problems": problems, "unparsed": unparsed}, sys.stdout)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
