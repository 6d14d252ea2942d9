"""Source text to the interface table of a module. Nothing is imported or executed."""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from syncbot.api.chosen_methods import choices
from syncbot.api.every_node import every_node
from syncbot.api.expressions import FunctionNode, dotted, short_text, text, written
from syncbot.api.filled_containers import filled
from syncbot.api.function_results import body_facts, only_raises
from syncbot.api.grafting_classes import grafts
from syncbot.api.instance_attributes import instance_attributes
from syncbot.api.lazy_names import answers, lazy_imports
from syncbot.api.local_classes import LocalClass, by_table_names, local_classes, local_imports
from syncbot.api.model import Attribute, Class, Function, Import, ModuleTable
from syncbot.api.named_tuples import BASE, fields_of, named_tuple
from syncbot.api.statement_parts import branches, imported, parameters
from syncbot.api.syntax import parse
from syncbot.limits import Limits, beyond, reason

_ABSTRACT = ("abstractmethod", "abstractproperty", "abstractclassmethod", "abstractstaticmethod")
# What annotations say that leave open what is returned.
_TELLING_NOTHING = (None, "Any", "typing.Any", "ModuleType", "types.ModuleType")
_COMMENT = re.compile(rb"#[^\n'\"]*$", re.MULTILINE)
_INNER_IMPORT = re.compile(rb"^[ \t]+(?:import|from)[ \t]", re.MULTILINE)
_INNER_CLASS = re.compile(rb"[ \t]+class[ \t]")
_LINE_OF_COMMENT = re.compile(rb"^[ \t]*#.*$", re.MULTILINE)


def extract(source: bytes, most: int = Limits().parameters) -> ModuleTable:
    """The interface table of a module's text; one that does not parse, was too long to be read or has a
    function of more than ``most`` parameters has a ``problem``."""
    if (problem := reason(source)) is not None:
        return ModuleTable(problem=problem)
    try:
        tree = parse(source)
        return _Extractor(source, most).module(tree)
    except _TooManyParameters as error:
        return ModuleTable(problem=str(error))
    except SyntaxError as error:
        return ModuleTable(problem=f"syntax error in line {error.lineno}: {error.msg}")
    except (ValueError, RecursionError, MemoryError) as error:
        return ModuleTable(problem=f"{type(error).__name__}: {error}")


def function_in(node: FunctionNode, source: bytes) -> Function | None:
    """The interface of a function that stands inside another one of a text; None with too many parameters.
    Without the text its body is like no other, and not empty."""
    try:
        function = _Extractor(source, Limits().parameters).function(node, ())
    except _TooManyParameters:
        return None
    return function if source else replace(function, body="unread")


def body_fingerprint(text: bytes) -> str:
    """The fingerprint of a body that is this text without comments and white space; ``""`` for none."""
    return hashlib.sha1(text, usedforsecurity=False).hexdigest()[:16] if text else ""


class _TooManyParameters(Exception):
    pass


