"""The built-in types of what is written out."""

from __future__ import annotations

import ast


def literal_type(node: ast.expr) -> str:
    """The name of the built-in type of what an expression is written as, empty where its form does not
    tell."""
    match node:
        case ast.Constant(value=str() | int() | float() as value):
            return type(value).__name__
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
            return type(-number).__name__
        case ast.Call(func=ast.Name(id="len"), args=[_], keywords=[]):
            return "int"
        case ast.JoinedStr():
            return "str"
        case ast.Dict() | ast.DictComp():
            return "dict"
        case ast.Set() | ast.SetComp():
            return "set"
        case ast.Tuple():
            return "tuple"
        case ast.List() | ast.ListComp():
            return "list"
    return ""
