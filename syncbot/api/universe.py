"""Names across trees: what a dotted name means, which classes a class derives from, who defines a member."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from syncbot.api.annotated_classes import named_class
from syncbot.api.model import Attribute, Class, Function, ModuleTable
from syncbot.api.tree import ModuleTree, look

_DEPTH = 30

Node = Class | Function | Attribute


@dataclass(frozen=True, slots=True)
class Symbol:
    """What a dotted name leads to. ``kind`` is ``module``, ``class``, ``function``, ``variable`` or
    ``unknown`` (it exists, unseen); ``nodes`` are its definitions, several if conditional or overloaded;
    ``via`` are the modules whose imports lead there."""

    kind: str
    module: str
    qualname: str
    nodes: tuple[Node, ...] = ()
    via: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The dotted name of the definition."""
        return f"{self.module}.{self.qualname}" if self.qualname else self.module

    @property
    def class_(self) -> Class | None:
        """The class definition, if it is one; ask `Universe.defined` or `Universe.body` for members."""
        return next((n for n in reversed(self.nodes) if isinstance(n, Class)), None)

    @property
    def functions(self) -> tuple[Function, ...]:
        """The function definitions."""
        return tuple(n for n in self.nodes if isinstance(n, Function))


@dataclass(frozen=True, slots=True)
class Member:
    """A member of a class: the class that defines it, and its definitions there."""

    owner: Symbol
    name: str
    nodes: tuple[Node, ...]

    @property
    def functions(self) -> tuple[Function, ...]:
        """The definitions that are functions."""
        return tuple(n for n in self.nodes if isinstance(n, Function))

    @property
    def attributes(self) -> tuple[Attribute, ...]:
        """The definitions that are attributes."""
        return tuple(n for n in self.nodes if isinstance(n, Attribute))

    @property
    def symbol(self) -> str:
        """The dotted name of the member."""
        return f"{self.owner.name}.{self.name}"


@dataclass(frozen=True, slots=True)
class Lineage:
    """The classes a class derives from, itself first; ``external`` are bases outside all trees."""

    classes: tuple[Symbol, ...]
    external: tuple[str, ...]


