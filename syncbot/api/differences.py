"""Two symbol tables of one module, before and after a change, as a list of differences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from syncbot.api.expressions import last_name
from syncbot.api.model import Attribute, Class, Function, ModuleTable, Parameter
from syncbot.api.signatures import Signature

_FIELD_BASES = {"BaseModel", "BaseSettings", "NamedTuple", "Struct", "TypedDict"}

N = TypeVar("N", Function, Class, Attribute)


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference of one symbol, named as in its module: ``Class.method``. ``kind`` is ``function-``,
    ``class-``, ``method-``, ``attribute-``, ``field-`` or ``variable-`` with ``added`` or ``removed`` (the
    last three also with ``value``); ``assignment-removed`` for what no method assigns on ``self`` any more;
    ``signature``, ``bases``, ``decorators`` or ``body``. ``before`` and ``after`` are source text. ``parts``
    say what happened to parameters: ``required``, ``optional``, ``removed``, ``absorbed`` (removed, but
    ``**`` takes it), ``default``, ``now-required``, ``keyword-only``, ``reordered``."""

    kind: str
    symbol: str
    before: str | None = None
    after: str | None = None
    parts: tuple[tuple[str, str], ...] = ()


def differences(old: ModuleTable, new: ModuleTable) -> Iterator[Difference]:
    """All differences between two tables, in the order of the source; none where one could not be parsed."""
    if old.problem is None and new.problem is None:
        yield from _functions(old.functions, new.functions, "")
        yield from _classes(old.classes, new.classes, "")
        yield from _attributes(old.variables, new.variables, "", "variable")


def class_differences(old: Class, new: Class, within: str = "") -> Iterator[Difference]:
    """The differences of two versions of a class, its own name aside; nested classes included."""
    name = f"{within}{new.name}"
    if old.bases != new.bases:
        yield Difference("bases", name, ", ".join(old.bases), ", ".join(new.bases))
    if old.decorators != new.decorators:
        yield Difference("decorators", name, ", ".join(old.decorators), ", ".join(new.decorators))
    yield from _functions(old.functions, new.functions, f"{name}.")
    kind = "field" if _has_fields(new) else "attribute"
    yield from _attributes(_declared(old), _declared(new), f"{name}.", kind)
    mine = {a.name for a in new.attributes} | {f.name for f in (*new.functions, *old.functions)}
    for attribute in dict.fromkeys(a.name for a in old.attributes if a.origin):
        if attribute not in mine and attribute not in {a.name for a in _declared(old)}:
            yield Difference("assignment-removed", f"{name}.{attribute}")
    yield from _classes(old.classes, new.classes, f"{name}.")


def _classes(old: Sequence[Class], new: Sequence[Class], within: str) -> Iterator[Difference]:
    for name, before, after in _pairs(old, new):
        if before is None or after is None:
            yield _one_sided("class", f"{within}{name}", before, after)
        else:
            yield from class_differences(before, after, within)


def _has_fields(node: Class) -> bool:
    """Whether the class itself shows that its attributes are fields; a base elsewhere may show it too."""
    heads = (last_name(d) for d in node.decorators)
    bases = {base.rpartition(".")[2] for base in node.bases}
    return any("dataclass" in head for head in heads) or bool(bases & _FIELD_BASES)


def _declared(node: Class) -> tuple[Attribute, ...]:
    return tuple(a for a in node.attributes if not a.origin)


def _functions(old: Sequence[Function], new: Sequence[Function], within: str) -> Iterator[Difference]:
    kind = "method" if within else "function"
    for name, before, after in _pairs(_callable(old), _callable(new)):
        if before is None or after is None:
            yield _one_sided(kind, f"{within}{name}", before, after)
        else:
            yield from function_differences(before, after, within)


def function_differences(old: Function, new: Function, within: str = "") -> Iterator[Difference]:
    """The differences of two versions of a function or method."""
    symbol = f"{within}{new.name}"
    if parts := tuple(_parameter_changes(old.parameters, new.parameters)):
        yield Difference("signature", symbol, _shown(old), _shown(new), parts)
    if old.decorators != new.decorators:
        yield Difference("decorators", symbol, ", ".join(old.decorators), ", ".join(new.decorators))
    if old.body != new.body and not _shares_its_line(old, new):
        yield Difference("body", symbol)


