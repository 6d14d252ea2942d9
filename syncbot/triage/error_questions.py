"""Which questions to ask the trees of a range about an error."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from syncbot.api.model import Attribute, Function
from syncbot.api.signatures import Signature, constructor, function_signatures
from syncbot.api.symbols import Symbol
from syncbot.triage.log_paths import Place
from syncbot.triage.model import Symptom
from syncbot.triage.tree_inquiry import Inquiry, Question, View, module_of

# A name that so many definitions have says nothing.
_MOST_HOMES = 8
_CALLED = re.compile(r"(?:(?<=\.)|\b)([A-Za-z_]\w*)\(")
_WORDS = frozenset({"super", "print", "len", "isinstance", "getattr", "list", "dict", "tuple", "range", "zip",
                    "int", "str", "max", "min", "any", "all", "sum", "type", "set", "enumerate"})  # fmt: skip

Asker = Callable[[Inquiry, Symptom, Sequence[Place]], Iterator[Question]]


def questions(inquiry: Inquiry, symptom: Symptom, places: Sequence[Place]) -> list[Question]:
    """The questions for an error whose frames in known files are ``places``, the innermost last."""
    asker = _ASKERS.get(symptom.kind)
    return list(asker(inquiry, symptom, places)) if asker is not None else []


def _imported(inquiry: Inquiry, symptom: Symptom, places: Sequence[Place]) -> Iterator[Question]:
    (name,) = symptom.names
    dotted = f"{symptom.subject}.{name}"
    if _is_upstream(inquiry, dotted):
        yield Question(
            dotted, lambda view: _exists(view.universe.resolve(dotted) is not None), 0.9, ("exists",)
        )


def _module(inquiry: Inquiry, symptom: Symptom, places: Sequence[Place]) -> Iterator[Question]:
    module = symptom.subject
    if _is_upstream(inquiry, module):
        yield Question(module, lambda view: _exists(view.tree.exists(module)), 0.9, ("exists",))


def _attribute(inquiry: Inquiry, symptom: Symptom, places: Sequence[Place]) -> Iterator[Question]:
    (name,) = symptom.names
    if symptom.of_module:
        yield from _imported(inquiry, symptom, places)
        return
    owners = (
        [symptom.subject] if symptom.subject else re.findall(rf"(\w+)\.{re.escape(name)}\b", _code(places))
    )
    for found in owners:
        for class_homes, strength in _classes(inquiry, found.rpartition(".")[2]):
            yield Question(f"{found}.{name}", _member(class_homes, name), strength, ("exists",))


def _call(inquiry: Inquiry, symptom: Symptom, places: Sequence[Place]) -> Iterator[Question]:
    head, _, method = symptom.subject.replace(".<locals>", "").rpartition(".")
    owners = [head.rpartition(".")[2]] if head else []
    if not head and method.startswith("__"):
        # Python 3.9 does not name the class of a method.
        owners = [name for name in _called(places) if name[:1].isupper()]
    elif not head:
        for homes, strength in _functions(inquiry, method or symptom.subject):
            yield Question(f"{method}()", _parameters(homes, "", symptom), strength, _fine(symptom))
    for owner in owners:
        for homes, strength in _classes(inquiry, owner):
            about = f"{owner}.{method}()"
            yield Question(about, _parameters(homes, method, symptom), strength, _fine(symptom))
    if places and not places[-1].ours:
        yield from _caller(inquiry, symptom, places[-1], method or symptom.subject)


def _caller(inquiry: Inquiry, symptom: Symptom, place: Place, method: str) -> Iterator[Question]:
    """What upstream's own code passes to something that did not take it."""
    module = module_of(place.path, inquiry.trees.packages)
    if module is None:
        return
    function = place.frame.function.rpartition(".")[2]
    names = symptom.names if symptom.kind == "unexpected-keyword" else ()
    anything = method.startswith("__")

    def ask(view: View) -> str | None:
        table = view.tree.derived(module, view.trees.usages)
        view.tree.note([module])
        if table is None:
            return None
        calls = [
            c for c in table.calls
            if (not function or c.scope.rpartition(".")[2] == function)
            and (anything or c.callee.rpartition(".")[2] == method)
        ]  # fmt: skip
        if names:
            passed = any(name in c.keywords for c in calls for name in names)
            return f"{'passes' if passed else 'does not pass'} {', '.join(names)}"
        if anything or not calls:
            return None
        ways = {
            f"{c.positional} by position, {', '.join(sorted(c.keywords)) or 'no'} keywords" for c in calls
        }
        return "; ".join(sorted(ways))

    yield Question(f"{module}, calling {method}()", ask, 0.85, (f"does not pass {', '.join(names)}",))