class Universe:
    """Trees whose names resolve into one another; ``relocate`` finds moved ones for trees in ``follow``."""

    def __init__(self, trees: Sequence[ModuleTree], follow: Sequence[ModuleTree] = ()) -> None:
        self.trees = tuple(trees)
        self._follow_in = tuple(follow)
        self.relocate: Callable[[str], str | None] | None = None
        self._symbols: dict[tuple[str, str], tuple[Symbol | None, frozenset[str]]] = {}
        self._lineages: dict[str, tuple[Lineage, frozenset[str]]] = {}

    def tree_of(self, module: str) -> ModuleTree | None:
        """The tree that owns a dotted name."""
        return next((tree for tree in self.trees if tree.owns(module)), None)

    def table(self, module: str) -> ModuleTable | None:
        """The interface table of a module of any tree."""
        tree = self.tree_of(module)
        return None if tree is None else tree.table(module)

    def source(self, module: str) -> bytes | None:
        """The text of a module of any tree."""
        tree = self.tree_of(module)
        return None if tree is None else tree.source(module)

    def resolve(self, dotted: str) -> Symbol | None:
        """What a dotted name leads to, None where it leads nowhere in the trees."""
        tree = self.tree_of(dotted)
        if tree is None:
            return None
        parts = dotted.split(".")
        for length in range(len(parts), 0, -1):
            module = ".".join(parts[:length])
            if tree.exists(module):
                break
        else:
            return None
        if length < len(parts) and tree.has(module):
            found = self.inside(module, parts[length:])
            if found is not None:
                return found
        if length == len(parts):
            # A package's own name hides a submodule of the same name once it is bound.
            parent, _, last = dotted.rpartition(".")
            if parent and tree.has(parent):
                bound = self._in_module(parent, last, 0, submodules=False)
                if bound is not None and bound.kind != "module":
                    return bound
            return Symbol("module", module, "")
        return None

    def inside(self, module: str, names: Sequence[str]) -> Symbol | None:
        """Follow ``names`` one after the other, beginning in a module's namespace."""
        symbol = self._in_module(module, names[0], 0)
        for name in names[1:]:
            if symbol is None:
                return None
            symbol = self.attribute(symbol, name)
        return symbol

    def attribute(self, symbol: Symbol, name: str) -> Symbol | None:
        """What ``symbol.name`` leads to."""
        if symbol.kind == "module":
            return self._in_module(symbol.module, name, 0)
        if symbol.kind == "class":
            member = self.member(symbol, name)
            if member is not None:
                return _symbol(member.owner.module, f"{member.owner.qualname}.{name}", member.nodes)
            if not self.is_open(symbol):
                return None
        return Symbol("unknown", symbol.module, f"{symbol.qualname}.{name}")

    def lineage(self, symbol: Symbol) -> Lineage:
        """The classes a class derives from, in method resolution order where one exists (C3)."""
        known = self._lineages.get(symbol.name)
        if known is None:
            with self.watch() as seen:
                external: list[str] = []
                order = self._linearise(symbol, external, ())
                lineage = Lineage(tuple(order), tuple(dict.fromkeys(external)))
            known = self._lineages[symbol.name] = (lineage, frozenset(seen()))
        self.replay(known[1])
        return known[0]

    def member(self, symbol: Symbol, name: str, skip: int = 0) -> Member | None:
        """The first class of the lineage (after ``skip`` classes) that defines ``name``, and how."""
        for owner in self.lineage(symbol).classes[skip:]:
            nodes = self.defined(owner, name)
            if nodes:
                return Member(owner, name, nodes)
        return None

    def defined(self, owner: Symbol, name: str) -> tuple[Node, ...]:
        """The definitions of a member in the body of one class, bases left out."""
        node = owner.class_
        if node is None:
            return ()
        self.replay((look(owner.module, f"{owner.qualname}.{name}"),))
        return _named(node, name)

    def body(self, owner: Symbol) -> Class | None:
        """The whole definition of a class, for who asks for more than single members of it."""
        self.replay((look(owner.module, f"{owner.qualname}.*"),))
        return owner.class_

    def annotation_class(self, module: str, annotation: str | None, depth: int = 0) -> Symbol | None:
        """The one class that an annotation as written in ``module`` names, through Optional and quotes."""
        if not annotation or depth > 3:
            return None
        name = named_class(annotation)
        symbol = self.local(module, name) if name is not None else None
        if symbol is not None and symbol.kind == "class":
            return symbol
        if symbol is not None and symbol.kind == "variable" and symbol.nodes:
            node_ = symbol.nodes[-1]
            if isinstance(node_, Attribute) and node_.value:
                return self.annotation_class(symbol.module, node_.value, depth + 1)
        return None

    def local(self, module: str, dotted: str) -> Symbol | None:
        """What a dotted name as written at the top level of ``module`` leads to."""
        return self.inside(module, dotted.split("."))

    def external_name(self, module: str, dotted: str) -> str:
        """The absolute name of what comes from outside all trees: ``nn.Module`` is ``torch.nn.Module``."""
        head, _, rest = dotted.partition(".")
        tree = self.tree_of(module)
        table = tree.table_for(module, head) if tree is not None else None
        for item in table.imports if table else ():
            if item.local == head:
                origin = item.module if item.name is None else f"{item.module}.{item.name}"
                if item.name is None and item.local == item.module.partition(".")[0]:
                    origin = item.local
                return f"{origin}.{rest}" if rest else origin
        return dotted

    def _in_module(self, module: str, name: str, depth: int, submodules: bool = True) -> Symbol | None:
        key = (module, name if submodules else f"{name}!")
        known = self._symbols.get(key)
        if known is None:
            if depth > _DEPTH:
                return None
            with self.watch() as seen:
                symbol = self._search(module, name, depth, submodules)
            known = (symbol, frozenset(seen()))
            if depth == 0:
                self._symbols[key] = known
        self.replay(known[1])
        return known[0]

    def _search(self, module: str, name: str, depth: int, submodules: bool) -> Symbol | None:
        tree = self.tree_of(module)
        if tree is None:
            return None
        table = tree.table_for(module, name)
        submodule = f"{module}.{name}"
        if table is not None:
            nodes = _with_name(name, *table.variables, *table.functions, *table.classes)
            if nodes:
                return self._through_alias(module, name, nodes, depth)
            found = self._by_import(tree, table, module, name, depth)
            if found is not None:
                return found
        if submodules and tree.exists(submodule):
            return Symbol("module", submodule, "")
        if table is not None and (table.dynamic or table.problem is not None):
            return Symbol("unknown", module, name)
        return None

    def _by_import(
        self, tree: ModuleTree, table: ModuleTable, module: str, name: str, depth: int
    ) -> Symbol | None:
        """What a module's imports bind a name to: the last one that leads anywhere, stars after others."""
        stars: list[str] = []
        for item in reversed(table.imports):
            if item.scope:
                continue
            if item.name == "*":
                stars.append(tree.absolute(module, item.level, item.module))
            elif item.local == name:
                target = item.module
                if item.name is None and item.local == target.partition(".")[0]:
                    target = item.local
                found = self._follow(tree, module, target, item.name, item.level, depth)
                if found is not None:
                    return found
        for source in stars:
            found = self._from_star(source, name, depth)
            if found is not None:
                return _via(found, module)
        return None

    def _through_alias(self, module: str, name: str, nodes: tuple[Node, ...], depth: int) -> Symbol:
        """``name = other`` leads to what ``other`` is, where that is a class or a function."""
        plain = _symbol(module, name, nodes)
        last = nodes[-1]
        if not isinstance(last, Attribute) or not last.value or depth > 5:
            return plain
        if last.value == name or not _is_dotted(last.value):
            return plain
        head, *rest = last.value.split(".")
        target = self._in_module(module, head, depth + 1)
        for part in rest:
            target = self.attribute(target, part) if target is not None else None
        return _via(target, module) if target is not None and target.kind in ("class", "function") else plain

    def _follow(
        self, tree: ModuleTree, module: str, target: str, name: str | None, level: int, depth: int
    ) -> Symbol | None:
        origin = tree.absolute(module, level, target)
        if name is None:
            owner = self.tree_of(origin)
            if owner is None:
                return Symbol("unknown", origin, "", (), (module,))
            return Symbol("module", origin, "", (), (module,)) if owner.exists(origin) else None
        owner = self.tree_of(origin)
        if owner is None:
            return Symbol("unknown", origin, name, (), (module,))
        found = self._in_module(origin, name, depth + 1)
        if found is None and self.relocate is not None and tree in self._follow_in:
            moved = self.relocate(f"{origin}.{name}")
            found = self.resolve(moved) if moved is not None else None
        return _via(found, module) if found is not None else None

    def _from_star(self, source: str, name: str, depth: int) -> Symbol | None:
        tree = self.tree_of(source)
        table = tree.table_for(source, name) if tree is not None else None
        if table is None or (table.exports is not None and name not in table.exports):
            return None
        if table.exports is None and name.startswith("_"):
            return None
        return self._in_module(source, name, depth + 1, submodules=False)

    def is_open(self, symbol: Symbol) -> bool:
        """Whether a class may have members that cannot be seen: a base outside the trees, ``__getattr__``."""
        lineage = self.lineage(symbol)
        plain = {"object", "ABC", "abc.ABC", "Generic", "typing.Generic", "Protocol", "typing.Protocol"}
        if any(base not in plain for base in lineage.external):
            return True
        return any(self.defined(c, "__getattr__") for c in lineage.classes)

    def bases(self, symbol: Symbol) -> Iterator[tuple[str, Symbol | None]]:
        """The direct bases of a class, written and resolved; one of its own name was imported before."""
        node = symbol.class_
        for base in node.bases if node is not None else ():
            written = base.partition("[")[0]
            found = self.local(symbol.module, written) if _is_dotted(written) else None
            if found is not None and found.name == symbol.name:
                found = self._imported(symbol.module, written)
            yield written, found

    def _imported(self, module: str, name: str) -> Symbol | None:
        tree = self.tree_of(module)
        table = tree.table_for(module, name) if tree is not None else None
        if tree is None or table is None:
            return None
        return self._by_import(tree, table, module, name, 0)

    def _linearise(self, symbol: Symbol, external: list[str], active: tuple[str, ...]) -> list[Symbol]:
        if len(active) > _DEPTH:
            return [symbol]
        parents: list[Symbol] = []
        for written, base in self.bases(symbol):
            if base is not None and base.kind == "class":
                if base.name not in (*active, symbol.name):
                    parents.append(base)
            elif written.rpartition(".")[2] not in ("Generic", "Protocol", "ABC", "object"):
                external.append(self.external_name(symbol.module, written))
        chains = [self._linearise(p, external, (*active, symbol.name)) for p in parents]
        return [symbol, *_merge([*chains, parents])]

    def watch(self) -> Watch:
        """Records what is looked at in the trees, so that a kept answer can be given with :meth:`replay`."""
        return Watch(self.trees)

    def replay(self, looks: Collection[str]) -> None:
        """Count as looked at what a kept answer was derived from."""
        for tree in self.trees:
            tree.note(looks)


