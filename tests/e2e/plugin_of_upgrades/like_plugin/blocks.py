import torch
from vllm.v1.worker.block_table import MultiGroupBlockTable


def tables(rows: int, length: int, tokens: int, sizes: list[int]) -> MultiGroupBlockTable:
    return MultiGroupBlockTable(
        max_num_reqs=rows,
        max_model_len=length,
        max_num_batched_tokens=tokens,
        pin_memory=False,
        device=torch.device("cpu"),
        block_sizes=sizes,
        kernel_block_sizes=sizes,
    )
