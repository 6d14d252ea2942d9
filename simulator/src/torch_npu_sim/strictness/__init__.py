"""Calls that operators' documentation forbids and devices accept, as data: ``exceptions.yaml``."""

import functools
from dataclasses import dataclass
from importlib import resources

import yaml

from torch_npu_sim.settings import read_settings


@dataclass(frozen=True)
class Exceptional:
    """One thing that is done on devices against the documentation; the fields are those of the file."""

    operators: tuple[str, ...]
    arguments: tuple[str, ...]
    what: str
    quote: str
    source: str
    done_by: str


@functools.cache
def exceptions() -> tuple[Exceptional, ...]:
    """Return all entries of the file."""
    text = resources.files(__name__).joinpath("exceptions.yaml").read_text(encoding="utf-8")
    return tuple(
        Exceptional(tuple(entry.pop("operators")), tuple(entry.pop("arguments")), **entry)
        for entry in yaml.safe_load(text)
    )


def tolerated(operator: str, what: str) -> bool:
    """Return whether devices take ``what`` of the operator against its documentation; never where it is held to."""
    return (operator, what) in _known() and not read_settings().strict


@functools.cache
def _known() -> frozenset[tuple[str, str]]:
    return frozenset((operator, entry.what) for entry in exceptions() for operator in entry.operators)
