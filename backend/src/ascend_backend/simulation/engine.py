"""Generates tokens with the real vLLM engine on the simulated device.

Run by ``check`` in a process of its own, whose environment is set before Python starts:
``python -m ascend_backend.simulation.engine``.
"""

import argparse
import json
import os
from pathlib import Path
from typing import Any

from ascend_backend.simulation import controls
from ascend_backend.simulation.models import recipes
from ascend_backend.simulation.models.recipe import Recipe

#: Small enough for a laptop; a prompt of 200 tokens is prefilled in two chunks.
_ENGINE: dict[str, Any] = {
    "enforce_eager": True,
    "dtype": "float32",
    "max_model_len": 512,
    "max_num_seqs": 4,
    "max_num_batched_tokens": 128,
    "kv_cache_memory_bytes": 64 << 20,
    "seed": 0,
    "disable_log_stats": True,
}


def run(recipe: Recipe, directory: Path) -> dict[str, Any]:
    """Return the tokens, the runner that made them, and the calls of every operator."""
    import torch
    import vllm

    from ascend_backend.simulation.operators import calls

    torch.set_num_threads(1)
    llm = vllm.LLM(model=str(directory), **(_ENGINE | dict(recipe.engine)))
    sampling = vllm.SamplingParams(temperature=0, max_tokens=recipe.new_tokens, ignore_eos=True, detokenize=False)
    calls.clear()
    prompts = [{"prompt_token_ids": list(prompt)} for prompt in recipe.prompts]
    outputs = llm.generate(prompts, sampling, use_tqdm=False)
    executor = llm.llm_engine.engine_core.engine_core.model_executor  # type: ignore[union-attr]
    runner = type(executor.driver_worker.worker.model_runner)
    return {
        "runner_class": f"{runner.__module__}.{runner.__qualname__}",
        "vllm": vllm.__version__,
        "torch": torch.__version__,
        "tokens": [list(output.outputs[0].token_ids) for output in outputs],
        "operators": dict(sorted(calls.items())),
    }


def main() -> None:
    """Write the result to ``--output``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", required=True, choices=sorted(recipes()))
    parser.add_argument("--directory", required=True, type=Path)
    parser.add_argument("--output", required=True, type=Path)
    parser.add_argument("--control", choices=sorted(controls.CONTROLS))
    arguments = parser.parse_args()
    if arguments.control is not None:
        controls.CONTROLS[arguments.control]()
    result = run(recipes()[arguments.model], arguments.directory)
    arguments.output.write_text(json.dumps(result))
    # vLLM's threads and process groups need not be taken down one by one.
    os._exit(0)


if __name__ == "__main__":
    main()