def _abstract(inquiry: Inquiry, symptom: Symptom, places: Sequence[Place]) -> Iterator[Question]:
    for homes, strength in _classes(inquiry, symptom.subject.rpartition(".")[2]):
        for name in symptom.names:
            about = f"{symptom.subject}.{name}"
            yield Question(about, _is_abstract(homes, name), strength, ("is not abstract", "does not exist"))


def _result(inquiry: Inquiry, symptom: Symptom, places: Sequence[Place]) -> Iterator[Question]:
    for name in _called(places):
        for homes, strength in _functions(inquiry, name, methods=True):
            yield Question(f"{name}()", _shape(homes, name), strength * 0.9)


_ASKERS: Mapping[str, Asker] = {
    "cannot-import": _imported,
    "no-module": _module,
    "no-attribute": _attribute,
    "unexpected-keyword": _call,
    "missing-argument": _call,
    "too-many-arguments": _call,
    "abstract-class": _abstract,
    "unpacking": _result,
    "not-callable": _result,
    "wrong-use": _result,
}


def _exists(there: bool) -> str:
    return "exists" if there else "does not exist"


def _is_upstream(inquiry: Inquiry, dotted: str) -> bool:
    return dotted.partition(".")[0] in inquiry.trees.packages


def _code(places: Sequence[Place]) -> str:
    return places[-1].frame.code if places else ""


def _called(places: Sequence[Place]) -> list[str]:
    return [name for name in dict.fromkeys(_CALLED.findall(_code(places))) if name not in _WORDS]


def _classes(inquiry: Inquiry, name: str) -> Iterator[tuple[list[str], float]]:
    """The names a class has or had, and what a change of it says: less, if more classes have the name."""
    yield from _homes(inquiry, name, (f"class {name}(", f"class {name}:"), "class")


def _functions(inquiry: Inquiry, name: str, *, methods: bool = False) -> Iterator[tuple[list[str], float]]:
    yield from _homes(inquiry, name, (f"def {name}(",), "method" if methods else "function")


def _homes(inquiry: Inquiry, name: str, texts: Sequence[str], kind: str) -> Iterator[tuple[list[str], float]]:
    before, after = (_defining(view, name, texts, kind) for view in (inquiry.old, inquiry.new))
    gone, come = [n for n in before if n not in after], [n for n in after if n not in before]
    stayed = [[n] for n in after if n in before]
    moved = [[*come, *gone]] if len(come) <= 1 else [[n] for n in come] + [[n] for n in gone]
    groups = [group for group in (*stayed, *moved) if group]
    ours = [n for n in _in_backend(inquiry.new, name, kind) if n not in after]
    groups += [[n] for n in ours]
    if 0 < len(groups) <= _MOST_HOMES:
        strength = 0.9 if len(groups) == 1 else 0.6
        yield from ((group, strength) for group in groups)


def _defining(view: View, name: str, texts: Sequence[str], kind: str) -> list[str]:
    view.trees.load(blob for _, blob in view.tree.modules.values())
    modules = view.tree.mentioning(view.tree.modules, *texts)
    return [found for module in modules for found in _within(view, module, name, kind)]


