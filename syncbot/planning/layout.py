"""The layout of rewritten sources: a signature or call that grew over the width of its project is written as
the project's formatter writes it. ruff does that, for those statements alone; all other lines stay."""

from __future__ import annotations

import ast
import re
import subprocess
from dataclasses import replace

from ruff import find_ruff_bin

from syncbot.contracts.sources import Backend
from syncbot.errors import EnvironmentFailure
from syncbot.planning.plan import Plan
from syncbot.project_metadata.formatter_settings import USUAL_WIDTH, FormatterSettings

# The longest that ruff can be told.
_LONGEST = 320
_DEEPEST = 16
_MARK = "\ufeff"
_BODY = re.compile(r":[ \t]*(?:#.*)?\r?\n( +)\S")


def laid_out_plan(done: Plan, backend: Backend, settings: FormatterSettings) -> Plan:
    """Return a plan with what grew too long in its files laid out. Raises EnvironmentFailure where ruff is
    not there."""
    before = {file.path: file.text.decode("utf-8", "replace") for file in backend.files}
    return replace(done, changes={p: laid_out(before[p], text, settings) for p, text in done.changes.items()})


def laid_out(before: str, after: str, settings: FormatterSettings) -> str:
    """Return the text with the statements laid out whose changed lines are longer than the project's lines
    or, where nothing says how long these are, than those of the text before. It means the same, or stays.
    Raises EnvironmentFailure where ruff is not there."""
    if after.startswith(_MARK):
        return _MARK + laid_out(before.removeprefix(_MARK), after.removeprefix(_MARK), settings)
    # What stood there, and what ruff has made no shorter, stays.
    known = {*before.split("\n")}
    width = settings.width or max([USUAL_WIDTH, *map(_length, known)])
    text = after
    while True:
        lines = text.split("\n")
        long = [at for at, line in enumerate(lines) if _length(line) > width and line not in known]
        if not long:
            return text if _same(after, text) else after
        known.add(lines[long[-1]])
        text = _formatted(text, long[-1] + 1, len(lines[long[-1]]), min(width, _LONGEST), settings)


def _formatted(text: str, line: int, end: int, width: int, settings: FormatterSettings) -> str:
    """A text with the statement, or the head of the definition, at a line written by ruff; as it is where
    ruff cannot read it."""
    tabs = any(row.startswith("\t") for row in text.splitlines())
    told = {
        "line-length": str(width),
        "format.quote-style": f'"{settings.quotes}"',
        "format.skip-magic-trailing-comma": "false" if settings.magic_comma else "true",
        "format.indent-style": '"tab"' if tabs else '"space"',
        "indent-width": str(4 if tabs else _indent(text)),
    }
    options = [part for key, value in told.items() for part in ("--config", f"{key}={value}")]
    try:
        done = subprocess.run(
            [
                *(find_ruff_bin(), "format", "--isolated", "--no-cache", "--quiet", *options),
                *(f"--range={line}:1-{line}:{end + 1}", "--stdin-filename", "source.py", "-"),
            ],
            input=text.encode(),
            capture_output=True,
            check=False,
        )
    except OSError as error:
        raise EnvironmentFailure(f"ruff, which lays out rewrites, cannot be started: {error}") from error
    return done.stdout.decode() if done.returncode == 0 else text


def _indent(text: str) -> int:
    """How wide one level of indentation is: that of the first body."""
    first = _BODY.search(text)
    return min(len(first[1]), _DEEPEST) if first is not None else 4


def _length(line: str) -> int:
    return len(line.rstrip("\r").expandtabs(4))


def _same(one: str, other: str) -> bool:
    """Whether two texts say the same to Python, and to a reader of their comments."""
    if one == other:
        return True
    try:
        dumps = [ast.dump(ast.parse(text)) for text in (one, other)]
    except (SyntaxError, ValueError, RecursionError):
        return False
    return dumps[0] == dumps[1]
