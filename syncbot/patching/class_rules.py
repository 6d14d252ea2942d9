"""Which classes of a source derive from upstream ones, and which expressions surely are instances of them."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cached_property
from itertools import pairwise

from pydantic import Field

from syncbot.contracts.sources import module_name
from syncbot.patching import lazy_libcst as cst
from syncbot.patching.argument_types import Aliases, Dotted, Name, Subclasses
from syncbot.patching.node_text import Definition, dotted, targets, unparametrised
from syncbot.patching.parameter_edits import is_static
from syncbot.patching.registry import Rule
from syncbot.patching.source import Edits, Source


class ClassRule(Rule):
    """A rule about an upstream class: its subclasses are found through imports, aliases and each other."""

    base: Dotted = Field(description="dotted name of the upstream class", examples=["pkg.module.Class"])
    aliases: Aliases = ()
    classes: Subclasses = ()

    def family(self, source: Source) -> Family:
        """Return the classes of the source that this rule is about."""
        return Family(source, (self.base, *self.aliases), self.classes)


class MethodRule(ClassRule):
    """A rule about the overrides of a method of an upstream class."""

    method: Name

    def needles(self, forward: bool) -> tuple[str, ...]:
        """Only files that define the method."""
        return (f"def {self.method}",)

    def names(self) -> tuple[str, ...]:
        """Only files that name the class, one of its aliases, or one of the backend's own."""
        return last_names(self.base, *self.aliases, *self.classes)

    def overrides(self, source: Source) -> Iterator[cst.FunctionDef]:
        """Yield the overrides in a source."""
        for _, function in self.family(source).methods(self.method):
            yield function

    def finished(self, source: Source, edits: Edits, otherwise: str) -> str:
        """Return the text after edits. Raises NoMatch, which says what no override is or does."""
        return source.rewritten(edits, f"no override of {self.base}.{self.method} {otherwise}")


class Family:
    """The subclasses of ``owners`` within one source; it need not show that ``classes`` are some, too."""

    def __init__(self, source: Source, owners: Collection[str], classes: Collection[str] = ()) -> None:
        self._source = source
        self._owners = frozenset(owners)
        self._classes = frozenset(classes)

    @property
    def members(self) -> frozenset[cst.ClassDef]:
        """The classes of this source that derive from the owners."""
        return self._known[0]

    @cached_property
    def _known(self) -> tuple[frozenset[cst.ClassDef], frozenset[str]]:
        """The members, and all names of owners and members: those that the source gives them, too."""
        source = self._source
        names = set(self._owners | self._classes)
        members: set[cst.ClassDef] = set()
        candidates, others = list(source.index.classes), self._other_names
        found = True
        while found:
            found = False
            for node in list(candidates):
                listed = self._listed(node)
                if listed or any(self._qualified(base.value) & names for base in node.bases):
                    candidates.remove(node)
                    members.add(node)
                    names |= source.defined(node)
                    found = True
            for name, value in others.items():
                if name not in names and self._qualified(value) & names:
                    names.add(name)
                    found = True
        return frozenset(members), frozenset(names)

    @cached_property
    def _other_names(self) -> dict[str, cst.BaseExpression]:
        """The expressions that the top level of the source gives another name (``Parent = Base[int]``), by
        that name; only names that a class derives from."""
        index = self._source.index
        wanted = {dotted(unparametrised(base.value)) for node in index.classes for base in node.bases}
        return {
            target.value: statement.value
            for statement in index.assignments
            if not index.around[statement] and statement.value is not None
            for target in targets(statement)
            if isinstance(target, cst.Name) and target.value in wanted
        }

    def _qualified(self, expression: cst.CSTNode) -> frozenset[str]:
        return self._source.qualified(unparametrised(expression))

    def methods(self, name: str) -> Iterator[tuple[cst.ClassDef, cst.FunctionDef]]:
        """Yield the methods of that name defined in the members."""
        for function in self._source.index.functions:
            owner = self.owner(function)
            if owner is not None and function.name.value == name:
                yield owner, function

    def owner(self, node: cst.CSTNode) -> cst.ClassDef | None:
        """Return the member whose body directly holds the node."""
        around = self._source.index.around.get(node, ())
        last = around[-1] if around else None
        return last if isinstance(last, cst.ClassDef) and last in self.members else None

    def around(self, node: cst.CSTNode) -> tuple[cst.ClassDef, cst.FunctionDef] | None:
        """Return the innermost class around the node, if a member, and its method that holds the node."""
        around = self._source.index.around.get(node, ())
        for outer, inner in reversed(list(pairwise(around))):
            if isinstance(outer, cst.ClassDef):
                is_method = outer in self.members and isinstance(inner, cst.FunctionDef)
                return (outer, inner) if is_method else None  # type: ignore[return-value]
        return None

    def is_owner(self, expression: cst.CSTNode) -> bool:
        """Return whether the expression names an owner or a member."""
        return self.has_name(self._qualified(expression))

    def has_name(self, names: Collection[str]) -> bool:
        """Return whether one of the dotted names is an owner or a member."""
        return not self._known[1].isdisjoint(names)

    def _listed(self, node: cst.ClassDef) -> bool:
        own = self._source.defined(node)
        module = module_name(self._source.path)
        return any(
            entry == name
            or (entry.endswith(f".{name}") and _same_end(entry.removesuffix(f".{name}"), module))
            for entry in self._classes
            for name in own
        )


