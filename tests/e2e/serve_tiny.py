"""Serves a tiny random model with the real engine on the simulated device, in the OpenAI protocol.

Run by a lane's own Python, with the lane's backend installed: ``serve_tiny.py FOLDER PORT``. The server and the
process of its engine are forks of one that has imported vLLM, which takes longer than all that follows.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from vllm_npu_cases.check import environment

# The tokens of a conversation are the words in it.
TEMPLATE = "{% for message in messages %}{{ message.content }} {% endfor %}"


def main(folder: Path, port: int) -> None:
    """Make the model and become the server."""
    model = folder / "model"
    model.mkdir(parents=True)
    template = folder / "template.jinja"
    template.write_text(TEMPLATE, encoding="utf-8")
    # A server has its engine in a process of its own. All of it is there before anything is imported that reads it.
    os.environ |= environment(folder) | {"VLLM_ENABLE_V1_MULTIPROCESSING": "1"}
    from vllm.entrypoints.cli.main import main as vllm
    from vllm.model_executor.models import registry
    from vllm.v1.engine import core
    from vllm_npu_cases import warm_spawn

    assert core
    gc.collect()
    gc.freeze()
    _in_child(lambda: _make(model))
    # It looks at a model's class where no device is used: in a process that would import vLLM once more.
    registry._run_in_subprocess = _in_child
    warm_spawn.begin()
    sys.argv = [
        *("vllm", "serve", str(model), "--served-model-name", "tiny"),
        *("--host", "127.0.0.1", "--port", str(port), "--chat-template", str(template)),
        *("--dtype", "float32", "--enforce-eager", "--max-model-len", "2048", "--max-num-seqs", "1"),
        *("--kv-cache-memory-bytes", str(64 << 20), "--seed", "0"),
    ]
    vllm()


def _make(model: Path) -> None:
    from torch_npu_sim import torchvision_stand_in
    from vllm_npu_cases.models.qwen3 import RECIPE
    from vllm_npu_cases.reference import make

    torchvision_stand_in.declare()
    make(RECIPE, model)


def _in_child(work: Callable[[], Any]) -> Any:
    """Return what the work gives in a fork of this process."""
    ours, theirs = get_context("fork").Pipe(duplex=False)
    child = get_context("fork").Process(target=lambda: theirs.send(work()))
    child.start()
    theirs.close()
    try:
        return ours.recv()
    finally:
        child.join()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
