"""The configuration tells of an upstream what its sources do not: data, so that code names no symbol."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SiblingRule:
    """The method of that name in classes derived from ``base`` is called as the methods ``follows`` are."""

    base: str
    method: str
    follows: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Registrar:
    """A function, known by its last part, that registers an operator of ``namespace``, unless it is given
    another library; ``name`` and ``implementation`` are its parameters."""

    function: str
    namespace: str
    name: str
    implementation: str
    name_position: int = 0
    implementation_position: int = 1


@dataclass(frozen=True, slots=True)
class SchemaFile:
    """A YAML file whose ``sections`` declare operators of ``namespace``, also functions of ``modules``."""

    file: str
    namespace: str
    sections: tuple[str, ...]
    modules: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Knowledge:
    """``siblings`` are methods with the contract of others; ``device_apis`` prefixes of functions that the
    device may lack; ``kernel_decorators`` make a kernel, launched as ``kernel[grid](…)``; ``schemas`` declare
    operators; ``gate`` is the project's own test of a ``{version}``."""

    siblings: tuple[SiblingRule, ...] = ()
    device_apis: tuple[str, ...] = ()
    registrars: tuple[Registrar, ...] = ()
    kernel_decorators: tuple[str, ...] = ("triton.jit", "jit")
    schemas: tuple[SchemaFile, ...] = ()
    gate: str | None = None


NOTHING = Knowledge()
