"""The symbol table of one module: what static parsing can tell of its interface.

A table depends on the text of the file alone (never on its path), so that it can be cached by blob id.
Expressions are kept as normalised source text (``ast.unparse``); relative imports keep their level and
are resolved by the tree, which knows the path.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter. ``kind`` is one of ``pos`` (positional only), ``any``, ``key`` (keyword only),
    ``*`` and ``**``; ``default`` and ``annotation`` are source text or None."""

    name: str
    kind: str
    default: str | None = None
    annotation: str | None = None

    @property
    def required(self) -> bool:
        """Whether a caller has to pass it."""
        return self.default is None and self.kind in ("pos", "any", "key")


@dataclass(frozen=True, slots=True)
class Function:
    """A function or method. ``guards`` are the conditions it is defined under, outermost first.

    ``body`` is a fingerprint of the normalised body (docstring, comments and layout do not count);
    ``returns_shape`` lists the distinct shapes of its return statements, for example ``tuple[3]``,
    ``call:Foo``, ``none``; ``abstract`` means decorated abstract; ``unimplemented`` means that the body
    only raises NotImplementedError.
    """

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
    returns_shape: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Attribute:
    """A variable of a module, class or instance. ``origin`` is ``""`` for one in the module or class
    body, else the method that assigns it on ``self``; ``value`` is the source text, cut at 200
    characters; ``guards`` as in Function."""

    name: str
    line: int
    annotation: str | None = None
    value: str | None = None
    origin: str = ""
    guards: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Class:
    """A class; ``bases`` and ``decorators`` as written; ``keywords`` such as ``metaclass=ABCMeta``."""

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


@dataclass(frozen=True, slots=True)
class Import:
    """One imported name. ``from a.b import c as d`` is ``module='a.b', name='c', local='d'``;
    ``import a.b`` is ``module='a.b', name=None, local='a'``; ``import a.b as c`` has ``local='c'``;
    a star import has ``name='*'``. ``level`` counts leading dots. ``scope`` is the function or class it
    stands in, ``""`` at module level."""

    module: str
    name: str | None
    local: str
    level: int
    line: int
    scope: str = ""
    guards: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Call:
    """One call as written: ``callee`` is the dotted text (``self.runner.execute``; ``?.execute`` where
    the receiver is not a plain name), ``positional`` counts plain positional arguments, ``keywords`` the
    names passed, ``starred`` tells whether ``*args`` or ``**kwargs`` are passed too."""

    callee: str
    line: int
    positional: int
    keywords: tuple[str, ...]
    starred: bool
    scope: str


@dataclass(frozen=True, slots=True)
class ModuleTable:
    """All that is kept of one module. ``problem`` is set where the file could not be parsed."""

    imports: tuple[Import, ...] = ()
    functions: tuple[Function, ...] = ()
    classes: tuple[Class, ...] = ()
    variables: tuple[Attribute, ...] = ()
    calls: tuple[Call, ...] = ()
    exports: tuple[str, ...] | None = None
    strings: tuple[str, ...] = ()
    dynamic: bool = False
    problem: str | None = None
    names_used: dict[str, int] = field(default_factory=dict)
