"""Serves a tiny random model with the real engine on the simulated device, in the OpenAI protocol.

Run by a lane's own Python, with the lane's backend installed: ``serve_tiny.py FOLDER PORT``.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from torch_npu_sim import torchvision_stand_in
from vllm_npu_cases.check import environment
from vllm_npu_cases.models.qwen3 import RECIPE
from vllm_npu_cases.reference import make

# The tokens of a conversation are the words in it.
TEMPLATE = "{% for message in messages %}{{ message.content }} {% endfor %}"


def main(folder: Path, port: int) -> None:
    """Make the model and become the server."""
    model = folder / "model"
    model.mkdir(parents=True)
    torchvision_stand_in.declare()
    make(RECIPE, model)
    template = folder / "template.jinja"
    template.write_text(TEMPLATE, encoding="utf-8")
    # A server has its engine in a process of its own.
    variables = environment(folder) | {"VLLM_ENABLE_V1_MULTIPROCESSING": "1"}
    # It runs on the simulated device, without which this process made the model.
    variables.pop("TORCH_DEVICE_BACKEND_AUTOLOAD", None)
    command = [
        *("-m", "vllm.entrypoints.cli.main", "serve", str(model), "--served-model-name", "tiny"),
        *("--host", "127.0.0.1", "--port", str(port), "--chat-template", str(template)),
        *("--dtype", "float32", "--enforce-eager", "--max-model-len", "2048", "--max-num-seqs", "1"),
        *("--kv-cache-memory-bytes", str(64 << 20), "--seed", "0"),
    ]
    os.execve(sys.executable, [sys.executable, *command], variables)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
