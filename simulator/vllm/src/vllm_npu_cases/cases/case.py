"""A case: a model, the requests to it, the answers of an independent reference, and how both compare."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from vllm_npu_cases.question import Question

if TYPE_CHECKING:
    from vllm_npu_cases.oracle import Oracle
    from vllm_npu_cases.session import Session


def expect_greedy(oracle: "Oracle") -> Any:
    """Return the greedy continuation of every request, by transformers."""
    return [oracle.greedy(request) for request in oracle.case.requests]


def ask_greedy(session: "Session") -> Any:
    """Return the greedy continuation of every request, by vLLM, all requests in one batch."""
    return session.generate(session.llm(), session.case.requests)


def ask_heads(session: "Session") -> Any:
    """Return the greedy tokens, and the attention heads of every layer in every process."""
    llm = session.llm()
    return {"tokens": session.generate(llm, session.case.requests), "heads": llm.collective_rpc("probe_heads")}


def equal(answer: Any, expected: Any) -> str | None:
    """Return which of the answers differs, or None."""
    if len(answer) != len(expected):
        return f"there are {len(answer)} answers to {len(expected)} questions"
    for i, (got, wanted) in enumerate(zip(answer, expected, strict=True)):
        if got != wanted:
            return f"the tokens of prompt {i} differ from the reference"
    return None


@dataclass(frozen=True)
class Case(Question):
    """One thing that is proven.

    ``expect`` runs in the process of the reference, ``ask`` in that of the engine; both return what JSON can
    hold, and ``differs`` says in one line what is wrong with an answer, or returns None.
    """

    runners: tuple[str, ...] = ("v1", "v2")
    #: Operators that must have run, besides those of the model.
    operators: tuple[str, ...] = ()
    #: Faults that are put in to show that the case notices them, by name.
    faults: tuple[str, ...] = ()
    #: Why the case does not notice one of its faults, by name.
    blind_to: Mapping[str, str] = field(default_factory=dict)
    #: Variables of the engine's environment.
    variables: Mapping[str, str] = field(default_factory=dict)
    expect: Callable[["Oracle"], Any] = expect_greedy
    ask: Callable[["Session"], Any] = ask_greedy
    differs: Callable[[Any, Any], str | None] = equal
