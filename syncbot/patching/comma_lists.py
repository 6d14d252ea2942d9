"""Insert into and remove from comma-separated nodes. Separators take the style of their neighbours, and
removing what was just inserted gives the same bytes back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from syncbot.patching import lazy_libcst as cst


def insert(items: Sequence[Any], at: int, new: Any, opening: cst.BaseParenthesizableWhitespace) -> list[Any]:
    """Return the items with ``new`` at index ``at``; ``opening`` is the whitespace before the first."""
    result = list(items)
    if not result:
        return [new]
    separator = _separator(result, opening)
    if at < len(result):
        result.insert(at, new.with_changes(comma=separator))
        return result
    last = result[-1]
    result[-1] = _without_tail(last).with_changes(comma=_with_comment_of(separator, last.comma))
    new = _take_tail(new, last)
    if isinstance(new.comma, cst.Comma):
        new = new.with_changes(comma=_with_comment_of(new.comma, separator))
    result.append(new)
    return result


def remove(items: Sequence[Any], at: int) -> list[Any]:
    """Return the items without the one at index ``at``; a comment behind another item stays with it."""
    result = list(items)
    gone = result.pop(at)
    if result and at == len(result):
        last = result[-1]
        result[-1] = _take_tail(last, gone)
        if isinstance(gone.comma, cst.Comma):
            result[-1] = result[-1].with_changes(comma=_with_comment_of(gone.comma, last.comma))
        elif comment(last) is not None:
            result[-1] = _with_line_end_of(result[-1], last.comma.whitespace_after)
    return result


def comment(item: Any) -> cst.Comment | None:
    """Return the comment at the end of the item's line, where the item ends one."""
    after = item.comma.whitespace_after if isinstance(item.comma, cst.Comma) else None
    return after.first_line.comment if isinstance(after, cst.ParenthesizedWhitespace) else None


def _with_comment_of(comma: cst.Comma, other: Any) -> cst.Comma:
    """The comma with the rest of the line that stands behind the other one, if both end their line."""
    after = comma.whitespace_after
    theirs = other.whitespace_after if isinstance(other, cst.Comma) else None
    if not isinstance(after, cst.ParenthesizedWhitespace) or not isinstance(
        theirs, cst.ParenthesizedWhitespace
    ):
        return comma
    return comma.with_changes(whitespace_after=after.with_changes(first_line=theirs.first_line))


def _with_line_end_of(item: Any, after: cst.ParenthesizedWhitespace) -> Any:
    """The last item with the rest of the line, comment and all, that stood behind its comma."""
    field = _tail_field(item)
    if field is None:
        return item.with_changes(comma=cst.Comma(whitespace_after=after))
    tail = getattr(item, field)
    if isinstance(tail, cst.ParenthesizedWhitespace):
        after = tail.with_changes(first_line=after.first_line)
    spaces = after.first_line.whitespace
    if not spaces.value:
        line = after.first_line.with_changes(whitespace=cst.SimpleWhitespace("  "))
        after = after.with_changes(first_line=line)
    return item.with_changes(**{field: after})


def _separator(items: Sequence[Any], opening: cst.BaseParenthesizableWhitespace) -> cst.Comma:
    for item in items[:-1]:
        if isinstance(item.comma, cst.Comma):
            return item.comma.with_changes(whitespace_after=_plain(item.comma.whitespace_after))
    if isinstance(opening, cst.ParenthesizedWhitespace):
        return cst.Comma(whitespace_after=_plain(opening))
    return cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))


def _plain(whitespace: cst.BaseParenthesizableWhitespace) -> cst.BaseParenthesizableWhitespace:
    """The whitespace without comments and empty lines: those belong to the neighbour it was taken from."""
    if not isinstance(whitespace, cst.ParenthesizedWhitespace):
        return whitespace
    return cst.ParenthesizedWhitespace(indent=whitespace.indent, last_line=whitespace.last_line)


def _tail_field(item: Any) -> str | None:
    if isinstance(item, cst.Param):
        return "whitespace_after_param"
    return "whitespace_after_arg" if isinstance(item, cst.Arg) else None


def _take_tail(item: Any, last: Any) -> Any:
    changes: dict[str, Any] = {"comma": last.comma}
    field, theirs = _tail_field(item), _tail_field(last)
    if field is not None and theirs is not None:
        changes[field] = getattr(last, theirs)
    return item.with_changes(**changes)


def _without_tail(item: Any) -> Any:
    field = _tail_field(item)
    return item if field is None else item.with_changes(**{field: cst.SimpleWhitespace("")})