def _in_backend(view: View, name: str, kind: str) -> list[str]:
    files = [f for f in view.trees.backend.files if not f.is_test and name.encode() in f.text]
    return [found for file in files for found in _within(view, file.module, name, kind)]


def _within(view: View, module: str, name: str, kind: str) -> Iterator[str]:
    table = view.universe.table(module)
    if table is None:
        return
    if kind == "class" and any(c.name == name for c in table.classes):
        yield f"{module}.{name}"
    if kind != "class" and any(f.name == name for f in table.functions):
        yield f"{module}.{name}"
    if kind == "method":
        for owner in table.classes:
            if any(f.name == name for f in owner.functions):
                yield f"{module}.{owner.name}.{name}"


def _resolved(view: View, homes: Sequence[str], kind: str) -> Symbol | None:
    symbols = (view.universe.resolve(home) for home in homes)
    return next((found for found in symbols if found is not None and found.kind == kind), None)


def _member(homes: Sequence[str], name: str) -> Callable[[View], str | None]:
    def ask(view: View) -> str | None:
        symbol = _resolved(view, homes, "class")
        if symbol is None:
            return None
        return _exists(view.universe.member(symbol, name) is not None)

    return ask


def _is_abstract(homes: Sequence[str], name: str) -> Callable[[View], str | None]:
    def ask(view: View) -> str | None:
        symbol = _resolved(view, homes, "class")
        if symbol is None:
            return None
        member = view.universe.member(symbol, name)
        if member is None:
            return "does not exist"
        return "is abstract" if any(f.abstract for f in member.functions) else "is not abstract"

    return ask


def _shape(homes: Sequence[str], name: str) -> Callable[[View], str | None]:
    def ask(view: View) -> str | None:
        for home in homes:
            found = view.universe.resolve(home)
            if found is None:
                continue
            functions = [n for n in found.nodes if isinstance(n, Function)]
            if functions:
                last = functions[-1]
                kind = "a property" if "property" in last.decorators else "a function"
                return f"{kind} that returns {last.annotation or ', '.join(last.returned) or 'nothing'}"
            if found.kind == "class":
                return "a class"
            return "a variable" if any(isinstance(n, Attribute) for n in found.nodes) else found.kind
        return "does not exist"

    return ask


def _parameters(homes: Sequence[str], method: str, symptom: Symptom) -> Callable[[View], str | None]:
    """What a callable says of the parameters that an error names; without names, all that it takes."""

    def ask(view: View) -> str | None:
        signatures = _signatures(view, homes, method)
        if not signatures:
            return None
        last = signatures[-1]
        if symptom.kind == "unexpected-keyword":
            takes = last.has("**") or set(symptom.names) <= set(last.names)
            return f"takes {', '.join(symptom.names) if takes else last}"
        needed = [p.name for p in last.parameters if p.required]
        if symptom.kind == "missing-argument" and symptom.names:
            missing = [n for n in symptom.names if n in needed]
            if missing:
                return f"requires {', '.join(missing)}"
            return f"does not require {', '.join(symptom.names)}"
        return f"takes ({', '.join(p.name for p in last.positional)}) by position"

    return ask


def _fine(symptom: Symptom) -> tuple[str, ...]:
    """The answers of :func:`_parameters` that an error contradicts."""
    names = ", ".join(symptom.names)
    return (f"takes {names}", f"does not require {names}") if names else ()


def _signatures(view: View, homes: Sequence[str], method: str) -> Sequence[Signature]:
    if not method:
        found = _resolved(view, homes, "function")
        return function_signatures(found.functions, bound=False) if found is not None else ()
    symbol = _resolved(view, homes, "class")
    if symbol is None:
        return ()
    if method in ("__init__", "__new__"):
        made = constructor(view.universe, symbol)
        return made[0] if made is not None else ()
    member = view.universe.member(symbol, method)
    if member is None:
        return ()
    static = any("staticmethod" in f.decorators for f in member.functions)
    return function_signatures(member.functions, bound=not static)
