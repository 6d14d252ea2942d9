"""How a name of a module is found: definitions, imports, stars, aliases; and the classes above a class."""

from __future__ import annotations

import builtins
import re
from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial

from syncbot.api.circular_questions import Question, Steps
from syncbot.api.model import Attribute, Class, Import, ModuleTable
from syncbot.api.several_trees import SeveralTrees
from syncbot.api.statement_parts import type_checking
from syncbot.api.symbols import Lineage, Member, Node, Symbol, by_name, definition, is_dotted
from syncbot.api.tree import ModuleTree, look

# So many classes of a lineage are told, and so many modules on the way to a name: real ones have fewer.
_MOST_CLASSES = 500
_MOST_MODULES = 30
_CALLED = re.compile(r"([A-Za-z_][\w.]*)\(")
# A module that is imported by a call, or when it is first asked for something.
_CALLED_MODULE = re.compile(r"(?:\w+\.)*(?:\w*[lL]azy\w*|import_module)\((?:.*, )?'(\w+(?:\.\w+)+)'\)")
_ASKS_FOR_INSTALL = re.compile(
    r"(?i)find_spec|present|available|installed|importable|(?<![a-z])ha(s|ve)(?![a-z])"
)
_IMPORT_FAILS = re.compile(r"except .*\b(ImportError|ModuleNotFoundError|Exception)\b")
_PLACEHOLDERS = ("None", "Any", "typing.Any", "object")
_PLAIN = {"object", "ABC", "abc.ABC", "Generic", "typing.Generic", "Protocol", "typing.Protocol"}


