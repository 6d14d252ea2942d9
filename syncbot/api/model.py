"""The symbol table of one module: what static parsing can tell of its interface. It depends on the text
alone, never on the path, so that it can be cached by blob id. Expressions are source text (``ast.unparse``);
relative imports keep their level for the tree to resolve."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

#: How a parameter is passed. A decoder keeps each of these texts once.
Passing: TypeAlias = Literal["pos", "any", "key", "*", "**"]


@dataclass(frozen=True, slots=True)
class Parameter:
    """``kind`` is ``pos`` (positional only), ``any``, ``key`` (keyword only), ``*`` or ``**``."""

    name: str
    kind: Passing
    default: str | None = None
    annotation: str | None = None

    @property
    def required(self) -> bool:
        """Whether a caller has to pass it."""
        return self.default is None and self.kind in ("pos", "any", "key")


@dataclass(frozen=True, slots=True)
class Function:
    """A function or method. ``guards`` are the conditions around it, outermost first. ``body`` is a
    fingerprint of the body without comments, docstring and white space: equal fingerprints mean equal bodies.
    ``returned`` lists the shapes of its return statements: ``tuple[3]``, ``list``, ``none``, ``call Foo``,
    ``call super().foo`` or ``value``, for a name that of the tuple which alone is bound to it; without an
    annotation that tells more, ``result`` is the one name or call that all of them give, calls without
    arguments, or a tuple of such (``...`` for others); of a generator a list of what it yields.
    ``abstract`` means decorated so; ``unimplemented``: it only raises NotImplementedError."""

    name: str
    line: int
    end_line: int
    parameters: tuple[Parameter, ...] = ()
    annotation: str | None = None
    decorators: tuple[str, ...] = ()
    guards: tuple[str, ...] = ()
    is_async: bool = False
    is_generator: bool = False
    abstract: bool = False
    unimplemented: bool = False
    body: str = ""
    returned: tuple[str, ...] = ()
    result: str = ""


@dataclass(frozen=True, slots=True)
class Attribute:
    """A variable of a module, class or instance. ``origin`` is the method that assigns it on ``self``, else
    ``""``; ``value`` is source text, cut at 200 characters."""

    name: str
    line: int
    annotation: str | None = None
    value: str | None = None
    origin: str = ""
    guards: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Class:
    """A class; ``bases`` and ``decorators`` as written; ``keywords`` such as ``metaclass=ABCMeta``. It
    ``grafts`` where the members of a class that derives from it as ``C[Target]`` are put into ``Target``;
    ``choices`` are names of methods among which a method of the class chooses one to be called; ``filled`` is
    what its methods put into attributes that are begun as empty containers, an element as the value."""

    name: str
    line: int
    end_line: int
    bases: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    decorators: tuple[str, ...] = ()
    guards: tuple[str, ...] = ()
    functions: tuple[Function, ...] = ()
    attributes: tuple[Attribute, ...] = ()
    classes: tuple[Class, ...] = ()
    grafts: bool = False
    choices: tuple[tuple[str, ...], ...] = ()
    filled: tuple[Attribute, ...] = ()


@dataclass(frozen=True, slots=True)
class Import:
    """One imported name. ``from a.b import c as d`` is ``module='a.b', name='c', local='d'``; ``import a.b``
    has no name and ``local='a'``; a star import has ``name='*'``. ``level`` counts leading dots; ``scope`` is
    the function or class around it."""

    module: str
    name: str | None
    local: str
    level: int
    line: int
    scope: str = ""
    guards: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ModuleTable:
    """The interface of one module. ``exports`` is a literal ``__all__``; ``dynamic``: names may appear at run
    time (``__getattr__``, ``globals().update``, an entry of ``sys.modules``); ``given`` is what is assigned
    onto imported modules and classes, under dotted names; ``problem``: why the text could not be parsed."""

    imports: tuple[Import, ...] = ()
    functions: tuple[Function, ...] = ()
    classes: tuple[Class, ...] = ()
    variables: tuple[Attribute, ...] = ()
    exports: tuple[str, ...] | None = None
    dynamic: bool = False
    problem: str | None = None
    given: tuple[Attribute, ...] = ()


@dataclass(frozen=True, slots=True)
class Call:
    """One call as written. ``callee`` is dotted text, ``?.execute`` where the receiver is not a plain name;
    ``positional`` counts plain arguments; ``starred``: ``*args`` or ``**kwargs`` too; ``scope`` is the
    function around it. One that is not ``direct`` is made by what the callable is handed to with its
    arguments, or under another name that an import gives."""

    callee: str
    line: int
    positional: int
    keywords: tuple[str, ...]
    starred: bool
    scope: str
    direct: bool = True


@dataclass(frozen=True, slots=True)
class UsageTable:
    """The usage of one module: its calls, and the attribute chains it reads."""

    calls: tuple[Call, ...] = ()
    chains: tuple[str, ...] = ()
    problem: str | None = None
