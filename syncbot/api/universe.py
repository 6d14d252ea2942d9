"""Names across trees: what a dotted name means, which classes a class derives from, who defines a member."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import TypeVar

from syncbot.api.annotated_classes import named_class
from syncbot.api.circular_questions import Question, Questions
from syncbot.api.model import Attribute, Class
from syncbot.api.name_search import NameSearch, bases, defined, hides_nothing, is_open, member
from syncbot.api.several_trees import SeveralTrees
from syncbot.api.symbols import Lineage, Member, Node, Symbol
from syncbot.api.tree import ModuleTree, look

K = TypeVar("K")
T = TypeVar("T")


class Universe(SeveralTrees):
    """Trees whose names resolve into one another; ``relocate`` finds moved ones for trees in ``follow``."""

    def __init__(self, trees: Sequence[ModuleTree], follow: Sequence[ModuleTree] = ()) -> None:
        super().__init__(trees)
        self.relocate: Callable[[str], str | None] | None = None
        self._questions = Questions()
        self._resolved: dict[str, tuple[Symbol | None, frozenset[str]]] = {}
        self._members: dict[tuple[str, str, int], tuple[Member | None, frozenset[str]]] = {}
        self._follow = tuple(follow)
        self._search = NameSearch(self, follow, self._moved)

    def close(self) -> None:
        """Let go of the search, which holds this in turn: Python's cycle collector rests meanwhile."""
        self.relocate = None
        del self._search

    def _ask(self, question: Question[T]) -> T | None:
        answer = self._questions.ask(question)
        self.replay(answer.looks())
        return answer.value

    def _moved(self, name: str) -> Symbol | None:
        moved = self.relocate(name) if self.relocate is not None else None
        return self.resolve(moved) if moved is not None else None

    def belongs(self, name: str, packages: Collection[str]) -> bool:
        """Whether a dotted name belongs to top-level packages, and to no tree in ``follow`` that has modules
        below one of them too."""
        package = name.partition(".")[0]
        if package not in packages:
            return False
        return not self.shared(package) or self.tree_of(name) not in self._follow

    def is_followed(self, name: str) -> bool:
        """Whether a dotted name belongs to a tree in ``follow``."""
        return self.tree_of(name) in self._follow

    def resolve(self, dotted: str) -> Symbol | None:
        """Return the symbol that a dotted name leads to, None where it leads nowhere in the trees."""
        return self._once(self._resolved, dotted, lambda: self._lookup(dotted))

    def _once(self, answers: dict[K, tuple[T, frozenset[str]]], key: K, look: Callable[[], T]) -> T:
        """Return the result of a look, remembered because many kinds of contracts need the same one."""
        known = answers.get(key)
        if known is not None:
            self.replay(known[1])
            return known[0]
        with self.watch() as seen:
            found = look()
        # What is told within a circle of questions holds for who asks alone.
        if not self._questions.busy:
            answers[key] = (found, frozenset(seen()))
        return found

    def _lookup(self, dotted: str) -> Symbol | None:
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
                bound = self._ask(self._search.bound(parent, last))
                if bound is not None and not hides_nothing(bound):
                    return bound
            return Symbol("module", module, "")
        return None

    def inside(self, module: str, names: Sequence[str]) -> Symbol | None:
        """Follow ``names`` one after the other, beginning in a module's namespace."""
        symbol = self._ask(self._search.name(module, names[0]))
        for name in names[1:]:
            if symbol is None:
                return None
            symbol = self.attribute(symbol, name)
        return symbol

    def attribute(self, symbol: Symbol, name: str) -> Symbol | None:
        """Return the symbol that ``symbol.name`` leads to."""
        return self._ask(self._search.attribute(symbol, name))

    def lineage(self, symbol: Symbol) -> Lineage:
        """The classes a class derives from, in method resolution order where one exists (C3)."""
        # Of a base that is another name for one of its own members, nothing more can be told.
        return self._ask(self._search.lineage(symbol)) or Lineage((symbol,), ())

    def only_class(self, tree: ModuleTree, name: str) -> Symbol | None:
        """The one class of a tree that bears a name, at the top of a module; None where there are several."""
        return self._ask(self._search.only_class(tree, name))

    def graft(self, symbol: Symbol) -> Symbol | None:
        """The class or module that the members of a class are put into, by a base that does so."""
        return self._ask(self._search.graft(symbol))

    def member(self, symbol: Symbol, name: str, skip: int = 0) -> Member | None:
        """The first class of the lineage (after ``skip`` classes) that defines ``name``, and how."""
        return self._once(
            self._members, (symbol.name, name, skip), lambda: self._first_with(name, symbol, skip)
        )

    def _first_with(self, name: str, symbol: Symbol, skip: int) -> Member | None:
        looks: set[str] = set()
        found = member(self.lineage(symbol).classes[skip:], name, looks)
        self.replay(looks)
        return found

    def defined(self, owner: Symbol, name: str) -> tuple[Node, ...]:
        """The definitions of a member in the body of one class, bases left out."""
        looks: set[str] = set()
        found = defined(owner, name, looks)
        self.replay(looks)
        return found

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
        """Return the symbol that a dotted name in the top-level code of ``module`` leads to."""
        return self.inside(module, dotted.split("."))

    def external_name(self, module: str, dotted: str) -> str:
        """The absolute name of what comes from outside all trees: ``nn.Module`` is ``torch.nn.Module``."""
        return self._search.external_name(module, dotted, set())

    def is_open(self, symbol: Symbol) -> bool:
        """Whether a class may have members that cannot be seen: a base outside the trees, ``__getattr__``."""
        looks: set[str] = set()
        found = is_open(self.lineage(symbol), looks)
        self.replay(looks)
        return found

    def bases(self, symbol: Symbol) -> Iterator[tuple[str, Symbol | None]]:
        """The direct bases of a class, written and resolved; one of its own name was imported before."""
        for written in bases(symbol):
            yield written, self._ask(self._search.base(symbol, written))
