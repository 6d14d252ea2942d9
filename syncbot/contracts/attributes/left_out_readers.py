"""Upstream code that reads an attribute of objects which were made without the method that sets it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from syncbot.api.protocols import is_protocol
from syncbot.api.symbols import Symbol
from syncbot.contracts.attributes.reads import Read, is_read, reads_in
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.grounds import Ground
from syncbot.contracts.unreached.false_flags import is_always_false
from syncbot.contracts.unreached.reachable_methods import is_reached


@dataclass(frozen=True, slots=True)
class Made:
    """An object of the backend's class ``own``, made without the constructor of ``owner`` and what that alone
    calls (``constructing``), but with those of ``reached``: it lacked ``before`` and lacks ``now`` what these
    set."""

    own: Symbol
    owner: Symbol
    reached: tuple[str, ...]
    constructing: frozenset[str]
    before: frozenset[str]
    now: frozenset[str]


@dataclass(frozen=True, slots=True)
class Reader:
    """Upstream code that reads an attribute, how sure it is that it reads it of the object meant, and what
    speaks against that."""

    where: str
    ground: Ground
    doubt: str = ""


_ONLY_BY_OVERRIDDEN = (
    ", but this class overrides all that is seen to call that, or has what is chosen instead"
)
_OF_PROTOCOL = ", of whatever follows a protocol: it may not come to this class"
_OF_ANOTHER = ", it may be of an object of another class that has one of that name"


def readers_of(made: Made, name: str, pair: Comparison) -> Iterator[Reader]:
    """Upstream code that runs and may read an attribute of an object, but for the ``__init__`` left out and
    other classes' ``self``."""
    lineage = {c.name for c in pair.new.lineage(made.own).classes}
    left_out = {f"{made.owner.name}.{method}" for method in made.constructing}
    for module in pair.new_usage.readers(pair.changed, name):
        for read in reads_in(pair.new_tree.source(module) or b"", name):
            if read.of_self and f"{module}.{read.scope.rpartition('.')[0]}" not in lineage:
                continue
            if f"{module}.{read.scope}" in left_out or _is_hidden(read, module, made, pair):
                continue
            where = f"{module}.{read.scope}" if read.scope else module
            if read.of_self:
                yield Reader(where, *_read_of_self(read, module, made, pair))
                continue
            class_ = pair.new.annotation_class(module, read.annotation)
            if class_ is not None and class_.name in lineage and is_protocol(class_.class_):
                yield Reader(where, Ground.DOUBTED, _OF_PROTOCOL)
            elif class_ is not None and class_.name in lineage:
                yield Reader(where, Ground.READ_OF_ANOTHER)
            elif class_ is not None or others_have(name, made.owner, lineage, pair):
                yield Reader(where, Ground.DOUBTED, _OF_ANOTHER)
            else:
                yield Reader(where, Ground.READ_OF_ANOTHER)


def _is_hidden(read: Read, module: str, made: Made, pair: Comparison) -> bool:
    """Whether what reads an attribute does not run: of a class's own methods, for its objects."""
    class_, _, method = read.scope.rpartition(".")
    inherited = pair.new.member(made.own, method) if read.of_self else None
    if inherited is not None and inherited.functions and inherited.owner.name == f"{module}.{class_}":
        # What other classes of the backend override is theirs alone.
        return f"{module}.{read.scope}" in pair.replaced
    return pair.shadows.hide(module, read.scope)


def _read_of_self(read: Read, module: str, made: Made, pair: Comparison) -> tuple[Ground, str]:
    """How sure it is that a method that reads an attribute of its object runs as far as that, and what speaks
    against it. What reads something that was lacking before did not run."""
    source = pair.new_tree.source(module) or b""
    also = next((n for n in sorted(made.before) if is_read(source, n, read.scope)), None)
    if also is not None:
        return (
            Ground.DOUBTED,
            f", and {also} too, which objects here lacked before: it may never run for them",
        )
    first = next((n for n in read.needs if n in made.now), None)
    if first is not None:
        return Ground.DOUBTED, f", where {first} is true, which it lacks as well"
    off = next((n for n in read.needs if is_always_false(made.own, n, made.reached, pair.new)), None)
    if off is not None:
        return Ground.OVERRIDDEN, f", where {off} is true, as it never is here"
    if not is_reached(made.own, read.scope.rpartition(".")[2], pair):
        return Ground.OVERRIDDEN, _ONLY_BY_OVERRIDDEN
    return Ground.READ_OF_SELF, ""


def others_have(name: str, owner: Symbol, lineage: set[str], pair: Comparison) -> bool:
    """Whether an upstream class that is no kin of ``owner`` has an attribute or method of that name too."""
    for module in pair.new_tree.mentioning(pair.new_tree.modules, name):
        table = pair.new_tree.table(module)
        for class_ in table.classes if table is not None else ():
            if name in {*(a.name for a in class_.attributes), *(f.name for f in class_.functions)}:
                found = pair.new.local(module, class_.name)
                kin = {c.name for c in pair.new.lineage(found).classes} if found is not None else set()
                if owner.name not in kin and not kin & lineage:
                    return True
    return False


def new_readers(made: Made, name: str, pair: Comparison) -> Iterator[Reader]:
    """The methods that a class has from upstream and that read an attribute, as they did not before."""
    others = replace(made, before=made.before - {name})
    classes = pair.new.lineage(made.own).classes
    lineage, homes = {c.name for c in classes}, {c.module for c in classes}
    for module in pair.new_usage.readers(tuple(m for m in pair.changed if m in homes), name):
        for read in reads_in(pair.new_tree.source(module) or b"", name):
            class_, _, method = read.scope.rpartition(".")
            if not read.of_self or f"{module}.{class_}" not in lineage or method in made.constructing:
                continue
            before = pair.old_tree.source(module) or b""
            if is_read(before, name, read.scope) or _is_hidden(read, module, made, pair):
                continue
            yield Reader(f"{module}.{read.scope}", *_read_of_self(read, module, others, pair))
