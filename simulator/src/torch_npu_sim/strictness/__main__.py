"""Says how much of what torch_npu's documents demand is checked, for the operators that plugins call:
``python -m torch_npu_sim.strictness PLUGIN... [--wheel FILE] [--unread]``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from torch_npu_sim.schemas import wheel
from torch_npu_sim.strictness import document, in_references
from torch_npu_sim.strictness.documented import rows
from torch_npu_sim.strictness.left_out import left_out
from torch_npu_sim.strictness.row import Row
from torch_npu_sim.surface.inventory import operators


@dataclass(frozen=True)
class Counted:
    """An operator of torch_npu: where it is called, what its document demands, and what of it is checked."""

    name: str
    places: int
    documented: bool
    #: Whether there is a reference. Without one a call is refused, or moves data alone; its document is not read.
    computed: bool
    #: Sentences that demand something, those of them that a row is made of, and those with a reason for having none.
    sentences: int
    in_rows: int
    left_out: int
    unread: tuple[str, ...]
    rows: int
    in_reference: int


def main(given: Sequence[str] | None = None) -> int:
    """Print the count, or the sentences without a row and a reason; the exit code is 2 for what cannot be read."""
    parser = argparse.ArgumentParser(prog="python -m torch_npu_sim.strictness", description=__doc__)
    parser.add_argument("plugins", type=Path, nargs="+", metavar="PLUGIN", help="folders, sdists or wheels; none is run")
    parser.add_argument("--wheel", type=Path, help=f"wheel of torch_npu; else {wheel.WHEEL_VARIABLE}")
    parser.add_argument("--unread", action="store_true", help="print the sentences without a row and without a reason")
    options = parser.parse_args(given)
    try:
        source = wheel.from_wheel(options.wheel) if options.wheel else wheel.locate()
        schemas = wheel.read(source)
        called = _called(options.plugins, schemas)
        counted = _counted(called, source, schemas)
        if options.unread:
            print("".join(f"{each.name}\t{text}\n" for each in counted for text in each.unread), end="")
            return 0
        print("\n".join(report(counted, f"torch_npu {source.version}")))
    except (ImportError, OSError) as error:
        print(f"torch_npu_sim: {error}", file=sys.stderr)
        return 2
    return 0


def report(counted: Sequence[Counted], declared_by: str) -> Iterable[str]:
    """Yield a line an operator, most often called first, and one that sums up."""
    yield (
        f"{'operator':52}{'called':>7}{'sentences':>10}{'in rows':>8}{'left out':>9}{'unread':>7}"
        f"{'rows':>6}{'reference':>10}"
    )
    for each in counted:
        sentences = ("none" if not each.documented else "no ref.") if not _read_of(each) else each.sentences
        yield (
            f"{each.name:52}{each.places:>7}{sentences:>10}{each.in_rows:>8}{each.left_out:>9}{len(each.unread):>7}"
            f"{each.rows:>6}{each.in_reference:>10}"
        )
    read = [each for each in counted if _read_of(each)]
    yield (
        f"{len(counted)} operators of {declared_by} are called, {sum(each.documented for each in counted)} have a "
        f"document, {len(read)} of these are computed: of their {sum(each.sentences for each in read)} sentences that "
        f"may demand something, {sum(each.in_rows for each in read)} are in {sum(each.rows for each in read)} rows, "
        f"{sum(each.left_out for each in read)} have a reason for having none, "
        f"{sum(len(each.unread) for each in read)} are unread; "
        f"references make {sum(each.in_reference for each in counted)} demands"
    )


def _read_of(counted: Counted) -> bool:
    return counted.documented and counted.computed


def _called(plugins: Iterable[Path], schemas: dict[str, str]) -> dict[str, int]:
    """Return in how many places each operator of torch_npu is named, most first."""
    places: dict[str, int] = {}
    for plugin in plugins:
        for each in operators(plugin, schemas, ()):
            if each.namespace == "npu":
                # A variant that writes into tensors it is given is held to the document of the other one.
                name = each.name.removesuffix(".out")
                places[name] = places.get(name, 0) + len(each.places)
    return dict(sorted(places.items(), key=lambda each: (-each[1], each[0])))


def _counted(called: dict[str, int], source: wheel.Source, schemas: dict[str, str]) -> list[Counted]:
    documents, demanded = document.documents(source), in_references.demanded()
    found = []
    for name, places in called.items():
        computed, read = name in demanded, documents.get(name, "")
        texts = {
            _plain(each.text): each.text
            for each in document.sentences(read if computed else "", _arguments(name, schemas))
            if document.demands(each)
        }
        # An overload has no document of its own: its rows are made of sentences of the operator's.
        of_it = [row for row in rows() if name in {each.partition(".")[0] for each in row.operators}]
        in_rows = _quoted(texts, (row for row in of_it if row.checked))
        reasons = [
            _plain(quote) for each in left_out() if not each.operators or name in each.operators for quote in each.quotes
        ]
        # A row that is not checked says why.
        without = _quoted(texts, of_it) | {text for text in texts if any(quote in text for quote in reasons)}
        without -= in_rows
        found.append(
            Counted(
                *(name, places, bool(read), computed, len(texts)),
                in_rows=len(in_rows),
                left_out=len(without),
                unread=tuple(said for text, said in texts.items() if text not in in_rows | without),
                rows=sum(row.checked for row in of_it),
                in_reference=demanded[name],
            )
        )
    return found


def _quoted(texts: Iterable[str], among: Iterable[Row]) -> set[str]:
    """Return the sentences that rows quote, whole or in part."""
    quotes = [_plain(row.quote) for row in among]
    return {text for text in texts if any(text in quote or quote in text for quote in quotes)}


def _arguments(name: str, schemas: dict[str, str]) -> dict[str, str]:
    """Return the arguments of an operator, of all its overloads where none is named."""
    among = [schema for each, schema in schemas.items() if each == name or each.startswith(f"{name}.")]
    return {argument: kind for schema in reversed(among) for argument, kind in document.arguments(schema).items()}


def _plain(text: str) -> str:
    return "".join(text.split())


if __name__ == "__main__":
    sys.exit(main())
