"""Upstream added an abstract method to a class that the backend derives from."""

from __future__ import annotations

import ast
import json
from functools import cached_property

from pydantic import Field, model_validator

from syncbot.patching import lazy_libcst as cst
from syncbot.patching.argument_types import Dotted, Name, statements
from syncbot.patching.class_rules import ClassRule, Family, last_names
from syncbot.patching.errors import CannotRewrite
from syncbot.patching.node_text import unparametrised
from syncbot.patching.registry import Mirror, rule
from syncbot.patching.source import Edits, Source


@rule(
    "abstract_method_added",
    mirror=Mirror(
        "abstract_method_removed",
        reason="Upstream no longer wants a method of the classes that derive from one of its own.",
        does="Take the stub of a method away; a method that does something stays. Backward adds the stub.",
    ),
)
class AbstractMethodAdded(ClassRule):
    """Define the method in subclasses that lack it: a stub that raises and says what upstream changed.

    The class can be made again; whoever needs the method is told. Backward takes the stub away.
    """

    method: Name
    parameters: str = Field(default="self", description="source text", examples=["self, x, *, y=None"])
    decorator: Dotted | None = Field(default=None, description="property, classmethod or staticmethod")
    message: str = Field(description="the upstream change, in one line")
    indent: str = Field(
        default="    ", pattern=r"^[ \t]+$", description="one level of indentation in the stub"
    )

    @model_validator(mode="after")
    def _is_valid(self) -> AbstractMethodAdded:
        body = statements(self.stub(), "no method can be made of this")
        stub = body[0] if len(body) == 1 else None
        if not isinstance(stub, ast.FunctionDef) or not isinstance(stub.body[0], ast.Raise):
            raise ValueError("no method can be made of this: parameters hold more than parameters")
        return self

    def stub(self) -> str:
        """Return the text of the stub."""
        head = f"@{self.decorator}\n" if self.decorator else ""
        raised = json.dumps(self.message, ensure_ascii=False)
        return (
            f"{head}def {self.method}({self.parameters}):\n{self.indent}raise NotImplementedError({raised})\n"
        )

    def needles(self, forward: bool) -> tuple[str, ...]:
        """Only files with classes, or with the stub."""
        return ("class ",) if forward else (f"def {self.method}", "NotImplementedError")

    def names(self) -> tuple[str, ...]:
        """Only files that name the class, one of its aliases, or one of the backend's own."""
        return last_names(self.base, *self.aliases, *self.classes)

    def forward(self, source: Source) -> str:
        """Add the stub."""
        edits, family = Edits(), self.family(source)
        having = {owner for owner, _ in family.methods(self.method)}
        for node in family.members:
            if node in having or self._inherits(source, family, node, having):
                continue
            if not isinstance(node.body, cst.IndentedBlock):
                raise CannotRewrite(f"{source.path}: class {node.name.value} has its body on its first line")
            edits.change(node.body, lambda b: b.with_changes(body=[*b.body, self._node.deep_clone()]))
        return self._finish(source, edits, "needs")

    def backward(self, source: Source) -> str:
        """Take the stub away."""
        edits = Edits()
        wanted = ast.dump(ast.parse(self.stub()).body[0])
        for _, function in self.family(source).methods(self.method):
            text = cst.Module([function.with_changes(leading_lines=())]).code
            if ast.dump(ast.parse(text).body[0]) == wanted:
                edits.replace(function, cst.RemoveFromParent())
        return self._finish(source, edits, "has the stub of")

    def _inherits(
        self, source: Source, family: Family, node: cst.ClassDef, having: set[cst.ClassDef]
    ) -> bool:
        """Whether another class gives it the method, or gets the stub in its place."""
        bases = [unparametrised(base.value) for base in node.bases]
        if any(source.qualified(base) & set(self.classes) for base in bases):
            return True
        names = {base.value for base in bases if isinstance(base, cst.Name)}
        return any(other is not node and other.name.value in names for other in {*family.members, *having})

    @cached_property
    def _node(self) -> cst.BaseCompoundStatement:
        statement = cst.parse_module(self.stub()).body[0]
        assert isinstance(statement, cst.FunctionDef)
        return statement.with_changes(leading_lines=[cst.EmptyLine(indent=False)])

    def _finish(self, source: Source, edits: Edits, what: str) -> str:
        return source.rewritten(edits, f"no class {what} {self.base}.{self.method}")