class NameSearch:
    """The questions that names lead to. ``moved`` finds vanished names that trees in ``follow`` import."""

    def __init__(
        self, trees: SeveralTrees, follow: Sequence[ModuleTree], moved: Callable[[str], Symbol | None]
    ) -> None:
        self._trees = trees
        self._follow_in = tuple(follow)
        self._moved = moved
        self._by_name: dict[int, tuple[ModuleTable, dict[str, list[Node]]]] = {}

    def name(self, module: str, name: str) -> Question[Symbol]:
        """Return the question for a name in a module's namespace, which includes known submodules."""
        return Question(("name", module, name), partial(self._name, module, name))

    def bound(self, module: str, name: str) -> Question[Symbol]:
        """Return the question for the symbol that a module's text binds to a name."""
        return Question(("bound", module, name), partial(self._bound, module, name))

    def attribute(self, symbol: Symbol, name: str) -> Question[Symbol]:
        """Return the question for an attribute of a symbol."""
        key = ("attribute", symbol.kind, symbol.name, name)
        return Question(key, partial(self._attribute, symbol, name))

    def base(self, symbol: Symbol, written: str) -> Question[Symbol]:
        """Return the question for a base of a class, by its text in the class statement. The class's own name
        means the import of that name before it."""
        return Question(("base", symbol.name, written), partial(self._base, symbol, written))

    def lineage(self, symbol: Symbol) -> Question[Lineage]:
        """The classes a class derives from, in method resolution order where one exists (C3)."""
        return Question(("lineage", symbol.name), partial(self._lineage, symbol))

    def only_class(self, tree: ModuleTree, name: str) -> Question[Symbol]:
        """The one class of a tree that bears a name, at the top of a module."""
        return Question(("only class", *tree.packages, name), partial(self._only_class, tree, name))

    def graft(self, symbol: Symbol) -> Question[Symbol]:
        """The class or module that the members of a class are put into: ``class C(Patch[Target])``, where
        ``Patch`` does that."""
        return Question(("graft", symbol.name), partial(self._graft, symbol))

    def _name(self, module: str, name: str, looks: set[str]) -> Steps[Symbol | None]:
        found: Symbol | None = yield self.bound(module, name)
        if found is None or hides_nothing(found):
            submodule = f"{module}.{name}"
            tree = self._trees.tree_of(submodule)
            if tree is not None and _exists(tree, submodule, looks):
                return Symbol("module", submodule, "")
        return found

    def _bound(self, module: str, name: str, looks: set[str]) -> Steps[Symbol | None]:
        tree = self._trees.tree_of(module)
        table = _table(tree, module, name, looks) if tree is not None else None
        if tree is None or table is None:
            return None
        nodes = tuple(self._defined(table).get(name, ()))
        if nodes:
            plain = definition(module, name, nodes)
            placed = all(_holds_a_place(node) or _stands_in(node, table) for node in nodes)
            if placed or all(_is_for_lack(node, table) for node in nodes):
                meant = yield from self._imported(tree, table, module, name, looks)
                kinds = ("class", "function", "module") if placed else ("class",)
                if meant is not None and meant.kind in kinds:
                    return meant
            return self._called_module(plain, looks) or (yield from self._through_alias(plain))
        found = yield from self._imported(tree, table, module, name, looks)
        if found is None and tree.is_package(module) and not _is_there(tree, module, name):
            found = yield from self._given(tree, module, name, looks)
        if found is None and (table.dynamic or table.problem is not None):
            return Symbol("unknown", module, name)
        return found

    def _defined(self, table: ModuleTable) -> dict[str, list[Node]]:
        # Under the table's identity, since it has too much in it to be hashed; kept, so that it stays one.
        if id(table) not in self._by_name:
            named = by_name((*table.variables, *table.functions, *table.classes))
            self._by_name[id(table)] = (table, named)
        return self._by_name[id(table)][1]

    def _called_module(self, plain: Symbol, looks: set[str]) -> Symbol | None:
        """The module that ``name = LazyLoader(…, "dotted.name")`` leads to, where the trees have it."""
        last = plain.nodes[-1]
        named = _CALLED_MODULE.fullmatch(last.value or "") if isinstance(last, Attribute) else None
        tree = self._trees.tree_of(named[1]) if named is not None else None
        if named is None or tree is None or not _exists(tree, named[1], looks):
            return None
        return Symbol("module", named[1], "")

    def _through_alias(self, plain: Symbol) -> Steps[Symbol]:
        """``name = other`` leads to what ``other`` is, where that is a class or a function."""
        last = plain.nodes[-1]
        if not isinstance(last, Attribute) or not last.value or last.value == plain.qualname:
            return plain
        if not is_dotted(last.value):
            return plain
        head, *rest = last.value.split(".")
        target: Symbol | None = yield self.name(plain.module, head)
        if target is not None and target.kind == "variable" and len(rest) == 1:
            return (yield from self._bound_method(plain, target, rest[0]))
        for part in rest:
            target = (yield self.attribute(target, part)) if target is not None else None
        return _via(target, plain.module) if target and target.kind in ("class", "function") else plain

    def _bound_method(self, plain: Symbol, owner: Symbol, name: str) -> Steps[Symbol]:
        """``name = object.method`` is a function without the receiver, where the object's class is seen."""
        last = owner.nodes[-1]
        called = _CALLED.match(last.value or "") if isinstance(last, Attribute) else None
        class_: Symbol | None = (yield self.base(replace(owner, qualname=""), called[1])) if called else None
        if class_ is None or class_.kind != "class":
            return plain
        found: Symbol | None = yield self.attribute(class_, name)
        if found is None or not found.functions or any(f.decorators for f in found.functions):
            return plain
        bound = tuple(replace(f, parameters=f.parameters[1:]) for f in found.functions)
        return Symbol("function", plain.module, plain.qualname, bound)

    def _imported(
        self, tree: ModuleTree, table: ModuleTable, module: str, name: str, looks: set[str]
    ) -> Steps[Symbol | None]:
        """Return the symbol that a module's imports bind to a name: the last import that leads anywhere, star
        imports after others. A conditional import from a module of the trees that only may define the name
        comes after any other that leads somewhere. A star import from another tree, from which no circle
        leads back, hides the imports before it."""
        stars: list[str] = []
        hiding: list[str] = []
        unseen: Symbol | None = None
        for item in reversed(table.imports):
            if item.scope:
                continue
            if item.name == "*":
                source = tree.absolute(module, item.level, item.module)
                stars.append(source)
                if not item.guards and self._trees.tree_of(source) is not tree:
                    hiding.append(source)
            elif item.local == name:
                found = yield from self._follow(tree, module, item, looks)
                if found is not None and item.guards and self._only_may_be(found):
                    unseen = unseen or found
                elif found is not None:
                    later = yield from self._starred(hiding, name, looks)
                    return _via(later if later is not None and later.kind != "unknown" else found, module)
        given = yield from self._starred(stars, name, looks)
        if given is None or given.kind == "unknown":
            return _via(unseen, module) if unseen is not None else given
        return _via(given, module)

    def _only_may_be(self, found: Symbol) -> bool:
        """Whether a name is nothing but what a module of the trees may make when it is asked for."""
        named = found.kind == "unknown" and "." not in found.qualname
        return named and self._trees.tree_of(found.module) is not None

    def _starred(self, sources: Sequence[str], name: str, looks: set[str]) -> Steps[Symbol | None]:
        """Return a name's symbol from the first star import that surely has it, else from one that may."""
        unseen: Symbol | None = None
        for source in sources:
            if self._gives(source, name, looks):
                found: Symbol | None = yield self.bound(source, name)
                if found is not None and found.kind != "unknown":
                    return found
                # It may come from here, if no other star is seen to give it, and hides no submodule.
                unseen = unseen or found
        return unseen

    def _follow(self, tree: ModuleTree, module: str, item: Import, looks: set[str]) -> Steps[Symbol | None]:
        """Return the symbol that one import leads to; None where it leads nowhere."""
        whole = item.name is None and item.local == item.module.partition(".")[0]
        origin = tree.absolute(module, item.level, item.local if whole else item.module)
        owner = self._trees.tree_of(origin)
        if owner is None:
            return Symbol("unknown", origin, item.name or "")
        if item.name is None:
            return Symbol("module", origin, "") if _exists(owner, origin, looks) else None
        found: Symbol | None = yield self.name(origin, item.name)
        if found is None and tree in self._follow_in:
            with self._trees.watch() as seen:
                found = self._moved(f"{origin}.{item.name}")
            looks |= seen()
            # For type checkers alone, one may lead nowhere for years.
            if found is None and type_checking(item.guards):
                found = yield self.only_class(owner, item.name)
        elif found is None and tree is owner and not (item.guards or _exists(owner, origin, looks)):
            # What upstream itself imports is there: a module that was compiled, or is made by the build.
            return Symbol("unknown", origin, item.name)
        return found

    def _only_class(self, tree: ModuleTree, name: str, looks: set[str]) -> Steps[Symbol | None]:
        homes = [
            module
            for module in tree.mentioning(tree.modules, f"class {name}(", f"class {name}:")
            if (table := _table(tree, module, name, looks)) is not None
            and any(class_.name == name for class_ in table.classes)
        ]
        found: Symbol | None = (yield self.bound(homes[0], name)) if len(homes) == 1 else None
        return found if found is not None and found.kind == "class" else None

    def _given(self, tree: ModuleTree, package: str, name: str, looks: set[str]) -> Steps[Symbol | None]:
        """Return the symbol that other modules assign to a name of a package, even where it is unknown."""
        texts = (f".{name} = ", f', "{name}", ', f", '{name}', ")
        for module in tree.mentioning(tree.mentioning(tree.modules, name), *texts):
            table = _table(tree, module, name, looks)
            for item in table.given if table is not None else ():
                owner, _, given = item.name.rpartition(".")
                head, *rest = owner.split(".")
                found: Symbol | None = (yield self.name(module, head)) if given == name else None
                for part in rest:
                    found = (yield self.attribute(found, part)) if found is not None else None
                if found is None or found.kind != "module" or found.module != package:
                    continue
                value = item.value if item.value and is_dotted(item.value) else None
                target: Symbol | None = (yield self.name(module, value)) if value else None
                return _via(target or Symbol("unknown", module, name), module)
        return None

    def _gives(self, source: str, name: str, looks: set[str]) -> bool:
        """Whether a star import of a module may give a name."""
        tree = self._trees.tree_of(source)
        table = _table(tree, source, name, looks) if tree is not None else None
        if table is None:
            return False
        return not name.startswith("_") if table.exports is None else name in table.exports

    def _attribute(self, symbol: Symbol, name: str, looks: set[str]) -> Steps[Symbol | None]:
        if symbol.kind == "module":
            inside: Symbol | None = yield self.name(symbol.module, name)
            return inside
        if symbol.kind == "class":
            lineage: Lineage = (yield self.lineage(symbol)) or Lineage((symbol,), ())
            found = member(lineage.classes, name, looks)
            if found is not None:
                return definition(found.owner.module, f"{found.owner.qualname}.{name}", found.nodes)
            if not is_open(lineage, looks):
                return None
        return Symbol("unknown", symbol.module, f"{symbol.qualname}.{name}")

    def _base(self, symbol: Symbol, written: str, looks: set[str]) -> Steps[Symbol | None]:
        if not is_dotted(written):
            return None
        head, *rest = written.split(".")
        found: Symbol | None = yield self.name(symbol.module, head)
        for part in rest:
            found = (yield self.attribute(found, part)) if found is not None else None
        if found is None or (found.name != symbol.name and not _is_object(found)):
            return found
        tree = self._trees.tree_of(symbol.module)
        table = _table(tree, symbol.module, written, looks) if tree is not None else None
        if tree is None or table is None:
            return None
        # Where it is but ``object`` for Python, type checkers read what it is mixed into.
        imported = yield from self._imported(tree, table, symbol.module, written, looks)
        return found if imported is None and found.name != symbol.name else imported

    def _lineage(self, symbol: Symbol, looks: set[str]) -> Steps[Lineage]:
        parents: list[Symbol] = []
        above: list[Lineage] = []
        external: list[str] = []
        for written in bases(symbol):
            base: Symbol | None = yield self.base(symbol, written)
            if base is not None and base.kind == "class":
                lineage: Lineage | None = yield self.lineage(base)
                if lineage is not None:  # else it derives from this class in turn
                    parents.append(base)
                    above.append(lineage)
            elif written.rpartition(".")[2] not in ("Generic", "Protocol", "ABC", "object"):
                external.append(self.external_name(symbol.module, written, looks))
        # An object of the class that takes the members has those of its own as well.
        may_graft = parents and symbol.class_ is not None and any("[" in b for b in symbol.class_.bases)
        target: Symbol | None = (yield self.graft(symbol)) if may_graft else None
        if target is not None and target.kind == "class":
            grafted: Lineage | None = yield self.lineage(target)
            parents += [target] if grafted is not None else []
            above += [grafted] if grafted is not None else []
        external += [name for lineage in above for name in lineage.external]
        chains = [lineage.classes for lineage in above]
        order = chains[0] if len(chains) == 1 else _merge([*chains, tuple(parents)])
        return Lineage((symbol, *order[: _MOST_CLASSES - 1]), tuple(dict.fromkeys(external)))

    def _graft(self, symbol: Symbol, looks: set[str]) -> Steps[Symbol | None]:
        node = symbol.class_
        for written in node.bases if node is not None else ():
            head, bracket, rest = written.partition("[")
            base: Symbol | None = (yield self.base(symbol, head)) if bracket else None
            if base is None or base.kind != "class":
                continue
            lineage: Lineage | None = yield self.lineage(base)
            if any(_grafts(owner, looks) for owner in (lineage.classes if lineage is not None else ())):
                target: Symbol | None = yield self.base(symbol, rest.removesuffix("]"))
                return target if target is not None and target.kind in ("class", "module") else None
        return None

    def external_name(self, module: str, dotted: str, looks: set[str]) -> str:
        """The absolute name of what comes from outside all trees: ``nn.Module`` is ``torch.nn.Module``."""
        head, _, rest = dotted.partition(".")
        tree = self._trees.tree_of(module)
        table = _table(tree, module, head, looks) if tree is not None else None
        for item in table.imports if table else ():
            if item.local == head:
                origin = item.module if item.name is None else f"{item.module}.{item.name}"
                if item.name is None and item.local == item.module.partition(".")[0]:
                    origin = item.local
                return f"{origin}.{rest}" if rest else origin
        return dotted