def last_names(*dotted_names: str) -> tuple[str, ...]:
    """Return the last parts of dotted names, each once."""
    return tuple(dict.fromkeys(name.rpartition(".")[2] for name in dotted_names))


def _same_end(one: str, other: str) -> bool:
    """Whether one dotted name is the end of the other: a path may begin above or below the top package."""
    return f".{one}".endswith(f".{other}") or f".{other}".endswith(f".{one}")


class Receivers:
    """Which expressions surely are instances of a family, or classes of it; ``named`` are said to be some."""

    def __init__(self, source: Source, family: Family, named: Collection[str] = ()) -> None:
        self._source = source
        self._family = family
        self._named = frozenset(named)

    def proves(self, expression: cst.CSTNode) -> bool:
        """Return whether the expression's class is known to be one of the family."""
        text = dotted(expression)
        if text is not None and text in self._named:
            return True
        if isinstance(expression, cst.Call):
            return self._family.is_owner(expression.func) or self._is_super(expression)
        if isinstance(expression, cst.Name):
            return self._is_self(expression) or self._name_is_typed(expression)
        if isinstance(expression, cst.Attribute):
            return self._attribute_is_typed(expression)
        return False

    def _is_super(self, call: cst.Call) -> bool:
        return is_super(call) and self._family.around(call) is not None

    def _is_self(self, name: cst.Name) -> bool:
        """The first parameter of a member's method, where nothing in the method rebinds it."""
        bindings = self._source.bindings(name)
        node = bindings[0].node if len(bindings) == 1 and isinstance(bindings[0], cst.Assignment) else None
        return node is not None and node in self._selves

    @cached_property
    def _selves(self) -> frozenset[cst.CSTNode]:
        found: set[cst.CSTNode] = set()
        for function in self._source.index.functions:
            if self._family.owner(function) is not None and not is_static(function):
                found.update((*function.params.posonly_params, *function.params.params)[:1])
        return frozenset(found)

    def _name_is_typed(self, name: cst.Name) -> bool:
        bindings = self._source.bindings(name)
        return bool(bindings) and all(
            isinstance(binding, cst.Assignment) and self._binding_is_typed(binding) for binding in bindings
        )

    def _binding_is_typed(self, binding: cst.Assignment) -> bool:
        if isinstance(binding.node, cst.Param):
            annotation = binding.node.annotation
            return annotation is not None and self._annotates(annotation.annotation)
        return self._assigns_typed(self._assigned.get(binding.node))

    def _assigns_typed(self, statement: cst.Assign | cst.AnnAssign | None) -> bool:
        if isinstance(statement, cst.AnnAssign):
            return self._annotates(statement.annotation.annotation)
        if statement is None:
            return False
        value = statement.value
        if isinstance(value, cst.Call):
            return self._family.is_owner(value.func)
        return isinstance(value, cst.Name) and self._name_is_typed(value)

    def _attribute_is_typed(self, node: cst.Attribute) -> bool:
        """``self.x`` where every statement of the class that binds ``x`` gives it a type of the family."""
        around = self._source.index.around.get(node, ())
        owner = next((d for d in reversed(around) if isinstance(d, cst.ClassDef)), None)
        if owner is None or not isinstance(node.value, cst.Name):
            return False
        method = _method_of(owner, around)
        if method is None or first_parameter(method) != node.value.value:
            return False
        found = list(self._statements_binding(owner, node.attr.value))
        return bool(found) and all(self._assigns_typed(statement) for statement in found)

    def _statements_binding(
        self, owner: cst.ClassDef, attribute: str
    ) -> Iterator[cst.Assign | cst.AnnAssign]:
        index = self._source.index
        for target, statement in self._assigned.items():
            around = index.around[statement]
            if owner not in around:
                continue
            if isinstance(target, cst.Name) and around[-1] is owner and target.value == attribute:
                yield statement
            if isinstance(target, cst.Attribute) and target.attr.value == attribute:
                method = _method_of(owner, around)
                if method is not None and dotted(target.value) == first_parameter(method):
                    yield statement

    @cached_property
    def _assigned(self) -> dict[cst.CSTNode, cst.Assign | cst.AnnAssign]:
        found: dict[cst.CSTNode, cst.Assign | cst.AnnAssign] = {}
        for statement in self._source.index.assignments:
            if isinstance(statement, cst.AnnAssign):
                found[statement.target] = statement
            else:
                found.update((target.target, statement) for target in statement.targets)
        return found

    def _annotates(self, annotation: cst.BaseExpression, scope: cst.Scope | None = None) -> bool:
        """Whether an annotation means the family: itself, quoted, optional."""
        if isinstance(annotation, cst.SimpleString):
            text = annotation.raw_value
            try:
                parsed = cst.parse_expression(text)
            except cst.ParserSyntaxError:
                return False
            return self._annotates(parsed, self._source.scopes.get(annotation))
        if isinstance(annotation, cst.BinaryOperation) and isinstance(annotation.operator, cst.BitOr):
            sides = [s for s in (annotation.left, annotation.right) if dotted(s) != "None"]
            return len(sides) == 1 and self._annotates(sides[0], scope)
        if isinstance(annotation, cst.Subscript) and dotted(annotation.value) in ("Optional", "type", "Type"):
            inner = annotation.slice[0].slice
            return isinstance(inner, cst.Index) and self._annotates(inner.value, scope)
        text_or_none = dotted(annotation)
        if scope is not None and text_or_none is not None:
            names = {name.name for name in scope.get_qualified_names_for(text_or_none)}
            return self._family.has_name(names)
        return self._family.is_owner(annotation)


def _method_of(owner: cst.ClassDef, around: tuple[Definition, ...]) -> cst.FunctionDef | None:
    """The method of a class that is among these definitions, outermost first."""
    inner = around[around.index(owner) + 1 :]
    return inner[0] if inner and isinstance(inner[0], cst.FunctionDef) else None


def is_super(node: cst.CSTNode) -> bool:
    """Return whether a node is ``super()`` or ``super(Class, self)``."""
    return isinstance(node, cst.Call) and isinstance(node.func, cst.Name) and node.func.value == "super"


def method_calls(
    source: Source, function: cst.FunctionDef, method: str
) -> Iterator[tuple[cst.Call, cst.BaseExpression]]:
    """Yield the calls of a method within a function, each with the object that it is called on."""
    for call in source.index.calls:
        called = call.func
        named = isinstance(called, cst.Attribute) and called.attr.value == method
        if isinstance(called, cst.Attribute) and named and function in source.index.around[call]:
            yield call, called.value


def first_parameter(function: cst.FunctionDef) -> str | None:
    """Return the name that a method gives its instance or class, None for a static one."""
    parameters = (*function.params.posonly_params, *function.params.params)
    return parameters[0].name.value if parameters and not is_static(function) else None
