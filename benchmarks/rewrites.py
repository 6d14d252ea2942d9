"""Rewrites beside the same transform run through libcst's own codemod command: same files, one process.

usage: python benchmarks/rewrites.py FOLDER [--old pkg.module.Name] [--new pkg.other.Name] [--rounds 3]
                                     [--rename]

FOLDER holds Python files of a real release. Each side works on a copy of its own, from reading the files to
writing those that changed; no side gets another process. Three sides:

* ours: ``import_moved`` as ``syncbot apply`` runs it, which parses only files that can match;
* the same rule in a codemod command, run by ``libcst.codemod.parallel_exec_transform_with_prettyprint``;
* with ``--rename``, libcst's own ``rename`` command for the same names, which also rewrites all uses.

Rounds take turns, and the best of each side counts. Printed are seconds, files per second, and how many times
faster ours is. Exit code 1 where the same rule gives another text, or where ours is less than 3 times faster.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import libcst as cst
from libcst.codemod import CodemodCommand, CodemodContext, parallel_exec_transform_with_prettyprint
from libcst.codemod.commands.rename import RenameCommand
from libcst.metadata import MetadataWrapper

from syncbot.patching.errors import NoMatch
from syncbot.patching.rewrites.import_moved import ImportMoved
from syncbot.patching.source import Edits, Source


class SameRule(CodemodCommand):
    """Our rule as a codemod: it gets the tree that libcst has parsed."""

    def __init__(self, context: CodemodContext, rule: ImportMoved) -> None:
        super().__init__(context)
        self._rule = rule

    def transform_module_impl(self, tree: cst.Module) -> cst.Module:
        """The changed tree, or the same one."""
        source = _Tree("")
        source.__dict__["_wrapper"] = MetadataWrapper(tree, unsafe_skip_copy=True)
        try:
            self._rule.forward(source)
        except NoMatch:
            return tree
        return source.changed


class _Tree(Source):
    """A source whose changed tree is kept: a codemod hands on trees, and libcst prints them."""

    changed: cst.Module

    def edited(self, edits: Edits) -> str:
        """Nothing: the text is printed by libcst."""
        self.changed = edits.applied(self.module)
        return ""


def ours(rule: ImportMoved, files: Sequence[Path]) -> None:
    """Read, rewrite and write."""
    needles = rule.needles(True)
    for file in files:
        text = file.read_bytes().decode("utf-8")
        if any(needle not in text for needle in needles):
            continue
        try:
            file.write_bytes(rule.forward(Source(text, str(file))).encode())
        except NoMatch:
            continue


def through_libcst(transform: CodemodCommand, files: Sequence[Path]) -> None:
    """The codemod command of libcst, in this process."""
    with contextlib.redirect_stderr(io.StringIO()):
        done = parallel_exec_transform_with_prettyprint(
            transform, [str(file) for file in files], jobs=1, hide_progress=True
        )
    if done.failures:
        raise SystemExit(f"{done.failures} files failed in libcst")


def timed(work: Callable[[Sequence[Path]], None], folder: Path) -> tuple[float, dict[str, bytes]]:
    """Seconds on a copy of the folder, and the files that changed."""
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch) / "copy"
        shutil.copytree(folder, copy, ignore=lambda _, names: [n for n in names if n == "__pycache__"])
        files = sorted(copy.rglob("*.py"))
        start = time.perf_counter()
        work(files)
        seconds = time.perf_counter() - start
        after = {file.relative_to(copy).as_posix(): file.read_bytes() for file in files}
    return seconds, {p: text for p, text in after.items() if text != (folder / p).read_bytes()}


def main(given: Sequence[str] | None = None) -> int:
    """Run the command line; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--old", default="vllm.config.VllmConfig", help="such as pkg.module.Name")
    parser.add_argument("--new", default="vllm.settings.VllmConfig", help="such as pkg.other.Name")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--rename", action="store_true", help="time libcst's own rename command too")
    options = parser.parse_args(given)
    rule = ImportMoved(old=options.old, new=options.new)
    sides: dict[str, Callable[[Sequence[Path]], None]] = {
        "ours": lambda files: ours(rule, files),
        "same rule in a codemod": lambda files: through_libcst(SameRule(CodemodContext(), rule), files),
    }
    if options.rename:
        sides["libcst's rename"] = lambda files: through_libcst(
            RenameCommand(CodemodContext(), options.old, options.new), files
        )
    best: dict[str, float] = {}
    changed: dict[str, dict[str, bytes]] = {}
    for _ in range(options.rounds):
        for name, work in sides.items():
            seconds, changed[name] = timed(work, options.folder)
            best[name] = min(seconds, best.get(name, seconds))
    count = sum(1 for _ in options.folder.rglob("*.py"))
    print(f"{options.old} -> {options.new}, {count} files, best of {options.rounds}")
    for name, seconds in best.items():
        ratio = seconds / best["ours"]
        print(f"{name:<24} {seconds:8.2f} s {count / seconds:8.0f} files/s {len(changed[name]):>5} changed "
              f"{ratio:6.1f} times ours")  # fmt: skip
    same = changed["ours"] == changed["same rule in a codemod"]
    print(f"ours and the same rule in a codemod give {'the same' if same else 'DIFFERENT'} texts")
    return 0 if same and best["same rule in a codemod"] >= 3 * best["ours"] else 1


if __name__ == "__main__":
    sys.exit(main())
