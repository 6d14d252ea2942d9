from __future__ import annotations

from importlib.util import find_spec

# The tests of lane/ run where a lane's vLLM is installed: with the python of a lane environment.
collect_ignore = [] if find_spec("vllm") else ["lane"]
