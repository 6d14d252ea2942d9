"""Limits of a device that no operator's document has, as data; strict runs are held to them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limit:
    """At most so many of something at a time, by whose word."""

    what: str
    most: int
    quote: str
    source: str


#: The streams of a device, and the graphs that they leave room for.
STREAMS = Limit(
    "streams",
    2048,
    "This number is bounded by\n    # the number of streams, which is 2048, we save 248 streams\n    # as a buffer.",
    "vllm-ascend 0.18.0rc1, vllm_ascend/utils.py (update_aclgraph_sizes)",
)
GRAPHS = Limit(
    "captured graphs",
    1800,
    "Currently, we can only capture 1800 graphs at most,\n    # due to the limitation of ACL graph.",
    "vllm-ascend 0.18.0rc1, vllm_ascend/utils.py (update_aclgraph_sizes)",
)
LIMITS = (STREAMS, GRAPHS)
