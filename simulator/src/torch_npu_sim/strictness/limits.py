"""Limits of a device that no operator's document has, as data; a run that is held to documents is held to them too."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limit:
    """At most so many of something at a time, by whose word."""

    what: str
    most: int
    quote: str
    source: str


#: What the 2,048 streams of a device leave room for.
GRAPHS = Limit(
    "captured graphs",
    1800,
    "Currently, we can only capture 1800 graphs at most,\n    # due to the limitation of ACL graph.",
    "vllm-ascend 0.18.0rc1, vllm_ascend/utils.py (update_aclgraph_sizes)",
)
