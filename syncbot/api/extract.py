"""Source text to the interface table of a module. Nothing is imported or executed."""

from __future__ import annotations

import ast
import hashlib
import re
import warnings
from collections.abc import Iterable, Sequence
from functools import lru_cache

from syncbot.api import former_names
from syncbot.api.expressions import FunctionNode, condition_text, dotted, text, written
from syncbot.api.function_results import body_facts, only_raises
from syncbot.api.grafting_classes import grafts
from syncbot.api.local_values import LocalValues
from syncbot.api.model import Attribute, Class, Function, Import, ModuleTable, Parameter
from syncbot.api.named_tuples import BASE, fields_of, named_tuple
from syncbot.api.newer_syntax import older
from syncbot.limits import Limits, beyond, reason

_VALUE_LIMIT = 200
_ABSTRACT = ("abstractmethod", "abstractproperty", "abstractclassmethod", "abstractstaticmethod")
_REGISTERING = ("register_buffer", "register_parameter", "add_module", "register_module")
# Functions that set an attribute whose name they are given, as ``setattr`` does.
_SETTING = re.compile(r"_*(?:set|replace|register|add|assign|update|init)(?:attr|_|$)")
_HALF_A_CHARACTER = re.compile(rb"\\u[dD][89a-fA-F]|\\U0000[dD][89a-fA-F]")
_COMMENT = re.compile(rb"#[^\n'\"]*$", re.MULTILINE)
_LINE_OF_COMMENT = re.compile(rb"^[ \t]*#.*$", re.MULTILINE)


@lru_cache(maxsize=2)
def parse(source: bytes) -> ast.Module:
    """The syntax tree of a module, to be read only; the last two stay. Raises what ast.parse raises."""
    return syntax_tree(source)


def syntax_tree(source: bytes) -> ast.Module:
    """The syntax tree of a text, also of one for a newer or an older Python. Raises what ast.parse raises."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            tree = ast.parse(source)
        except SyntaxError:
            other = _other_python(source)
            if other is None:
                raise
            tree = other
    if _HALF_A_CHARACTER.search(source):
        _without_halves(tree)
    return tree


def _other_python(source: bytes) -> ast.Module | None:
    instead = older(source)
    try:
        return former_names.parsed(source) if instead is None else ast.parse(instead)
    except SyntaxError:
        return None


def _without_halves(tree: ast.Module) -> None:
    """Write the halves of characters in a tree's strings as escapes: else nothing of them could be kept."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            node.value = node.value.encode("utf-8", "backslashreplace").decode()


def parsed(source: bytes | None) -> ast.Module | None:
    """As :func:`parse`, None for what cannot be parsed or is not there."""
    try:
        return parse(source) if source is not None else None
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


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
    """The interface of a function that stands inside another one of a text; None with too many parameters."""
    try:
        return _Extractor(source, Limits().parameters).function(node, ())
    except _TooManyParameters:
        return None


def parameters(arguments: ast.arguments) -> tuple[Parameter, ...]:
    """The parameters of a function in the order of its signature."""
    found: list[Parameter] = []
    plain = [(a, "pos") for a in arguments.posonlyargs] + [(a, "any") for a in arguments.args]
    first_default = len(plain) - len(arguments.defaults)
    for index, (argument, kind) in enumerate(plain):
        default = arguments.defaults[index - first_default] if index >= first_default else None
        found.append(Parameter(argument.arg, kind, text(default), text(argument.annotation)))
    if arguments.vararg:
        found.append(Parameter(arguments.vararg.arg, "*", None, text(arguments.vararg.annotation)))
    for argument, keyword_default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        found.append(Parameter(argument.arg, "key", text(keyword_default), text(argument.annotation)))
    if arguments.kwarg:
        found.append(Parameter(arguments.kwarg.arg, "**", None, text(arguments.kwarg.annotation)))
    return tuple(found)


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

    def module(self, tree: ast.Module) -> ModuleTable:
        scope = _Scope()
        self.statements(tree.body, (), scope)
        return ModuleTable(
            imports=tuple(scope.imports),
            functions=tuple(scope.functions),
            classes=tuple(scope.classes),
            variables=tuple(scope.attributes),
            exports=scope.exports,
            given=tuple(scope.given),
            dynamic=scope.dynamic or any(f.name == "__getattr__" for f in scope.functions),
        )

    def statements(self, body: Sequence[ast.stmt], guards: tuple[str, ...], scope: _Scope) -> None:
        for node in body:
            match node:
                case ast.FunctionDef() | ast.AsyncFunctionDef():
                    scope.functions.append(self.function(node, guards))
                case ast.ClassDef():
                    scope.classes.append(self.class_(node, guards))
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
                for inner in ast.walk(node.test):
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
                shown = text(value)
                scope.attributes.append(
                    Attribute(name, line, text(annotation), shown and shown[:_VALUE_LIMIT], "", guards)
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
            shown = text(value)
            scope.given.append(Attribute(target, line, None, shown and shown[:_VALUE_LIMIT], "", guards))
        return given

    def class_(self, node: ast.ClassDef, guards: tuple[str, ...]) -> Class:
        scope = _Scope()
        self.statements(node.body, (), scope)
        attributes = list(scope.attributes)
        for method in _methods(node.body):
            attributes.extend(instance_attributes(method))
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
        )

    def function(self, node: FunctionNode, guards: tuple[str, ...]) -> Function:
        signature = parameters(node.args)
        if len(signature) > self.most:
            told = f"line {node.lineno}: {node.name} takes {len(signature):,} parameters"
            raise _TooManyParameters(reason(beyond(told, "parameters", self.most)))
        decorators = tuple(written(d) for d in node.decorator_list)
        facts = body_facts(node.body)
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
            result=facts.result if node.returns is None else "",
        )

    def fingerprint(self, body: Sequence[ast.stmt]) -> str:
        source = b"".join(self.lines[body[0].lineno - 1 : body[-1].end_lineno]) if body else b""
        if b"#" in source:
            # A line inside a string may look like a comment, if the string has several lines.
            if b'"""' not in source and b"'''" not in source:
                source = _LINE_OF_COMMENT.sub(b"", source)
            source = _COMMENT.sub(b"", source)
        return body_fingerprint(b"".join(source.split()))


