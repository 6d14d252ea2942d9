"""The encoder cache is bounded in bytes, gives back what it evicts, and says what it holds."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from ascend_backend.encoder_cache import bounds
from ascend_backend.encoder_cache.counts import Counts, Publisher, path, read
from ascend_backend.encoder_cache.manager import NPUEncoderCacheManager
from ascend_backend.encoder_cache.metrics import EncoderCacheStatLogger
from ascend_backend.encoder_cache.outputs import EncoderOutputs
from prometheus_client import REGISTRY

WIDTH = 8
TOKEN = WIDTH * 4


def config(folder: Path | None = None, **additional: int) -> Any:
    model = SimpleNamespace(
        hf_config=SimpleNamespace(),
        dtype=torch.float32,
        get_inputs_embeds_size=lambda: WIDTH,
        served_model_name="tiny",
    )
    return SimpleNamespace(
        additional_config=additional,
        model_config=model,
        parallel_config=SimpleNamespace(data_parallel_index=0),
        scheduler_config=SimpleNamespace(encoder_cache_size=40),
        instance_id="test",
    )


def request(name: str, *inputs: tuple[str, int]) -> Any:
    """A request with inputs, each a hash and a number of tokens."""
    return SimpleNamespace(
        request_id=name,
        mm_features=[SimpleNamespace(identifier=identifier) for identifier, _ in inputs],
        get_num_encoder_embeds=lambda i: inputs[i][1],
    )


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("VLLM_RPC_BASE_PATH", str(tmp_path))
    return tmp_path


def test_features_of_several_encoder_layers_count() -> None:
    several = config()
    several.model_config.hf_config.vision_config = SimpleNamespace(deepstack_visual_indexes=[0, 1])
    assert (bounds.token_bytes(config()), bounds.token_bytes(several)) == (TOKEN, 3 * TOKEN)
    assert bounds.token_bytes(config(encoder_cache_bytes_per_token=5)) == 5


def test_the_bound_in_bytes_becomes_one_in_tokens() -> None:
    assert bounds.tokens(100, 10, TOKEN, None) == 100
    assert bounds.tokens(100, 10, TOKEN, 20 * TOKEN + 1) == 20
    assert bounds.tokens(100, 10, TOKEN, 200 * TOKEN) == 100


def test_a_bound_that_one_input_exceeds_is_refused_with_what_would_do() -> None:
    with pytest.raises(ValueError, match=r"holds 9 tokens of 32 bytes .* may have 10: set at least 320"):
        bounds.tokens(100, 10, TOKEN, 10 * TOKEN - 1)
    with pytest.raises(ValueError, match="has to be a positive number"):
        bounds.max_bytes(config(encoder_cache_bytes=0))


def test_unreferenced_outputs_are_evicted_for_new_ones_and_referenced_are_not(folder: Path) -> None:
    manager = NPUEncoderCacheManager(100, 4, config(encoder_cache_bytes=8 * TOKEN))
    first, second, third = (request(name, (name, 4)) for name in "abc")
    for each in (first, second):
        assert manager.can_allocate(each, 0, 100, 0)
        manager.allocate(each, 0)
    assert not manager.can_allocate(third, 0, 100, 0)
    manager.free(first)
    assert manager.can_allocate(third, 0, 100, 0)
    manager.allocate(third, 0)
    assert manager.get_freed_mm_hashes() == ["a"]
    file = path(str(folder), "test", 0)
    assert read(file) == Counts(2, 8, 8 * TOKEN, 8, 8 * TOKEN, queries=3, hits=0, evictions=1)
    # The same request asks at every step that touches its input.
    again = request("d", ("b", 4))
    assert manager.check_and_update_cache(again, 0)
    assert manager.check_and_update_cache(again, 0)
    assert (read(file).queries, read(file).hits) == (4, 1)
    manager.reset()
    assert read(file) == Counts(0, 0, 0, 8, 8 * TOKEN, queries=4, hits=1, evictions=1)


def test_an_output_that_is_evicted_gives_its_memory_back() -> None:
    outputs = EncoderOutputs(config())
    batch = torch.zeros(10, WIDTH)
    outputs.update(zip("abcde", batch.split(2), strict=True))
    assert outputs.information() == {"entries": 5, "bytes": 10 * TOKEN}
    del outputs["a"]
    assert outputs.information() == {"entries": 4, "bytes": 8 * TOKEN}
    outputs.clear()
    assert outputs.information() == {"entries": 0, "bytes": 0}


def test_memory_goes_back_to_the_device_with_a_reset_and_with_a_quarter_of_the_bound(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given_back: list[int] = []
    outputs = EncoderOutputs(config(encoder_cache_bytes=16 * TOKEN))
    monkeypatch.setattr(torch.accelerator, "empty_cache", lambda: given_back.append(len(outputs)))
    for number in range(8):
        outputs[f"{number}"] = torch.rand(2, WIDTH)
    outputs.pop("0")
    outputs.pop("none", None)
    outputs.give_back()
    assert given_back == []
    outputs.pop("1")
    outputs.give_back()
    outputs.give_back()
    assert given_back == [6]
    outputs.clear()
    assert given_back == [6, 0]


def test_larger_outputs_than_the_bound_counts_are_refused_only_with_a_bound() -> None:
    unbounded = EncoderOutputs(config())
    unbounded["a"] = torch.zeros(2, 2 * WIDTH)
    assert unbounded.information()["bytes"] == 4 * TOKEN
    with pytest.raises(ValueError, match="has 64 bytes a token, not 32: set encoder_cache_bytes_per_token"):
        EncoderOutputs(config(encoder_cache_bytes=1000))["a"] = torch.zeros(2, 2 * WIDTH)


def test_prometheus_reads_the_engines_numbers_at_every_scrape(folder: Path) -> None:
    file = path(str(folder), "test", 0)
    publisher = Publisher(file)
    labels = {"model_name": "tiny", "engine": "0"}
    logger = EncoderCacheStatLogger(config(), 0)
    publisher.publish(Counts(3, 12, 384, 100, 3200, queries=5, hits=2, evictions=1))
    logger.record(None, None)
    logger.record(None, None)
    values = {
        name: REGISTRY.get_sample_value(f"ascend:encoder_cache_{name}", labels)
        for name in ("entries", "bytes", "budget_tokens", "queries_total", "hits_total")
    }
    assert values == {"entries": 3, "bytes": 384, "budget_tokens": 100, "queries_total": 5, "hits_total": 2}
    publisher.publish(Counts())
    assert REGISTRY.get_sample_value("ascend:encoder_cache_entries", labels) == 0
    publisher.close()
    assert not file.exists()
    assert read(file) == Counts()
