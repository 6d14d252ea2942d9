"""Transfers of a request's KV cache to the host, a block of all layers at a time and layer by layer.

usage: PYTHONPATH=backend/src PYTHON_OF_A_LANE benchmarks/kv_transfers.py [--tokens 4096]

Prints the transfers, the bytes of each, and the seconds that copying them takes between two places of this
machine's memory: the share that does not depend on a device is the number of copies.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterable

import torch
from ascend_backend.attention.cross_layer import CrossLayerCache, LayerCache, layer_runs

#: Layers, and what each keeps: of a dense model with grouped heads, and of one with latent attention.
MODELS = {
    "32 layers, 8 heads of 128": (32, LayerCache(128, 8, (128, 128), torch.bfloat16)),
    "27 layers, latent 512 and 64": (27, LayerCache(128, 1, (512, 64), torch.bfloat16)),
}


def copied(
    runs: Iterable[tuple[int, int]], source: torch.Tensor, target: torch.Tensor
) -> tuple[int, int, float]:
    """The number of transfers, the bytes of all, and the seconds of copying them one by one."""
    listed = list(runs)
    start = time.perf_counter()
    for place, length in listed:
        target[place : place + length].copy_(source[place : place + length])
    return len(listed), sum(length for _, length in listed), time.perf_counter() - start


def main() -> None:
    """Copy a request's blocks both ways and print what it took."""
    parser = argparse.ArgumentParser(prog="kv_transfers.py", description=__doc__.partition("\n")[0])
    parser.add_argument("--tokens", type=int, default=4096)
    options = parser.parse_args()
    torch.set_num_threads(1)
    for name, (layers, layer) in MODELS.items():
        blocks = -(-options.tokens // layer.block_size)
        cache = CrossLayerCache(layer, layers, blocks)
        source, target = cache.allocate(torch.device("cpu")), cache.allocate(torch.device("cpu"))
        together = [run for block in range(blocks) for run in cache.runs(block)]
        apart = [run for block in range(blocks) for run in layer_runs(layer, layers, blocks, block)]
        copied(together, source, target)
        for way, runs in (("all layers", together), ("by layer", apart)):
            count, size, seconds = copied(runs, source, target)
            print(
                f"{name:30}{way:12}{count:6} transfers {size // count >> 10:6} KiB each "
                f"{size >> 20:5} MiB {seconds * 1e3:8.1f} ms"
            )


if __name__ == "__main__":
    main()