class _Scope:
    """What one module or class body defines, in the making."""

    def __init__(self) -> None:
        self.imports: list[Import] = []
        self.functions: list[Function] = []
        self.classes: list[Class] = []
        self.attributes: list[Attribute] = []
        self.given: list[Attribute] = []
        self.exports: tuple[str, ...] | None = None
        self.dynamic = False


def branches(node: ast.stmt) -> Iterable[tuple[Sequence[ast.stmt], tuple[str, ...]]]:
    """The inner bodies of a compound statement that is no definition, each with its guard: ``if TEST``,
    ``else TEST``, ``try EXCEPTIONS`` or ``except EXCEPTIONS``; loops and ``with`` add none."""
    match node:
        case ast.If():
            test = condition_text(node.test)
            yield node.body, (f"if {test}",)
            yield node.orelse, (f"else {test}",)
        case ast.Try() | ast.TryStar():
            caught = ",".join(written(h.type) if h.type else "BaseException" for h in node.handlers)
            yield node.body, ((f"try {caught}",) if caught else ())
            for handler in node.handlers:
                kind = written(handler.type) if handler.type else "BaseException"
                yield handler.body, (f"except {kind}",)
            yield node.orelse, ()
            yield node.finalbody, ()
        case ast.Match():
            for case in node.cases:
                yield case.body, (f"if {written(node.subject)} is {written(case.pattern)}",)
        case ast.For() | ast.AsyncFor() | ast.While():
            yield node.body, ()
            yield node.orelse, ()
        case ast.With() | ast.AsyncWith():
            yield node.body, ()


def imported(node: ast.Import | ast.ImportFrom, scope: str, guards: tuple[str, ...] = ()) -> Iterable[Import]:
    """One Import for each name that an import statement binds."""
    for alias in node.names:
        if isinstance(node, ast.Import):
            local = alias.asname or alias.name.partition(".")[0]
            yield Import(alias.name, None, local, 0, node.lineno, scope, guards)
        else:
            local = alias.asname or alias.name
            yield Import(node.module or "", alias.name, local, node.level, node.lineno, scope, guards)


def instance_attributes(method: FunctionNode) -> Iterable[Attribute]:
    """The attributes that a method assigns on its first parameter, with the conditions around each."""
    arguments = [*method.args.posonlyargs, *method.args.args]
    if not arguments or any(
        (dotted(d) or "").rpartition(".")[2] == "staticmethod" for d in method.decorator_list
    ):
        return
    receiver = arguments[0].arg
    known = LocalValues(method)
    yield from _assigned_on(receiver, method.body, method.name, (), known)


def _assigned_on(
    receiver: str, body: Sequence[ast.stmt], origin: str, guards: tuple[str, ...], known: LocalValues
) -> Iterable[Attribute]:
    for node in body:
        targets: list[tuple[ast.expr, ast.expr | None, ast.expr | None]] = []
        match node:
            case ast.Assign():
                targets = [(t, node.value, None) for t in node.targets]
            case ast.AnnAssign():
                targets = [(node.target, node.value, node.annotation)]
            case ast.For() | ast.AsyncFor():
                targets = [(node.target, None, None)]
            case ast.With() | ast.AsyncWith():
                targets = [(i.optional_vars, None, None) for i in node.items if i.optional_vars]
            case ast.Expr(
                value=ast.Call(
                    func=ast.Attribute(value=ast.Name(id=name), attr=attr),
                    args=[ast.Constant(value=str(registered)), *_],
                )
            ) if name == receiver and attr in _REGISTERING:
                yield Attribute(registered, node.lineno, None, None, origin, guards)
            case ast.Expr(
                value=ast.Call(func=func, args=[ast.Name(id=name), ast.Constant(value=str(given)), *_])
            ) if name == receiver and given.isidentifier() and _SETTING.match(_last(func)):
                yield Attribute(given, node.lineno, None, None, origin, guards)
        for target, value, annotation in targets:
            for name in _names_on(receiver, target):
                shown = text(known.meant(value)) if isinstance(target, ast.Attribute) else None
                yield Attribute(
                    name, node.lineno, text(annotation), shown and shown[:_VALUE_LIMIT], origin, guards
                )
        for inner, condition in branches(node):
            yield from _assigned_on(receiver, inner, origin, guards + condition, known)


def _last(func: ast.expr) -> str:
    return (dotted(func) or "").rpartition(".")[2]


def _names_on(receiver: str, target: ast.expr) -> Iterable[str]:
    match target:
        case ast.Attribute(value=ast.Name(id=name), attr=attribute) if name == receiver:
            yield attribute
        case ast.Tuple(elts=elements) | ast.List(elts=elements):
            for element in elements:
                yield from _names_on(receiver, element)
        case ast.Starred(value=inner):
            yield from _names_on(receiver, inner)


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