class Watch:
    """Records what is looked at in several trees, also when the result is cached later."""

    def __init__(self, trees: Sequence[ModuleTree]) -> None:
        self._trees = trees
        self._sets: list[set[str]] = []

    def __enter__(self) -> Watch:
        self._sets = [tree.start_recording() for tree in self._trees]
        return self

    def __exit__(self, *_: object) -> None:
        for tree, seen in zip(self._trees, self._sets, strict=True):
            tree.stop_recording(seen)

    def __call__(self) -> set[str]:
        """All that was looked at."""
        return set().union(*self._sets)


def _merge(chains: list[list[Symbol]]) -> list[Symbol]:
    """C3 merge; where no consistent order exists, the first remaining class is taken."""
    result: list[Symbol] = []
    chains = [list(c) for c in chains if c]
    while chains:
        tails = {s.name for c in chains for s in c[1:]}
        head = next((c[0] for c in chains if c[0].name not in tails), chains[0][0])
        result.append(head)
        chains = [rest for c in chains if (rest := [s for s in c if s.name != head.name])]
    return result


def _is_dotted(text: str) -> bool:
    return all(part.isidentifier() for part in text.split("."))


def _named(node: Class, name: str) -> tuple[Node, ...]:
    return _with_name(name, *node.attributes, *node.functions, *node.classes)


def _with_name(name: str, *nodes: Node) -> tuple[Node, ...]:
    return tuple(node for node in nodes if node.name == name)


def _symbol(module: str, qualname: str, nodes: tuple[Node, ...]) -> Symbol:
    last = nodes[-1]
    kind = "class" if isinstance(last, Class) else "function" if isinstance(last, Function) else "variable"
    return Symbol(kind, module, qualname, nodes)


def _via(symbol: Symbol, module: str) -> Symbol:
    return replace(symbol, via=(module, *symbol.via))
