"""Operators registered with torch: calls of them, and implementations of the backend's own."""

from __future__ import annotations

from syncbot.contracts.configured_facts import Knowledge, Registrar
from syncbot.contracts.operators.registrations import operators, schema_parameters

KNOWLEDGE = Knowledge(registrars=(Registrar("lib.tools.register_op", "lib", "op_name", "op_func"),))


def test_the_library_that_a_registration_names_outweighs_the_namespace() -> None:
    text = 'L = Library("mine", "FRAGMENT")\nregister_op("pad", lambda x: x, target_lib=L)\n'
    (found,) = operators(text.encode(), KNOWLEDGE.registrars)
    assert (found.name, [p.name for p in found.parameters or ()]) == ("mine::pad", ["x"])


def test_a_schemas_parameters() -> None:
    taken = schema_parameters("f(Tensor(a!) x, int[2] size=[1, 1], *, float? eps=None) -> (Tensor, Tensor)")
    assert [(p.name, p.kind, p.default) for p in taken] == [
        ("x", "any", None),
        ("size", "any", "[1, 1]"),
        ("eps", "key", "None"),
    ]
