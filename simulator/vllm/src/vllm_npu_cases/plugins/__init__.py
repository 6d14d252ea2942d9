"""Plugins of vLLM that the cases know, one module each with a ``PLUGIN``."""

import importlib
import os

from vllm_npu_cases.plugins.plugin import Plugin

#: Names the module of the plugin that is proven.
VARIABLE = "VLLM_NPU_CASES_PLUGIN"


def plugin() -> Plugin:
    """Return the plugin that the environment names, else the backend of this project."""
    module = importlib.import_module(f"{__name__}.{os.environ.get(VARIABLE, 'ascend_backend')}")
    found: Plugin = module.PLUGIN
    return found