def _shares_its_line(old: Function, new: Function) -> bool:
    """Whether the text of a body may differ only because the head on the same line does."""
    head = (old.parameters, old.annotation) != (new.parameters, new.annotation)
    return head and (old.line == old.end_line or new.line == new.end_line)


def _shown(node: Function) -> str:
    return f"{node.name}{Signature(node.parameters)}"


def _callable(functions: Sequence[Function]) -> list[Function]:
    """Overload stubs and the setters of properties aside."""
    aside = {"overload", "setter", "deleter", "register"}
    return [f for f in functions if not aside & {d.rpartition(".")[2] for d in f.decorators}]


def _pairs(old: Sequence[N], new: Sequence[N]) -> Iterator[tuple[str, N | None, N | None]]:
    """Each name with its definition before and after; the last one counts, as it does in Python."""
    before: dict[str, N] = {node.name: node for node in old}
    after: dict[str, N] = {node.name: node for node in new}
    for name in dict.fromkeys((*before, *after)):
        yield name, before.get(name), after.get(name)


def _one_sided(
    kind: str, symbol: str, before: Function | Class | None, after: Function | Class | None
) -> Difference:
    node = after if before is None else before
    shown = _shown(node) if isinstance(node, Function) else None
    if before is None:
        return Difference(f"{kind}-added", symbol, None, shown)
    return Difference(f"{kind}-removed", symbol, shown, None)


def _attributes(
    old: Sequence[Attribute], new: Sequence[Attribute], within: str, kind: str
) -> Iterator[Difference]:
    before, after = _all_values(old), _all_values(new)
    for name in dict.fromkeys((*before, *after)):
        if name.startswith("__"):
            continue
        if name not in before:
            yield Difference(f"{kind}-added", f"{within}{name}", None, after[name][0])
        elif name not in after:
            yield Difference(f"{kind}-removed", f"{within}{name}", before[name][0], None)
        # Of a name that is assigned in several branches, nobody can tell which value holds.
        elif len(before[name]) == len(after[name]) == 1 and before[name] != after[name]:
            yield Difference(f"{kind}-value", f"{within}{name}", before[name][0], after[name][0])


def _all_values(attributes: Sequence[Attribute]) -> dict[str, list[str | None]]:
    values: dict[str, list[str | None]] = {}
    for attribute in attributes:
        values.setdefault(attribute.name, []).append(attribute.value)
    return values


def _parameter_changes(old: Sequence[Parameter], new: Sequence[Parameter]) -> Iterator[tuple[str, str]]:
    before, after = {_key(p): p for p in old}, {_key(p): p for p in new}
    absorbs = any(p.kind == "**" for p in new)
    for key, parameter in before.items():
        if key in after:
            yield from _changed_parameter(key, parameter, after[key])
        else:
            # Whoever passes it by name is still heard.
            yield ("absorbed" if absorbs and parameter.kind in ("any", "key") else "removed"), key
    for key, parameter in after.items():
        if key not in before:
            yield ("required" if parameter.required else "optional"), key
    positional = [{p.name for p in side if p.kind in ("pos", "any")} for side in (old, new)]
    both = positional[0] & positional[1]
    order = [[p.name for p in side if p.name in both] for side in (old, new)]
    if order[0] != order[1]:
        yield "reordered", ", ".join(order[1])


def _changed_parameter(key: str, old: Parameter, new: Parameter) -> Iterator[tuple[str, str]]:
    if old.kind in ("*", "**"):
        return
    if new.kind == "key" and old.kind in ("any", "pos"):
        yield "keyword-only", key
    if new.required and not old.required:
        yield "now-required", key
    elif new.default != old.default:
        yield "default", f"{key}: {old.default or '—'} → {new.default or '—'}"


def _key(parameter: Parameter) -> str:
    return f"{parameter.kind}{parameter.name}" if parameter.kind in ("*", "**") else parameter.name
