"""Differential type checking: what a checker finds with the new upstream and did not with the old."""

from syncbot.impact.typecheck.engine import run
from syncbot.impact.typecheck.model import TypecheckResult

__all__ = ["TypecheckResult", "run"]
