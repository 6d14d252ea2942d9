"""Methods of upstream that are values now: who reads one of these takes a method for a true one."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from syncbot.api.expressions import expression
from syncbot.api.methods import definition, is_property
from syncbot.api.model import Attribute, Function
from syncbot.api.symbols import Member
from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.grounds import Ground
from syncbot.contracts.model import Contract, Finding

#: What such a method is now, as the subject of a finding.
A_VALUE = "a value"
#: Annotations of values that nobody calls.
_DATA = re.compile(r"(?:builtins\.)?(?:bool|int|float|str|bytes|list|dict|tuple|set)\b.*")


def read_as_value(contract: Contract, ours: Function, before: Member, after: Member) -> Iterator[Finding]:
    """A finding where upstream had a method and has a plain value of that name now, and ours is a method."""
    if is_property(ours) or is_property(definition(before.functions)):
        return
    if after.functions or not after.attributes or not all(map(_is_data, after.attributes)):
        return
    reason = f"{after.symbol} is now a value, which upstream reads without a call; this is a method still"
    kind = ChangeKind.METHOD_KIND_CHANGED
    yield Finding(contract, kind, after.symbol, Ground.OTHER_NATURE, reason, subject=A_VALUE)


def _is_data(attribute: Attribute) -> bool:
    if attribute.annotation is not None:
        return _DATA.fullmatch(attribute.annotation) is not None
    node = expression(attribute.value) if attribute.value is not None else None
    literal = ast.Constant | ast.List | ast.Dict | ast.Tuple | ast.Set
    return isinstance(node, literal) and not (isinstance(node, ast.Constant) and node.value is None)
