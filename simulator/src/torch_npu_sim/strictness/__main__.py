"""Says how much of what torch_npu's documents demand is checked, for the operators that plugins call:
``python -m torch_npu_sim.strictness PLUGIN... [--wheel FILE] [--write]``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from torch_npu_sim.schemas import wheel
from torch_npu_sim.strictness import document, in_references
from torch_npu_sim.strictness.documented import rows
from torch_npu_sim.strictness.readable import rows_of
from torch_npu_sim.strictness.row import Row
from torch_npu_sim.surface.inventory import operators

_WRITTEN = Path(__file__).parent / "documented" / "read_by_program.py"
_HEAD = '''"""Rows that a program read: ``python -m torch_npu_sim.strictness PLUGIN... --write`` writes this file."""

# fmt: off
from torch_npu_sim.strictness.demands import Contiguous, Dtypes, Ranks, SameDtype
from torch_npu_sim.strictness.row import Row

ROWS: tuple[Row, ...] = (
'''


@dataclass(frozen=True)
class Counted:
    """An operator of torch_npu: where it is called, what its document demands, and what of it is checked."""

    name: str
    places: int
    documented: bool
    #: Sentences that demand something, and those of them that a row is made of.
    sentences: int
    in_rows: int
    by_person: int
    by_program: int
    in_reference: int


def main(given: Sequence[str] | None = None) -> int:
    """Print the count, or write the rows that can be read; the exit code is 2 for what cannot be read."""
    parser = argparse.ArgumentParser(prog="python -m torch_npu_sim.strictness", description=__doc__)
    parser.add_argument("plugins", type=Path, nargs="+", metavar="PLUGIN", help="folders, sdists or wheels; none is run")
    parser.add_argument("--wheel", type=Path, help=f"wheel of torch_npu; else {wheel.WHEEL_VARIABLE}")
    parser.add_argument("--write", action="store_true", help="write the rows that a program can read")
    options = parser.parse_args(given)
    try:
        source = wheel.from_wheel(options.wheel) if options.wheel else wheel.locate()
        schemas = wheel.read(source)
        called = _called(options.plugins, schemas)
        if options.write:
            read = list(_read(called, source, schemas))
            _WRITTEN.write_text(_HEAD + "".join(f"    {row!r},\n" for row in read) + ")\n", encoding="utf-8")
            print(f"{len(read)} rows are written to {_WRITTEN}")
            return 0
        print("\n".join(report(_counted(called, source, schemas), f"torch_npu {source.version}")))
    except (ImportError, OSError) as error:
        print(f"torch_npu_sim: {error}", file=sys.stderr)
        return 2
    return 0


def report(counted: Sequence[Counted], declared_by: str) -> Iterable[str]:
    """Yield a line an operator, most often called first, and one that sums up."""
    yield f"{'operator':52}{'called':>7}{'sentences':>10}{'in rows':>8}{'rows':>6}{'program':>8}{'reference':>10}"
    for each in counted:
        sentences = each.sentences if each.documented else "none"
        yield (
            f"{each.name:52}{each.places:>7}{sentences:>10}{each.in_rows:>8}{each.by_person + each.by_program:>6}"
            f"{each.by_program:>8}{each.in_reference:>10}"
        )
    documented = [each for each in counted if each.documented]
    rows_, program = sum(e.by_person + e.by_program for e in counted), sum(e.by_program for e in counted)
    yield (
        f"{len(counted)} operators of {declared_by} are called, {len(documented)} have a document: of its "
        f"{sum(each.sentences for each in documented)} sentences that demand something, "
        f"{sum(each.in_rows for each in documented)} are in {rows_} rows ({program} read by this program); "
        f"references make {sum(each.in_reference for each in counted)} demands"
    )


def _called(plugins: Iterable[Path], schemas: dict[str, str]) -> dict[str, int]:
    """Return in how many places each operator of torch_npu is named, most first."""
    places: dict[str, int] = {}
    for plugin in plugins:
        for each in operators(plugin, schemas, ()):
            if each.namespace == "npu":
                places[each.name] = places.get(each.name, 0) + len(each.places)
    return dict(sorted(places.items(), key=lambda each: (-each[1], each[0])))


def _read(called: Iterable[str], source: wheel.Source, schemas: dict[str, str]) -> Iterable[Row]:
    """Yield the rows of operators that nobody has read."""
    documents = document.documents(source)
    by_persons = {name for row in rows() if row.read_by == "person" for name in row.operators}
    where = f"torch_npu {source.version}, {document.DOCUMENTS}"
    for name in sorted(called):
        if name in documents and name not in by_persons:
            yield from rows_of(name, documents[name], _arguments(name, schemas), where)


def _counted(called: dict[str, int], source: wheel.Source, schemas: dict[str, str]) -> list[Counted]:
    documents, demanded = document.documents(source), in_references.demanded()
    found = []
    for name, places in called.items():
        # A variant that writes into tensors it is given is held to the document of the other one.
        read = documents.get(name.removesuffix(".out"), "")
        texts = {
            _plain(each.text) for each in document.sentences(read, _arguments(name, schemas)) if document.demands(each)
        }
        of_it = [row for row in rows() if name.removesuffix(".out") in row.operators and row.checked]
        quotes = [_plain(row.quote) for row in of_it]
        program = sum(row.read_by == "program" for row in of_it)
        found.append(
            Counted(
                *(name, places, bool(read), len(texts)),
                in_rows=sum(any(text in quote or quote in text for quote in quotes) for text in texts),
                by_person=len(of_it) - program,
                by_program=program,
                in_reference=demanded[name],
            )
        )
    return found


def _arguments(name: str, schemas: dict[str, str]) -> dict[str, str]:
    """Return the arguments of an operator, of all its overloads where none is named."""
    among = [schema for each, schema in schemas.items() if each == name or each.startswith(f"{name}.")]
    return {argument: kind for schema in reversed(among) for argument, kind in document.arguments(schema).items()}


def _plain(text: str) -> str:
    return "".join(text.split())


if __name__ == "__main__":
    sys.exit(main())
