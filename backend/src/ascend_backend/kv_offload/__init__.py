"""KV cache blocks in the memory of the host."""
