"""Python that is newer than the one that runs this, as what this one reads: same lines, same expressions.

tree-sitter's grammar finds what is newer, and that is written over in the text: parameters of types fall away
(PEP 695, 696), an alias of a type becomes an assignment, formatted strings that only later versions read and
template strings (PEP 701, 750) become sets of their expressions, and the exceptions of a handler get
parentheses (PEP 758).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from importlib.util import decode_source
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

_OPENING, _CLOSING = ("[", "(", "{"), ("]", ")", "}")


def older(source: bytes) -> str | None:
    """A text that this Python may read instead; None where nothing newer is found."""
    # They take long to import, and few files need them.
    import tree_sitter
    import tree_sitter_python

    try:
        text = decode_source(source).encode()
        tree = tree_sitter.Parser(tree_sitter.Language(tree_sitter_python.language())).parse(text)
        found = _Found(text)
        found.type_parameters(tree.root_node)
        for node in _nodes(tree.root_node):
            found.look(node)
    except (SyntaxError, ValueError, RecursionError):
        return None
    return found.written().decode() if found.edits else None


def parsed(text: str) -> ast.Module:
    """The syntax tree of a text, also of one for a newer Python. Raises what ast.parse raises."""
    try:
        return ast.parse(text)
    except SyntaxError:
        if (instead := older(text.encode())) is None:
            raise
        return ast.parse(instead)


def _nodes(root: Node) -> Iterator[Node]:
    """All nodes from the first to the last."""
    cursor = root.walk()
    while True:
        if cursor.node is not None:
            yield cursor.node
        if cursor.goto_first_child():
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return


class _Found:
    """The replacements in a text: where each one begins and ends, and the new bytes."""

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._chains: set[int] = set()
        self.edits: list[tuple[int, int, bytes]] = []

    def type_parameters(self, root: Node) -> None:
        """Overwrite the type parameters in brackets after the name of a function or class, also where the
        grammar does not know the default of a type."""
        last: list[str] = []
        begin, depth = -1, 0
        for leaf in (node for node in _nodes(root) if not node.child_count):
            if begin >= 0:
                depth += (leaf.type in _OPENING) - (leaf.type in _CLOSING)
                if not depth:
                    self._blank(begin, leaf.end_byte, b"\\")
                    begin = -1
            elif leaf.type == "[" and last[-1:] == ["identifier"] and last[-2:-1] in (["def"], ["class"]):
                begin, depth = leaf.start_byte, 1
            last = [*last[-1:], leaf.type]

    def look(self, node: Node) -> None:
        """Write over what is newer in a node itself."""
        match node.type:
            case "type_alias_statement":
                self._alias(node)
            case "except_clause" | "except_group_clause":
                values = node.children_by_field_name("value")
                if len(values) > 1:
                    self.edits.append((values[0].start_byte - 1, values[0].start_byte, b"("))
                    self.edits.append((values[-1].end_byte, values[-1].end_byte, b")"))
            case "concatenated_string":
                pieces = [child for child in node.children if child.type == "string"]
                self._chains.update(piece.start_byte for piece in pieces)
                self._strings(pieces)
            case "string" if node.start_byte not in self._chains:
                self._strings([node])

    def _alias(self, node: Node) -> None:
        name = next(child for child in _nodes(node) if child.type == "identifier")
        equals = next(child for child in node.children if child.type == "=")
        written = self._text[name.start_byte : name.end_byte]
        rest = _blanked(self._text[node.start_byte : equals.start_byte], b"\\")
        self.edits.append((node.start_byte, equals.start_byte, written + rest[len(written) :]))

    def _strings(self, pieces: Sequence[Node]) -> None:
        """Write over strings that stand side by side, if this Python does not read one of them."""
        newer = [self._is_newer(piece) for piece in pieces]
        begun = False
        for piece in pieces if any(newer) else ():
            opening = piece.children[0] if piece.children else piece
            if any(child.type == "interpolation" for child in piece.children) or "t" in self._prefix(piece):
                mark = b"+{" if piece is not pieces[0] else b"{"
                self.edits.append(
                    (piece.start_byte, opening.end_byte, mark.ljust(opening.end_byte - piece.start_byte))
                )
                closing = piece.children[-1]
                self._inside(piece.children[1:-1], opening.end_byte, closing.start_byte)
                width = closing.end_byte - closing.start_byte
                self.edits.append((closing.start_byte, closing.end_byte, b"}".ljust(width)))
                begun = True
            elif begun:
                self._blank(piece.start_byte, piece.end_byte)

    def _prefix(self, piece: Node) -> str:
        start = self._text[piece.start_byte : piece.start_byte + 3].decode("ascii", "replace")
        return re.split("['\"]", start)[0].lower()

    def _is_newer(self, piece: Node) -> bool:
        prefix = self._prefix(piece)
        if "f" not in prefix:
            return "t" in prefix
        try:
            ast.parse(b"(%s)" % self._text[piece.start_byte : piece.end_byte])
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return True
        return False

    def _inside(self, parts: Sequence[Node], begin: int, end: int) -> None:
        """Leave of a string's inside the expressions alone, each with a comma behind it."""
        at = begin
        for part in parts:
            expression = part.child_by_field_name("expression")
            if part.type not in ("interpolation", "format_expression") or expression is None:
                continue
            after = [c for c in part.children if c.start_byte >= expression.end_byte and c.type != "comment"]
            tail = after[0].start_byte
            self._blank(at, part.start_byte + 1)
            self.edits.append((tail, tail + 1, b","))
            inner = [
                grand for child in after for grand in child.children if grand.type == "format_expression"
            ]
            self._inside(inner, tail + 1, part.end_byte)
            at = part.end_byte
        self._blank(at, end)

    def _blank(self, begin: int, end: int, before_line: bytes = b"") -> None:
        if begin < end:
            self.edits.append((begin, end, _blanked(self._text[begin:end], before_line)))

    def written(self) -> bytes:
        """The text with all that is written over."""
        pieces: list[bytes] = []
        at = 0
        for begin, end, text in sorted(self.edits):
            pieces += (self._text[at:begin], text)
            at = end
        return b"".join([*pieces, self._text[at:]])


def _blanked(text: bytes, before_line: bytes = b"") -> bytes:
    """White space for a text, on as many lines; ``before_line`` joins these where nothing else does."""
    return re.sub(rb"[^\n]", b" ", text).replace(b"\n", before_line + b"\n")
