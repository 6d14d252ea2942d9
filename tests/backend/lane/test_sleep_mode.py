"""Sleeping takes the bytes of every weight, the draft's too, and waking up gives them back."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
import torch
from ascend_backend.compilation.acl_graphs import Graph
from ascend_backend.worker.sleep_mode import NPUSleepModeBackend


def model(embedding: torch.nn.Embedding) -> torch.nn.Module:
    made = torch.nn.Sequential(embedding, torch.nn.Linear(4, 4))
    made.register_buffer("cosines", torch.rand(3))
    return made


def runner(drafts: bool) -> Any:
    """Return a runner's model, draft, which shares the vocabulary as EAGLE heads do, and caches."""
    embedding = torch.nn.Embedding(8, 4)
    target, draft = model(embedding), model(embedding) if drafts else None
    made = SimpleNamespace(
        model=target, get_draft_model=lambda: draft, kv_caches=[torch.ones(2, 4)], captured=[]
    )
    made.capture_model = lambda: made.captured.append(held([*tensors(target), *made.kv_caches]))
    return made


def tensors(*models: torch.nn.Module) -> list[torch.Tensor]:
    return [tensor.data for each in models for tensor in (*each.parameters(), *each.buffers())]


def held(given: list[torch.Tensor]) -> int:
    return sum(tensor.untyped_storage().nbytes() for tensor in given)


@pytest.mark.parametrize("drafts", [True, False])
@pytest.mark.parametrize("level", [1, 2])
def test_weights_of_model_and_draft_go_and_come_back(drafts: bool, level: int) -> None:
    of = runner(drafts)
    weights = tensors(of.model, *[of.get_draft_model()] if drafts else [])
    before, bytes_before = [tensor.clone() for tensor in weights], held(weights)
    backend = NPUSleepModeBackend(of)
    backend.suspend(level)
    assert held(weights) == held(of.kv_caches) == 0
    backend.resume(["weights"])
    assert (held(weights), held(of.kv_caches)) == (bytes_before, 0)
    backend.resume(["kv_cache"])
    for tensor, was in zip(weights, before, strict=True):
        torch.testing.assert_close(tensor, was if level == 1 else torch.zeros_like(was))
    assert not of.kv_caches[0].any()


@pytest.mark.parametrize("captures", [0, 3])
def test_graphs_are_captured_again_once_all_is_back(captures: int, monkeypatch: pytest.MonkeyPatch) -> None:
    of = runner(False)
    monkeypatch.setattr(Graph, "captures", captures)
    whole = held([*tensors(of.model), *of.kv_caches])
    backend = NPUSleepModeBackend(of)
    for level in (1, 2):
        backend.suspend(level)
        backend.resume(["weights"])
        assert of.captured == []
        backend.resume(["kv_cache"])
        assert of.captured == ([whole] if captures else [])
        of.captured.clear()
    backend.resume()
    assert of.captured == []
