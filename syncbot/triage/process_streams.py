"""The lines of one log, divided among the processes that wrote them; each process is parsed by itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from syncbot.triage.error_lines import ErrorLines
from syncbot.triage.line_prefixes import normalised
from syncbot.triage.log_lines import telling_lines
from syncbot.triage.model import FailedTest, Trace
from syncbot.triage.process_parser import Parser

# A process that has been silent for so many lines of others will not finish its traceback.
_PATIENCE = 2_000
# Names of processes that are remembered: damaged logs may seem to have any number of them.
_MOST = 512


def parsed(
    source: str, blocks: Iterable[bytes], marked: ErrorLines | None = None
) -> Iterator[Trace | FailedTest]:
    """The exceptions and failed tests of one log, in the order in which they end; lines that are marked as
    errors are counted in ``marked``."""
    blocks = blocks if marked is None else marked.watched(blocks)
    parsers: dict[str, Parser] = {}
    seen: dict[str, int] = {}
    begun: set[str] = set()
    lines = telling_lines(blocks, lambda: bool(begun))
    for count, (number, raw) in enumerate(lines):
        line = normalised(number, raw)
        process = line.process
        parser = parsers.get(process)
        if parser is None:
            if len(parsers) >= _MOST:
                for old in parsers.values():
                    yield from old.finish()
                parsers.clear()
                seen.clear()
                begun.clear()
            parser = parsers[process] = Parser(source, process)
        seen[process] = count
        if not parser.takes_at_once(line):
            yield from parser.feed(line)
            if parser.is_open:
                begun.add(process)
            else:
                begun.discard(process)
        if count % _PATIENCE == 0:
            for name in [name for name in begun if count - seen[name] > _PATIENCE]:
                yield from parsers[name].finish()
                begun.discard(name)
    for parser in parsers.values():
        yield from parser.finish()
