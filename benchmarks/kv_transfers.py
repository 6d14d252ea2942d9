"""Transfers of a request's KV cache to the host, a block of all layers at a time and layer by layer.

usage: PYTHON_OF_A_LANE benchmarks/kv_transfers.py [--tokens 4096]

Prints the transfers, the bytes of each, and the seconds that copying them takes between two places of this
machine's memory: the share that does not depend on a device is the number of copies.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterable, Iterator

import torch

#: Tokens of a block, each number of them in two bytes.
BLOCK, NUMBER = 128, 2
#: Layers, and how much each keeps of a token in its two parts: a dense model with grouped heads, one with
#: latent attention.
MODELS = {
    "32 layers, 8 heads of 128": (32, (8 * 128, 8 * 128)),
    "27 layers, latent 512 and 64": (27, (512, 64)),
}


def runs(blocks: int, sizes: tuple[int, int], first: int = 0) -> Iterator[tuple[int, int]]:
    """Yield start and length in bytes of each block's two parts; the first parts of all blocks come first."""
    for block in range(blocks):
        for size, start in zip(sizes, (0, blocks * sizes[0]), strict=True):
            yield (first + start + block * size) * BLOCK * NUMBER, size * BLOCK * NUMBER


def one_by_one(layers: int, blocks: int, sizes: tuple[int, int]) -> Iterator[tuple[int, int]]:
    """Yield the runs of layers that have an allocation each, one after the other."""
    for layer in range(layers):
        yield from runs(blocks, sizes, layer * blocks * sum(sizes))


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
    for name, (layers, sizes) in MODELS.items():
        blocks = -(-options.tokens // BLOCK)
        size = layers * blocks * sum(sizes) * BLOCK * NUMBER
        source, target = torch.zeros(size, dtype=torch.int8), torch.zeros(size, dtype=torch.int8)
        together = list(runs(blocks, (layers * sizes[0], layers * sizes[1])))
        apart = list(one_by_one(layers, blocks, sizes))
        copied(together, source, target)
        for way, listed in (("all layers", together), ("by layer", apart)):
            count, size, seconds = copied(listed, source, target)
            print(
                f"{name:30}{way:12}{count:6} transfers {size // count >> 10:6} KiB each "
                f"{size >> 20:5} MiB {seconds * 1e3:8.1f} ms"
            )


if __name__ == "__main__":
    main()
