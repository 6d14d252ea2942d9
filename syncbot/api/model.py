"""The symbol table of one module: what static parsing can tell of its interface.

A table depends on the text of the file alone (never on its path), so that it can be cached by blob id.
Expressions are kept as normalised source text (``ast.unparse``); relative imports keep their level and
are resolved by the tree, which knows the path.
"""

from __future__ import annotations

from dataclasses import dataclass


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

    ``body`` is a fingerprint of the text of the body without comments, docstring and white space: equal
    fingerprints mean equal bodies, unequal ones only that somebody has to look. ``returned`` lists the
    distinct shapes of its return statements: ``tuple[3]``, ``list``, ``none``, ``call Foo`` or ``value``.
    ``abstract`` means decorated abstract; ``unimplemented`` that it only raises NotImplementedError.
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
    returned: tuple[str, ...] = ()


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
class ModuleTable:
    """The interface of one module.

    ``exports`` is a literal ``__all__``; ``dynamic`` tells that names may appear at run time
    (a module ``__getattr__``, ``globals().update``, an entry of ``sys.modules`` replaced);
    ``problem`` says why the text could not be parsed, and then nothing else is known.
    """

    imports: tuple[Import, ...] = ()
    functions: tuple[Function, ...] = ()
    classes: tuple[Class, ...] = ()
    variables: tuple[Attribute, ...] = ()
    exports: tuple[str, ...] | None = None
    dynamic: bool = False
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class Call:
    """One call as written: ``callee`` is the dotted text (``self.runner.execute``; ``?.execute`` where
    the receiver is not a plain name), ``positional`` counts plain positional arguments, ``keywords`` the
    names passed, ``starred`` tells whether ``*args`` or ``**kwargs`` are passed too. ``scope`` is the
    qualified name of the function around it."""

    callee: str
    line: int
    positional: int
    keywords: tuple[str, ...]
    starred: bool
    scope: str


@dataclass(frozen=True, slots=True)
class UsageTable:
    """What one module uses: its calls, and the attribute chains it reads."""

    calls: tuple[Call, ...] = ()
    chains: tuple[str, ...] = ()
    problem: str | None = None
