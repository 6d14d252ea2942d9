"""A row of constraints: a demand of a document, of which calls, in which words, and who read it."""

from __future__ import annotations

from dataclasses import dataclass

from torch_npu_sim.strictness.conditions import Condition
from torch_npu_sim.strictness.demands import Demand
from torch_npu_sim.strictness.demands_of_values import Unchecked

#: The documents of the wheel that most rows were read in.
DOCUMENTS = "torch_npu 2.14.0, torch_npu/_op_plugin_docs.py"


@dataclass(frozen=True)
class Row:
    """A demand of a document.

    ``name`` says in a few words what is demanded; no two rows of an operator have the same. ``quote`` is the sentence
    as it stands in ``source``.
    """

    operators: tuple[str, ...]
    name: str
    demand: Demand
    quote: str
    when: tuple[Condition, ...] = ()
    source: str = DOCUMENTS

    @property
    def checked(self) -> bool:
        """Whether calls are held to it."""
        return not isinstance(self.demand, Unchecked)
