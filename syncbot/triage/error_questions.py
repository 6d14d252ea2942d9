"""Which questions to ask the trees of a range about an error."""

from __future__ import annotations

import builtins
import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from syncbot.api.model import Attribute, Function
from syncbot.triage import name_uses
from syncbot.triage.failing_statement import called, unpacked
from syncbot.triage.log_paths import Place
from syncbot.triage.model import Symptom
from syncbot.triage.resolved_homes import classes, functions, resolved, signatures
from syncbot.triage.tree_inquiry import Inquiry, Question, View, module_of

_CALLED = re.compile(r"(?:(?<=\.)|\b)([A-Za-z_]\w*)\(")
# Names that are shorter say nothing by where they are used.
_SHORTEST = 4
# Frames of upstream in whose functions a name of the error is looked for, innermost ones.
_FRAMES = 3

Asker = Callable[[Inquiry, Symptom, Sequence[Place]], Iterator[Question]]


def questions(inquiry: Inquiry, symptom: Symptom, places: Sequence[Place]) -> list[Question]:
    """The questions for an error whose frames in known files are ``places``, the innermost last."""
    askers = (*_ASKERS.get(symptom.kind, ()), _used)
    return [question for asker in askers for question in asker(inquiry, symptom, places)]


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
        for class_homes, strength in classes(inquiry, found.rpartition(".")[2]):
            fine = ("exists", "is used nowhere")
            yield Question(f"{found}.{name}", _member(class_homes, name), strength, fine)


def _call(inquiry: Inquiry, symptom: Symptom, places: Sequence[Place]) -> Iterator[Question]:
    head, _, method = symptom.subject.replace(".<locals>", "").rpartition(".")
    owners = [head.rpartition(".")[2]] if head else []
    if not head and method.startswith("__"):
        # Python 3.9 does not name the class of a method.
        owners = [name for name in called_names(places) if name[:1].isupper()]
    elif not head:
        for homes, strength in functions(inquiry, method or symptom.subject):
            yield Question(f"{method}()", _parameters(homes, "", symptom), strength, _fine(symptom))
    for owner in owners:
        for homes, strength in classes(inquiry, owner):
            about = f"{owner}.{method}()"
            yield Question(about, _parameters(homes, method, symptom), strength, _fine(symptom))
    if places and not places[-1].ours:
        yield from _caller(inquiry, symptom, places[-1], method or symptom.subject)


def _caller(inquiry: Inquiry, symptom: Symptom, place: Place, method: str) -> Iterator[Question]:
    """Yield a question: which arguments does upstream's own code pass to a callable that refused them?"""
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

    fine = (f"does not pass {', '.join(names)}",) if names else ()
    yield Question(f"{module}, calling {method}()", ask, 0.85, fine, is_defined=False)


def _abstract(inquiry: Inquiry, symptom: Symptom, places: Sequence[Place]) -> Iterator[Question]:
    for homes, strength in classes(inquiry, symptom.subject.rpartition(".")[2]):
        for name in symptom.names:
            about = f"{symptom.subject}.{name}"
            yield Question(about, _is_abstract(homes, name), strength, ("is not abstract", "does not exist"))


def _result(inquiry: Inquiry, symptom: Symptom, places: Sequence[Place]) -> Iterator[Question]:
    for name in _taken_apart(places) if symptom.kind == "unpacking" else called_names(places):
        for homes, strength in functions(inquiry, name, methods=True):
            yield Question(f"{name}()", _shape(homes, name), strength * 0.9)


def _expected(inquiry: Inquiry, symptom: Symptom, places: Sequence[Place]) -> Iterator[Question]:
    """Who reads an attribute that values of Python's own classes lack: they gave way to objects."""
    (name,) = symptom.names
    if symptom.of_module or not hasattr(builtins, symptom.subject) or len(name) < _SHORTEST:
        return

    def ask(view: View) -> str:
        found = [
            module
            for module in _mentioning(view, name)
            if name_uses.reads_attribute(view.tree.source(module) or b"", name)
        ]
        return f"is read by {', '.join(found[:3])}" if found else "is read nowhere"

    yield Question(f"the attribute {name}", ask, 0.5, ("is read nowhere",), is_defined=False)


def _set_meanwhile(inquiry: Inquiry, symptom: Symptom, places: Sequence[Place]) -> Iterator[Question]:
    """Who calls the methods that set an attribute of ours that is not there."""
    (name,) = symptom.names
    owner = symptom.subject.rpartition(".")[2]
    files = [f for f in inquiry.trees.backend.files if not f.is_test and owner.encode() in f.text]
    setting = {m for f in files for m in name_uses.setting_methods(f.text, owner, name)} - {"__init__"}
    for method in sorted(setting if owner else ()):

        def ask(view: View, method: str = method) -> str:
            found = [
                f"{module}:{function}"
                for module in _mentioning(view, method)
                for function in name_uses.calling_functions(view.tree.source(module) or b"", method)
            ]
            return f"is called by {', '.join(found) or 'nothing'}"

        yield Question(f"{method}() (it sets {name})", ask, 0.5)