def _holds_a_place(node: Node) -> bool:
    """Whether a definition says nothing of its own, as ``Thing = None`` in the ``else`` of ``if
    TYPE_CHECKING`` or where an import fails. What the name means, the import says."""
    return isinstance(node, Attribute) and node.value in _PLACEHOLDERS


def _stands_in(node: Node, table: ModuleTable) -> bool:
    """Whether a definition is one that a module makes where its import of that name fails."""
    caught = node.guards[-1] if node.guards else ""
    return bool(_IMPORT_FAILS.match(caught)) and any(
        item.local == node.name and not item.scope and item.guards and item.guards[-1].startswith("try")
        for item in table.imports
    )


def _is_for_lack(node: Node, table: ModuleTable) -> bool:
    """Whether a class stands in the other branch of a test whether that of which it is imported is there."""
    kind, _, test = (node.guards[-1] if isinstance(node, Class) and node.guards else "").partition(" ")
    other = {"else": f"if {test}", "if": f"else {test}"}.get(kind)
    return bool(_ASKS_FOR_INSTALL.search(test)) and any(
        item.local == node.name and not item.scope and not item.level and item.guards[-1:] == (other,)
        for item in table.imports
    )


def _is_object(symbol: Symbol) -> bool:
    """Whether a name stands for ``object``."""
    last = symbol.nodes[-1] if symbol.nodes else None
    return isinstance(last, Attribute) and last.value == "object"


