"""Names that are gone, and that only annotations of ours say: nothing that runs misses them. Of a union the
other types stay; what was annotated with the name alone is annotated no more. Annotations that somebody may
read when the program runs are left alone: those of variables, and of decorated functions."""

from __future__ import annotations

import ast
import copy

from syncbot.api.every_node import every_node
from syncbot.contracts.changes import ChangeKind
from syncbot.impact.model import Impact, Location
from syncbot.patching.registry import Rule
from syncbot.patching.rewrites.replace_statement import ReplaceStatement
from syncbot.planning.accompanying_statements import without_statement
from syncbot.planning.answer_registry import Phase, place_answerer
from syncbot.planning.answers.upstream_importers import imports_gone
from syncbot.planning.function_facts import names
from syncbot.planning.model import Answer, Reply
from syncbot.planning.planning_context import PlanningContext
from syncbot.planning.syntax_file import Routine, SyntaxFile

_PLAIN = ("staticmethod", "classmethod", "property", "abstractmethod", "override")


@place_answerer(Phase.SUBSTITUTE, (ChangeKind.SYMBOL_REMOVED, ChangeKind.MODULE_REMOVED), "import")
def without_annotation(impact: Impact, place: Location, context: PlanningContext) -> Reply:
    """Each import without the name, and the heads of methods that were annotated with it."""
    syntax = context.syntax(place.file)
    found = [n for n in context.nodes(place.file) if isinstance(n, ast.ImportFrom) and n.lineno == place.line]
    gone = {contract.name for contract in imports_gone(impact, place, context)}
    if syntax is None or len(found) != 1 or not gone or found[0] not in syntax.tree.body:
        return None
    lost = {a.asname or a.name for a in found[0].names if a.name in gone}
    heads = _heads(lost, found[0], syntax)
    taken = _without(found[0], gone, place.file, syntax)
    if heads is None or taken is None:
        return None
    return Answer((taken, *(_rewritten(head, lost, place.file, syntax) for head in heads)))


def _heads(lost: set[str], imported: ast.ImportFrom, syntax: SyntaxFile) -> list[Routine] | None:
    """The methods in whose heads alone a file says some names; None where it says them elsewhere."""
    methods = [n for n in every_node(syntax.tree) if isinstance(n, Routine) and _is_plain(n, syntax)]
    annotated = {id(n): m for m in methods for a in _annotations(m) for n in every_node(a)}
    heads: dict[int, Routine] = {}
    for node in every_node(syntax.tree):
        match node:
            case ast.Name(id=name) if name in lost:
                pass
            case ast.Constant(value=str(text)) if any(name in text for name in lost):
                if id(node) not in annotated and text not in lost:
                    continue  # Prose, such as a docstring.
                return None
            case ast.alias(name=original, asname=local) if node not in imported.names:
                if (local or original) not in lost:
                    continue
                return None
            case _:
                continue
        if id(node) not in annotated:
            return None
        heads[id(annotated[id(node)])] = annotated[id(node)]
    return list(heads.values())


def _is_plain(routine: Routine, syntax: SyntaxFile) -> bool:
    """Whether a function is a method that nobody but its class keeps."""
    decorators = {ast.unparse(d).rpartition(".")[2] for d in routine.decorator_list}
    return isinstance(syntax.parents.get(routine), ast.ClassDef) and decorators <= {*_PLAIN}


def _annotations(routine: Routine) -> list[ast.expr]:
    arguments = [n for n in every_node(routine.args) if isinstance(n, ast.arg)]
    return [a for a in (routine.returns, *(n.annotation for n in arguments)) if a is not None]


def _rewritten(routine: Routine, lost: set[str], path: str, syntax: SyntaxFile) -> Rule:
    """The head of a method, up to its first statement, without the names."""
    head = copy.deepcopy(routine)
    head.body, head.decorator_list = head.body[:1], []
    lines = syntax.source(routine).split("\n")
    before = "\n".join(lines[: (routine.body[0].end_lineno or 0) - routine.lineno + 1])
    for argument in (n for n in every_node(head.args) if isinstance(n, ast.arg)):
        argument.annotation = _kept(argument.annotation, lost)
    head.returns = _kept(head.returns, lost)
    return ReplaceStatement(file=path, within=syntax.within(routine), before=before, after=ast.unparse(head))


def _kept(annotation: ast.expr | None, lost: set[str]) -> ast.expr | None:
    """Return an annotation without the union arms that use lost names; None where only ``None`` is left."""
    match annotation:
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            arms = [arm for arm in (_kept(left, lost), _kept(right, lost)) if arm is not None]
            if len(arms) == 2:
                return ast.BinOp(arms[0], ast.BitOr(), arms[1])
            return arms[0] if arms and ast.unparse(arms[0]) != "None" else None
        case None:
            return None
    return None if any(n.id in lost for n in names(annotation)) else annotation


def _without(imported: ast.ImportFrom, gone: set[str | None], path: str, syntax: SyntaxFile) -> Rule | None:
    """The import without some names, or without it where nothing is left of it."""
    before = syntax.source(imported)
    rest = [alias for alias in imported.names if alias.name not in gone]
    if rest:
        after = ast.unparse(ast.ImportFrom(imported.module, rest, imported.level))
        return ReplaceStatement(file=path, before=before, after=after)
    return without_statement(imported, syntax.tree.body, path, syntax)