class _Extractor:
    def __init__(self, source: bytes, most: int) -> None:
        self.most = most
        self.lines = source.splitlines(keepends=True)
        self.sets_by_name = b"setattr(" in source
        # Of most files their text tells at once that no class stands in anything.
        lines = self.lines if b" class " in source or b"\tclass " in source else []
        self.class_lines = [at for at, line in enumerate(lines, 1) if _INNER_CLASS.match(line)]
        self.import_lines = list(_lines(source, _INNER_IMPORT))
        self.local_classes: list[LocalClass] = []
        self.local_imports: list[Import] = []

    def module(self, tree: ast.Module) -> ModuleTable:
        scope = _Scope()
        self.statements(tree.body, (), scope)
        local = [_among(self.class_(c.node, c.guards), c.imports) for c in self.local_classes]
        around = dict.fromkeys(item for inner in self.local_classes for item in inner.imports)
        around.update(dict.fromkeys(self.local_imports))
        asked = [s for s in tree.body if isinstance(s, ast.FunctionDef) and s.name == "__getattr__"]
        scope.imports.extend(bound for function in asked for bound in lazy_imports(function))
        return ModuleTable(
            imports=(*scope.imports, *around),
            functions=tuple(scope.functions),
            classes=(*scope.classes, *local),
            variables=tuple(scope.attributes),
            exports=scope.exports,
            given=tuple(scope.given),
            dynamic=scope.dynamic or answers(scope.functions, scope.attributes),
        )

    def statements(self, body: Sequence[ast.stmt], guards: tuple[str, ...], scope: _Scope) -> None:
        for node in body:
            match node:
                case ast.FunctionDef() | ast.AsyncFunctionDef():
                    scope.functions.append(self.function(node, guards))
                    if any(node.lineno < at <= (node.end_lineno or 0) for at in self.class_lines):
                        self.local_classes += local_classes(node, scope.qualname)
                case ast.ClassDef():
                    scope.classes.append(self.class_(node, guards, scope.qualname))
                case ast.Import() | ast.ImportFrom():
                    scope.imports.extend(imported(node, "", guards))
                case ast.Assign(targets=[ast.Name(id=name)]) if made := named_tuple(name, node.value, guards):
                    scope.classes.append(made)
                case ast.Assign():
                    for target in node.targets:
                        self.assigned(target, node.value, None, node.lineno, guards, scope)
                case ast.AnnAssign():
                    self.assigned(node.target, node.value, node.annotation, node.lineno, guards, scope)
                case ast.AugAssign(target=ast.Name(id="__all__")):
                    scope.exports = None
                case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id="__all__")))):
                    scope.exports = None  # append, extend
                case ast.Expr(
                    value=ast.Call(
                        func=ast.Name(id="setattr"), args=[owner, ast.Constant(value=str(name)), value]
                    )
                ) if self.gives(f"{dotted(owner)}.{name}", value, node.lineno, guards, scope):
                    pass
                case ast.Expr(value=ast.Call(func=func)):
                    if dotted(func) in ("globals.update", "setattr") or text(func) == "globals().update":
                        scope.dynamic = True
                case _:
                    self.bound(node, guards, scope)
                    for inner, condition in branches(node):
                        self.statements(inner, guards + condition, scope)

    def bound(self, node: ast.stmt, guards: tuple[str, ...], scope: _Scope) -> None:
        """The names that a compound statement itself binds, and those of named expressions in its test."""
        match node:
            case ast.For() | ast.AsyncFor():
                self.assigned(node.target, None, None, node.lineno, guards, scope)
            case ast.With() | ast.AsyncWith():
                for item in node.items:
                    if item.optional_vars is not None:
                        self.assigned(item.optional_vars, None, None, node.lineno, guards, scope)
            case ast.If() | ast.While():
                for inner in every_node(node.test):
                    if isinstance(inner, ast.NamedExpr):
                        self.assigned(inner.target, inner.value, None, node.lineno, guards, scope)
            case _ if type(node).__name__ == "TypeAlias":  # PEP 695, in Python 3.12 and later
                name, value = getattr(node, "name", None), getattr(node, "value", None)
                if isinstance(name, ast.Name):
                    self.assigned(name, value, None, node.lineno, guards, scope)

    def assigned(
        self,
        target: ast.expr,
        value: ast.expr | None,
        annotation: ast.expr | None,
        line: int,
        guards: tuple[str, ...],
        scope: _Scope,
    ) -> None:
        match target:
            case ast.Name(id=name):
                if name == "__all__":
                    scope.exports = _literal_names(value)
                scope.attributes.append(
                    Attribute(name, line, text(annotation), short_text(value), "", guards)
                )
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                for element in elements:
                    self.assigned(element, None, None, line, guards, scope)
            case ast.Starred(value=inner):
                self.assigned(inner, None, None, line, guards, scope)
            case ast.Subscript(value=container) if dotted(container) == "sys.modules":
                scope.dynamic = True
            case ast.Attribute() if value is not None:
                self.gives(dotted(target) or "", value, line, guards, scope)

    def gives(self, target: str, value: ast.expr, line: int, guards: tuple[str, ...], scope: _Scope) -> bool:
        """Keep what is assigned onto an imported module or class; False for anything else."""
        given = any(item.local == target.partition(".")[0] for item in scope.imports)
        if given:
            scope.given.append(Attribute(target, line, None, short_text(value), "", guards))
        return given

    def class_(self, node: ast.ClassDef, guards: tuple[str, ...], around: tuple[str, ...] = ()) -> Class:
        scope = _Scope((*around, node.name))
        self.statements(node.body, (), scope)
        attributes = list(scope.attributes)
        methods = list(_methods(node.body))
        for method in methods:
            attributes.extend(self.set_in(method, (*around, node.name)))
        source = b"".join(self.lines[node.lineno - 1 : node.end_lineno])
        given, metaclass = _with_metaclass(node.bases)
        bases = [(written(_told_readers(base)), fields_of(base)) for base in given]
        attributes.extend(field for _, fields in bases if fields is not None for field in fields)
        return Class(
            name=node.name,
            line=node.lineno,
            end_line=node.end_lineno or node.lineno,
            bases=tuple(BASE if fields is not None else base for base, fields in bases),
            keywords=(*metaclass, *(f"{k.arg or '**'}={written(k.value)}" for k in node.keywords)),
            decorators=tuple(written(d) for d in node.decorator_list),
            guards=guards,
            functions=tuple(scope.functions),
            attributes=tuple(attributes),
            classes=tuple(scope.classes),
            grafts=self.sets_by_name and grafts(node),
            choices=choices(methods, source),
            filled=filled(attributes, methods, source),
        )

    def set_in(self, method: FunctionNode, around: tuple[str, ...]) -> Iterator[Attribute]:
        """Yield the attributes that a method sets on its object, and keep the imports that they need."""
        found = tuple(instance_attributes(method))
        first, last = method.lineno, method.end_lineno or 0
        if not found or not any(first < at <= last for at in self.import_lines):
            yield from found
            return
        imports = local_imports(method, around)
        renamed = by_table_names(found, imports, {method.name: parameters(method.args)})
        if renamed != found:
            self.local_imports += imports
        yield from renamed

    def function(self, node: FunctionNode, guards: tuple[str, ...]) -> Function:
        signature = parameters(node.args)
        if len(signature) > self.most:
            told = f"line {node.lineno}: {node.name} takes {len(signature):,} parameters"
            raise _TooManyParameters(reason(beyond(told, "parameters", self.most)))
        decorators = tuple(written(d) for d in node.decorator_list)
        facts = body_facts(node.body, {p.name for p in signature})
        body = node.body[1:] if ast.get_docstring(node, clean=False) is not None else node.body
        return Function(
            name=node.name,
            line=node.lineno,
            end_line=node.end_lineno or node.lineno,
            parameters=signature,
            annotation=text(node.returns),
            decorators=decorators,
            guards=guards,
            is_async=isinstance(node, ast.AsyncFunctionDef),
            is_generator=facts.generator,
            abstract=any(d.rpartition(".")[2] in _ABSTRACT for d in decorators),
            unimplemented=only_raises(body),
            body=self.fingerprint(body),
            returned=tuple(sorted(facts.returned)),
            result=facts.result if text(node.returns) in _TELLING_NOTHING else "",
        )

    def fingerprint(self, body: Sequence[ast.stmt]) -> str:
        source = b"".join(self.lines[body[0].lineno - 1 : body[-1].end_lineno]) if body else b""
        if b"#" in source:
            # A line inside a string may look like a comment, if the string has several lines.
            if b'"""' not in source and b"'''" not in source:
                source = _LINE_OF_COMMENT.sub(b"", source)
            source = _COMMENT.sub(b"", source)
        return body_fingerprint(b"".join(source.split()))


