"""The value of a dotted name inside a function of which only the interface is known."""

from __future__ import annotations

from syncbot.api.expressions import expression
from syncbot.api.model import Function
from syncbot.contracts.inference.expressions import Inference
from syncbot.contracts.inference.values import Value


def in_method(inference: Inference, module: str, scope: str, written: str) -> Value | None:
    """Return what a dotted name is in a method of a module (``Class.method``)."""
    owner, _, method = scope.rpartition(".")
    class_ = inference.universe.local(module, owner) if owner else None
    node = expression(written)
    if class_ is None or class_.kind != "class" or node is None:
        return None
    functions = [n for n in inference.universe.defined(class_, method) if isinstance(n, Function)]
    return inference.infer(node, inference.method_scope(module, class_, functions[-1])) if functions else None


def named_in(inference: Inference, module: str, scope: str, written: str) -> Value | None:
    """Return what a dotted name is in a method, or, as far as it begins with a parameter, in another
    function."""
    return in_method(inference, module, scope, written) or _of_parameter(inference, module, scope, written)


def _of_parameter(inference: Inference, module: str, scope: str, written: str) -> Value | None:
    around = inference.universe.local(module, scope) if scope else None
    if around is None or around.kind != "function" or around.module != module:
        return None
    function, node = around.functions[-1], expression(written)
    if node is None or all(p.name != written.partition(".")[0] for p in function.parameters):
        return None
    return inference.infer(node, inference.parameter_scope(module, function))