def hides_nothing(bound: Symbol) -> bool:
    """Whether what the text of a package binds a name to leaves a submodule of that name in its place: it is
    that module, or a ``__getattr__`` might make it, which Python asks last."""
    return bound.kind == "module" or (bound.kind == "unknown" and not bound.via)


def _grafts(owner: Symbol, looks: set[str]) -> bool:
    looks.add(look(owner.module, owner.qualname))
    return owner.class_ is not None and owner.class_.grafts


def bases(symbol: Symbol) -> list[str]:
    """The direct bases of a class as written, without what stands in brackets."""
    node = symbol.class_
    return [base.partition("[")[0] for base in node.bases] if node is not None else []


def member(classes: Iterable[Symbol], name: str, looks: set[str]) -> Member | None:
    """The first of some classes that defines a member in its body, and how."""
    for owner in classes:
        nodes = defined(owner, name, looks)
        if nodes:
            return Member(owner, name, nodes)
    return None


def defined(owner: Symbol, name: str, looks: set[str]) -> tuple[Node, ...]:
    """The definitions of a member in the body of one class, bases left out."""
    node = owner.class_
    if node is None:
        return ()
    looks.add(look(owner.module, f"{owner.qualname}.{name}"))
    # Asked tens of thousands of times in a run: no tuple of all members is made.
    found: list[Node] = [n for n in node.attributes if n.name == name]
    found += [n for n in node.functions if n.name == name]
    found += [n for n in node.classes if n.name == name]
    return tuple(found)


