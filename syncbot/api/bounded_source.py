"""Sources of which there is too much to be analysed."""

from __future__ import annotations

from itertools import islice

from syncbot.api.every_node import every_node
from syncbot.api.syntax import parsed
from syncbot.limits import Limits, beyond


def bounded(source: bytes, limits: Limits) -> bytes:
    """The source, or what stands for one whose syntax tree has too many nodes."""
    # A node has half a byte at least: most sources need not be counted.
    if 2 * len(source) <= limits.nodes or (tree := parsed(source)) is None:
        return source
    if next(islice(every_node(tree), limits.nodes, None), None) is None:
        return source
    return beyond(f"over {limits.nodes:,} nodes of syntax", "nodes", limits.nodes)
