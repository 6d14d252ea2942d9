"""Begins to record which functions are executed, before anything else is imported (`vllm_npu_cases.executed`)."""

import sys
from importlib.machinery import PathFinder
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

_here = Path(__file__).resolve().parent
_spec = spec_from_file_location("vllm_npu_cases.executed", _here.parent / "executed.py")
if _spec is not None and _spec.loader is not None:
    _module = module_from_spec(_spec)
    # Its package is imported later, and recorded itself.
    sys.modules[_spec.name] = _module
    _spec.loader.exec_module(_module)
    _module.start()

# What this one hides on the path has its turn, too.
_other = PathFinder.find_spec("sitecustomize", [path for path in sys.path if Path(path).resolve() != _here])
if _other is not None and _other.loader is not None:
    _other.loader.exec_module(module_from_spec(_other))
