"""Asks the real vLLM on a simulated NPU, and compares its answers with those of transformers."""