def _bound(inquiry: Inquiry, symptom: Symptom, places: Sequence[Place]) -> Iterator[Question]:
    """Whether the function that lacks a variable gives it a value."""
    (name,) = symptom.names
    if not places or places[-1].ours:
        return
    module, function = _function(inquiry, places[-1])

    def ask(view: View) -> str | None:
        text = view.tree.source(module)
        view.tree.note([module])
        if text is None or not name_uses.uses(text, function, name):
            return "does not name it"
        return "has it" if name_uses.binds(text, function, name) else "names it and has no value for it"

    if module:
        yield Question(f"{module}, {function} and {name}", ask, 0.8, ("has it", "does not name it"), False)


def _used(inquiry: Inquiry, symptom: Symptom, places: Sequence[Place]) -> Iterator[Question]:
    """Whether upstream's functions in the traceback, the inner ones, use the names of an error."""
    names = [name for name in symptom.names if len(name) >= _SHORTEST and name.isidentifier()]
    theirs = [place for place in reversed(places) if not place.ours][:_FRAMES]
    for distance, place in enumerate(theirs):
        module, function = _function(inquiry, place)
        innermost = place is places[-1]
        for name in names if module else ():
            strength = (0.65 if innermost else 0.45) * 0.9**distance
            about = f"{module}, {function} and {name}"
            yield Question(about, _use(module, function, name), strength, ("does not use it",), False)


_ASKERS: Mapping[str, tuple[Asker, ...]] = {
    "cannot-import": (_imported,),
    "no-module": (_module,),
    "no-attribute": (_attribute, _expected, _set_meanwhile),
    "unexpected-keyword": (_call,),
    "missing-argument": (_call,),
    "too-many-arguments": (_call,),
    "abstract-class": (_abstract,),
    "unpacking": (_result,),
    "not-callable": (_result,),
    "wrong-use": (_result,),
    "undefined-name": (_bound,),
}


def _use(module: str, function: str, name: str) -> Callable[[View], str | None]:
    def ask(view: View) -> str | None:
        text = view.tree.source(module)
        view.tree.note([module])
        if text is None:
            return None
        return "uses it" if name_uses.uses(text, function, name) else "does not use it"

    return ask


def _exists(there: bool) -> str:
    return "exists" if there else "does not exist"


def _is_upstream(inquiry: Inquiry, dotted: str) -> bool:
    return dotted.partition(".")[0] in inquiry.trees.packages


def called_names(places: Sequence[Place]) -> list[str]:
    """The last names of what the innermost statement in a known file calls, outer calls first."""
    if not places:
        return []
    place = places[-1]
    if place.statement is not None:
        return called(place.statement)
    # Of a file that is another one than ran, only the line of the log is known.
    known = set(dir(builtins))
    return [name for name in dict.fromkeys(_CALLED.findall(place.frame.code)) if name not in known]


def _taken_apart(places: Sequence[Place]) -> list[str]:
    if places and places[-1].statement is not None:
        return unpacked(places[-1].statement)
    return called_names(places)


def _code(places: Sequence[Place]) -> str:
    return places[-1].frame.code if places else ""


def _function(inquiry: Inquiry, place: Place) -> tuple[str, str]:
    """The module and the function of a frame; an empty module where it is none of upstream's."""
    module = module_of(place.path, inquiry.trees.packages) or ""
    return module, place.frame.function.rpartition(".")[2]


def _mentioning(view: View, name: str) -> list[str]:
    found = view.mentioning(name)
    # What is answered depends on each of them; one that begins to name it is among the newer end's.
    view.tree.note(found)
    return found


def _is_used(view: View, name: str) -> bool:
    """Whether upstream or the plugin uses a name at all."""
    if any(name in file.words for file in view.trees.backend.files if not file.is_test):
        return True
    sources = (view.tree.source(module) or b"" for module in _mentioning(view, name))
    return any(name_uses.uses(text, "", name) for text in sources)


def _member(homes: Sequence[str], name: str) -> Callable[[View], str | None]:
    def ask(view: View) -> str | None:
        symbol = resolved(view, homes, "class")
        if symbol is None:
            return None
        if view.universe.member(symbol, name) is None and not _is_used(view, name):
            # What nobody asks for is not missed.
            return "is used nowhere"
        return _exists(view.universe.member(symbol, name) is not None)

    return ask


def _is_abstract(homes: Sequence[str], name: str) -> Callable[[View], str | None]:
    def ask(view: View) -> str | None:
        symbol = resolved(view, homes, "class")
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
    """Return the function that says which parameters of an error a callable takes or requires; without names,
    all that it takes by position."""

    def ask(view: View) -> str | None:
        taken = signatures(view, homes, method)
        if not taken:
            return None
        last = taken[-1]
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