def is_open(lineage: Lineage, looks: set[str]) -> bool:
    """Whether a class may have members that cannot be seen: a base outside the trees, ``__getattr__``."""
    if any(base not in _PLAIN for base in lineage.external):
        return True
    return any(defined(owner, "__getattr__", looks) for owner in lineage.classes)


def _table(tree: ModuleTree, module: str, name: str, looks: set[str]) -> ModuleTable | None:
    looks.add(look(module, name))
    return tree.table_for(module, name)


def _is_there(tree: ModuleTree, package: str, name: str) -> bool:
    """Whether a name needs nobody to assign it onto a package: it is a submodule, or known everywhere. Who
    asks looks for the submodule next, and has that look recorded."""
    submodule = f"{package}.{name}"
    return hasattr(builtins, name) or name.startswith("__") or tree.path(submodule) is not None


def _exists(tree: ModuleTree, module: str, looks: set[str]) -> bool:
    looks.add(look(module))
    return tree.exists(module)


def _via(symbol: Symbol, module: str) -> Symbol:
    return replace(symbol, via=(module, *symbol.via)[:_MOST_MODULES])


def _merge(chains: Sequence[Sequence[Symbol]]) -> tuple[Symbol, ...]:
    """C3 merge; where no consistent order exists, the first remaining class is taken."""
    waiting = [deque((symbol.name, symbol) for symbol in chain) for chain in chains if chain]
    later = Counter(name for chain in waiting for name, _ in list(chain)[1:])
    result: dict[str, Symbol] = {}
    while waiting and len(result) < _MOST_CLASSES - 1:
        name, symbol = next((chain[0] for chain in waiting if not later[chain[0][0]]), waiting[0][0])
        result[name] = symbol
        for chain in waiting:
            while chain and chain[0][0] in result:
                chain.popleft()
                if chain:
                    later[chain[0][0]] -= 1
        waiting = [chain for chain in waiting if chain]
    return tuple(result.values())
