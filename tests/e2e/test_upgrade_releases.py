"""``syncbot check --format upgrade`` on releases of vLLM, of a plugin that uses the names whose changes the
maintainers of vllm-tt-plugin listed by hand for both upgrades (their issues 64 and 47)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.forked_command import command

pytestmark = pytest.mark.machine

PLUGIN = Path(__file__).with_name("plugin_of_upgrades")
CHECK = (
    "check",
    "--upstream",
    "vllm",
    "--by",
    "releases",
    "--format",
    "upgrade",
)


def sections(old: str, new: str) -> dict[str, str]:
    """The report's text by the headings of its sections, without their counts."""
    done = command(*CHECK, "--backend", str(PLUGIN), "--from", old, "--to", new, "--fail-on", "never")
    assert done.returncode == 0, done.stderr
    parts = (part.partition("\n") for part in done.stdout.split("\n## ")[1:])
    return {heading.partition(" (")[0]: text for heading, _, text in parts}


def test_what_maintainers_wrote_of_one_release_is_told() -> None:
    told = sections("0.25.1", "0.26.0")
    breaking = told["Breaking"].strip().splitlines()
    assert len(breaking) == 1
    assert breaking[0].startswith("- `like_plugin/blocks.py:6`: ")
    assert "no longer takes max_model_len" in breaking[0]
    assert "now requires max_num_blocks" in breaking[0]
    assert "finish_requests() was declared to return" in told["Behavioural"]
    assert "finish_requests` has another body" not in told["Behavioural"]
    for name in (
        "slot_mapping_modes",
        "kv_cache_block_copies",
        "scheduled_encoder_input_stats",
        "iteration_details",
    ):
        assert f"`{name}`" in told["New, optional"]
    assert "requirement `diskcache`: gone" in told["Dependencies"]
    assert "s390x" in told["Dependencies"]


def test_what_the_code_does_not_touch_is_left_out() -> None:
    told = sections("0.26.0", "0.28.0")
    assert told["Breaking"].strip() == "None."
    assert "check_runner_kv_caches_multi_layer" in told["Behavioural"]
    assert "initialize_from_config" in told["Behavioural"]
    assert "WorkerBase.compile_or_warm_up_model` is called by" in told["Behavioural"]
    assert "compile_or_warm_up_model" in told["New, optional"]
    for name in ("get_kv_cache_usage", "get_kv_event_publisher_config"):
        assert f"`{name}`" in told["New, optional"]
    # Their report lists both as breaking; no line of this plugin has to do with them.
    assert not any(
        name in "".join(told.values()) for name in ("_update_request_with_output", "async_tokens_to_discard")
    )
