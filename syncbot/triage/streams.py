"""Lines of one log shared out to the processes that wrote them; each is parsed by itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from syncbot.triage.lines import normalised, telling_lines
from syncbot.triage.model import FailedTest, Trace
from syncbot.triage.parser import Parser

# A process that has been silent for so many lines of others will not finish its traceback.
_PATIENCE = 2_000
# Names of processes that are remembered: damaged logs may seem to have any number of them.
_MOST = 512


def parsed(source: str, blocks: Iterable[bytes]) -> Iterator[Trace | FailedTest]:
    """The exceptions and failed tests of one log, in the order in which they end."""
    parsers: dict[str, Parser] = {}
    waiting: dict[str, int] = {}
    lines = telling_lines(blocks, lambda: bool(waiting))
    for count, (number, raw) in enumerate(lines):
        line = normalised(number, raw)
        parser = parsers.get(line.process)
        if parser is None:
            if len(parsers) >= _MOST:
                for old in parsers.values():
                    yield from old.finish()
                parsers.clear()
                waiting.clear()
            parser = parsers[line.process] = Parser(source, line.process)
        yield from parser.feed(line)
        if parser.is_open:
            waiting[line.process] = count
        else:
            waiting.pop(line.process, None)
        if waiting and count - (oldest := next(iter(waiting.values()))) > _PATIENCE:
            for name in [name for name, seen in waiting.items() if seen == oldest]:
                yield from parsers[name].finish()
                del waiting[name]
    for parser in parsers.values():
        yield from parser.finish()
