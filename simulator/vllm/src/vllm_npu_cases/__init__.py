"""What the real vLLM is asked on a simulated NPU, and what transformers answers."""