def _among(class_: Class, imports: Sequence[Import]) -> Class:
    """A class that stands among some imports of the function around: what its methods set, by their names."""
    taken = {function.name: function.parameters for function in class_.functions}
    return replace(class_, attributes=by_table_names(class_.attributes, imports, taken))


class _Scope:
    """The definitions collected from one module or class body; ``qualname`` is that of the class."""

    def __init__(self, qualname: tuple[str, ...] = ()) -> None:
        self.qualname = qualname
        self.imports: list[Import] = []
        self.functions: list[Function] = []
        self.classes: list[Class] = []
        self.attributes: list[Attribute] = []
        self.given: list[Attribute] = []
        self.exports: tuple[str, ...] | None = None
        self.dynamic = False


def _lines(source: bytes, pattern: re.Pattern[bytes]) -> Iterator[int]:
    """The lines on which a pattern is found, from 1."""
    line, before = 1, 0
    for found in pattern.finditer(source):
        line += source.count(b"\n", before, found.start())
        before = found.start()
        yield line


def _methods(body: Sequence[ast.stmt]) -> Iterable[FunctionNode]:
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node
        elif not isinstance(node, ast.ClassDef):
            for inner, _ in branches(node):
                yield from _methods(inner)


def _literal_names(value: ast.expr | None) -> tuple[str, ...] | None:
    if not isinstance(value, ast.List | ast.Tuple):
        return None
    names = [e.value for e in value.elts if isinstance(e, ast.Constant) and isinstance(e.value, str)]
    return tuple(names) if len(names) == len(value.elts) else None


def _with_metaclass(bases: Sequence[ast.expr]) -> tuple[Sequence[ast.expr], tuple[str, ...]]:
    """The bases of a class, and its metaclass as a keyword, where six's ``with_metaclass`` makes both one."""
    match bases:
        case [ast.Call(func=func, args=[metaclass, *given])] if (dotted(func) or "").endswith(
            "with_metaclass"
        ):
            return given, (f"metaclass={written(metaclass)}",)
    return bases, ()


def _told_readers(base: ast.expr) -> ast.expr:
    """A base as type checkers read it: ``Thing if TYPE_CHECKING else object`` is what it is mixed into."""
    match base:
        case ast.IfExp(test=test, body=value) if (dotted(test) or "").rpartition(".")[2] == "TYPE_CHECKING":
            return value
    return base
