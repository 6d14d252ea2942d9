"""Pieces of the programs' text: names that are looked up, stand-ins for values, signatures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from syncbot.api.model import Parameter
from syncbot.api.signatures import Arguments
from syncbot.api.symbols import Symbol
from syncbot.contracts.comparison import Comparison
from syncbot.witness.model import NotWitnessable

#: An object is not made, since nobody knows what its constructor needs: who sets the attribute is read from
#: the compiled code of the class and of its bases.
SETTERS = '''\
import dis
import inspect
from types import CodeType

NAME = "{name}"


def sets(code: CodeType) -> bool:
    """Whether a function, or one inside it, sets the attribute, or has its name as a text."""
    stored = any(step.opname == "STORE_ATTR" and step.argval == NAME for step in dis.get_instructions(code))
    return stored or names(code.co_consts)


def names(constants: object) -> bool:
    """Whether constants have the name among them, or code that sets the attribute."""
    if isinstance(constants, CodeType):
        return sets(constants)
    return constants == NAME or isinstance(constants, (tuple, frozenset)) and any(map(names, constants))


def functions(member: object) -> list[CodeType]:
    """The code behind a method or property."""
    parts = (member, getattr(member, "__func__", None), getattr(member, "fget", None))
    found = (getattr(inspect.unwrap(part), "__code__", None) for part in parts if callable(part))
    return [code for code in found if isinstance(code, CodeType)]
'''


def upstream_symbol(name: str, pair: Comparison) -> Symbol:
    """Return the symbol of a name before the change. Raises NotWitnessable where it is not upstream's."""
    found = pair.old.resolve(name)
    if found is None or not pair.old_tree.owns(found.module):
        raise NotWitnessable(f"{name} is not upstream's own")
    return found


def upstream_class(receiver: str, pair: Comparison) -> Symbol:
    """The class of that name, or the nearest one upstream that it derives from. Raises NotWitnessable."""
    found = pair.old.resolve(receiver)
    if found is not None and found.kind == "class":
        for ancestor in pair.old.lineage(found).classes:
            if pair.old_tree.owns(ancestor.module):
                return ancestor
    return upstream_symbol(receiver, pair)


def looked_up(symbol: Symbol | str) -> str:
    """The expression that gives a definition at run time: its module is imported, the rest are attributes."""
    name = symbol if isinstance(symbol, str) else f"{symbol.module}:{symbol.qualname}"
    return f"pkgutil.resolve_name({name!r})"


def passed(arguments: Arguments, value: str) -> str:
    """The arguments of a call, with one stand-in in the place of all values."""
    return ", ".join([*[value] * arguments.positional, *(f"{name}={value}" for name in arguments.keywords)])


def definition(parameters: Sequence[Parameter], name: str) -> str:
    """A function with those parameters, the values of defaults and annotations left out, and no body."""
    return f"def {name}({', '.join(_parameters(parameters))}): ..."


def _parameters(parameters: Sequence[Parameter]) -> Iterable[str]:
    starred = False
    for index, parameter in enumerate(parameters):
        if parameter.kind == "key" and not starred:
            starred = True
            yield "*"
        default = "" if parameter.default is None else "=None"
        stars = parameter.kind if parameter.kind in ("*", "**") else ""
        starred = starred or stars == "*"
        yield f"{stars}{parameter.name}{default}"
        following = parameters[index + 1].kind if index + 1 < len(parameters) else ""
        if parameter.kind == "pos" and following != "pos":
            yield "/"
