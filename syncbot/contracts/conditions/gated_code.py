"""Code of the backend that does not run on the upstream at hand: what tests of its version turn off, also by
way of constants, and what only such code reaches."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from syncbot.api.every_node import every_node
from syncbot.api.expressions import FunctionNode, dotted
from syncbot.api.remembered_answers import remembered
from syncbot.api.syntax import parsed
from syncbot.contracts.conditions.gated_modules import WHOLE, gated_modules
from syncbot.contracts.conditions.guards import VersionTests
from syncbot.contracts.conditions.turned_off_spans import At, Span, meant, span_of, turned_off
from syncbot.contracts.model import Location
from syncbot.contracts.sources import Backend, SourceFile

# Decorators that hand what they decorate to nobody.
_PLAIN = {"staticmethod", "classmethod", "property", "cache", "lru_cache", "functools.cache",
          "functools.lru_cache", "cached_property", "functools.cached_property"}  # fmt: skip
_HEADS = (re.compile(rb"def ([^\s(:]+)\("), re.compile(rb"class ([^\s(:]+)[(:]"))
_MOST_ROUNDS = 8


@dataclass(frozen=True, slots=True)
class _Definition:
    """A function or class: where it stands, whether it is a method, and ``plain`` where no decorator hands it
    to anybody."""

    name: str
    span: Span
    is_method: bool
    plain: bool


class GatedCode:
    """The part of a backend's sources that is turned off where ``tests`` have their answer; upstream may call
    methods of a name that it ``knows``."""

    def __init__(
        self, backend: Backend, tests: VersionTests, knows: Callable[[str], bool] = lambda _: True
    ) -> None:
        self._files = {file.module: file for file in backend.files}
        self._tests, self._knows = tests, knows

    def is_off(self, place: Location) -> bool:
        """Whether the code at a place does not run."""
        spans = self._off.get(place.file)
        return spans is not None and any(span.holds((place.line, place.column - 1)) for span in spans)

    def spans(self, path: str) -> Sequence[Span]:
        """Return what of a file does not run."""
        return self._off.get(path, ())

    @cached_property
    def _off(self) -> Mapping[str, list[Span]]:
        gated = [file for file in self._files.values() if file.names.versions]
        if not gated:
            return {}
        constants, files = self._constants(gated)
        off: dict[str, list[Span]] = {}
        for file in files:
            spans = self._spans(file, constants)
            off.update({file.path: [*spans]} if spans else {})
        fresh = files
        for _ in range(_MOST_ROUNDS):
            fresh = gated_modules(self._files, off, fresh)
            off.update({file.path: [WHOLE] for file in fresh})
            if not self._spread(off) and not fresh:
                break
        return off

    def _constants(self, gated: Iterable[SourceFile]) -> tuple[Mapping[str, bool], list[SourceFile]]:
        """The names of modules that stand for a test, and the files that may use a test or such a name."""
        constants: dict[str, bool] = {}
        files = {file.path: file for file in gated}
        fresh = list(files.values())
        while fresh:
            found: dict[str, bool] = {}
            settled = frozenset(constants.items())
            for file in fresh:
                known = meant(file.text, file.module, file.path, self._tests, settled)
                found.update((f"{file.module}.{name}", told) for name, told in known if "." not in name)
                # While the tree is at hand: most files name no constant, and what is off in them is known.
                self._spans(file, constants)
            new = {name for name in found if name not in constants}
            constants.update(found)
            words = [_last_word(name) for name in new]
            fresh = [f for f in self._files.values() if any(word in f.text for word in words)] if new else []
            files.update((file.path, file) for file in fresh)
        return constants, list(files.values())

    def _spans(self, file: SourceFile, constants: Mapping[str, bool]) -> Sequence[Span]:
        """Return what of a file is off by itself, by those constants that it names."""
        named = ((name, told) for name, told in constants.items() if _last_word(name) in file.text)
        return turned_off(file.text, file.module, file.path, self._tests, frozenset(named))

    def _spread(self, off: dict[str, list[Span]]) -> bool:
        """Turn off what only such code reaches; whether that was anything."""
        more = False
        for name in sorted(self._named_in(off)):
            places = self._definitions(name)
            if len(places) != 1:
                continue
            file, definition = places[0]
            span = definition.span
            if any(known.holds(span.start) for known in off.get(file.path, ())):
                continue
            # What upstream knows is asked last: that is a search through all of it.
            if not self._only_off(name, file, span, off) or (definition.is_method and self._knows(name)):
                continue
            off.setdefault(file.path, []).append(span)
            more = True
        return more

    def _named_in(self, off: Mapping[str, Sequence[Span]]) -> set[str]:
        given = ((file.text, tuple(off.get(file.path, ()))) for file in self._files.values())
        return set[str]().union(*(_named_inside(text, spans) for text, spans in given if spans))

    @cached_property
    def _heads(self) -> Mapping[bytes, list[SourceFile]]:
        """By name the files whose text seems to define it, each as often as it does."""
        found: dict[bytes, list[SourceFile]] = defaultdict(list)
        for file in self._files.values():
            for name in _heads(file.text):
                found[name].append(file)
        return found

    def _definitions(self, name: str) -> list[tuple[SourceFile, _Definition]]:
        """The definitions of a name; none where a decorator gets it."""
        # Of most names there are several, which parsing would only say later.
        files = self._heads.get(name.encode(), ())
        file = files[0] if len(files) == 1 else None
        found = [d for d in _definitions_in(file.text) if d.name == name] if file is not None else []
        return [(file, d) for d in found] if file is not None and all(d.plain for d in found) else []

    def _only_off(self, name: str, home: SourceFile, span: Span, off: Mapping[str, Sequence[Span]]) -> bool:
        """Whether a name is used, and only by what is turned off or by the definition itself."""
        used = False
        for file in self._files.values():
            mentioned = not file.is_test and name.encode() in file.text
            for at in _mentions(file.text).get(name, ()) if mentioned else ():
                if file is home and span.holds(at):
                    continue
                if not any(known.holds(at) for known in off.get(file.path, ())):
                    return False
                used = True
        return used


def _last_word(name: str) -> bytes:
    return name.removesuffix("()").removesuffix(" is None").rpartition(".")[2].encode()


def _is_plain(decorator: ast.expr) -> bool:
    return (dotted(decorator.func if isinstance(decorator, ast.Call) else decorator) or "") in _PLAIN


def _defined(body: Iterable[ast.stmt], method: bool) -> Iterator[_Definition]:
    """The functions and classes of a block, also those under conditions and in functions, and the methods in
    the classes."""
    for node in body:
        if isinstance(node, FunctionNode | ast.ClassDef):
            yield _Definition(node.name, span_of([node]), method, all(map(_is_plain, node.decorator_list)))
        if isinstance(node, ast.ClassDef):
            yield from _defined(node.body, True)
        elif isinstance(node, FunctionNode):
            yield from _defined(node.body, False)
        elif isinstance(node, ast.If | ast.Try):
            yield from _defined([*node.body, *node.orelse], method)


# All of these are asked again in each round, and for each state of the upstream and of the backend.
@remembered(2048)
def _heads(source: bytes) -> Sequence[bytes]:
    """The names that a text seems to define, each as often as it does."""
    return [name for head in _HEADS for name in head.findall(source)]


@remembered(512)
def _definitions_in(source: bytes) -> Sequence[_Definition]:
    """The functions, classes and methods of a module."""
    tree = parsed(source)
    return [*_defined(tree.body, False)] if tree is not None else []


@remembered(512)
def _named_inside(source: bytes, spans: Sequence[Span]) -> frozenset[str]:
    """The words of a module that stand in some spans, and may mean a definition."""
    return frozenset(
        name
        for name, places in _mentions(source).items()
        if not (name.startswith("__") and name.endswith("__"))
        and any(span.holds(at) for at in places for span in spans)
    )


@remembered(512)
def _mentions(source: bytes) -> Mapping[str, Sequence[At]]:
    """The words of a module that may mean a definition, with their places; an import alone uses nothing."""
    found: dict[str, list[At]] = defaultdict(list)
    tree = parsed(source)
    for node in every_node(tree) if tree is not None else ():
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name):
                found[name].append((node.lineno, node.col_offset))
            case ast.Constant(value=str(text)):
                for word in re.findall(r"\w+", text):
                    found[word].append((node.lineno, node.col_offset))
    return found
