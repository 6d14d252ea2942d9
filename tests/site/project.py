"""A small project with everything that a site tells of: a matrix in all states, patches, sources."""

from __future__ import annotations

from functools import cache
from itertools import count

from syncbot.lanes.evidence import Evidence
from syncbot.lanes.generate import Inputs
from syncbot.lanes.matrix import Lane, Matrix
from syncbot.patching import model
from syncbot.patching.model import Patch
from syncbot.site.heat_map import Cases

#: What strangers may write, in a commit message or where they can.
EVIL = "</script><script>alert(1)</script><img src=//evil.example/x onerror=alert(1)>\" '\u202e & <b>"

CHECKS = ("simulate-qwen3-v1", "simulate-qwen3-v2", "static")
CASES = Cases({"qwen3": ("v1", "v2"), "never_run": ("v1",)}, {"models": ("qwen3", "never_run")})
HOOK, SIZES, SCALE = "0.32.0-runner-hook", "0.31.0-sizes", "0.33.0-scale"
_TAGS = {"v0.33.0": (SCALE,), "v0.32.0": (), "v0.31.0": (HOOK,), "v0.30.0": (SIZES, HOOK)}

FILES = {
    "pyproject.toml": b'[project]\nname = "plugin"\nversion = "1"\n',
    "src/plugin/__init__.py": b"",
    "src/plugin/worker.py": b'''\
"""Runs."""

from vllm.v1.worker.gpu_worker import Worker


class FastWorker(Worker):
    def start(self) -> None:
        self.sizes = [1]
        self._make_runner()

    def run(self, batch):
        return super().run(batch)
''',
}
_PATCH = """\
id: {id}
upstream:
  name: vllm
  pr: {pr}
  first_version: {version}
symbol: vllm.v1.worker.gpu_worker.Worker.{symbol}
reason: {reason}
rewrites:
  - rule: replace_statement
    arguments:
      file: src/plugin/worker.py
      before: |
        {before}
      after: |
        {after}
proven_by:
  - static
"""


def _patch(name: str, pr: int, symbol: str, reason: str, before: str, after: str) -> Patch:
    version = name.partition("-")[0]
    values = {"id": name, "pr": pr, "version": version, "symbol": symbol, "reason": reason}
    return model.parse(_PATCH.format(**values, before=before, after=after))


@cache
def patches() -> tuple[Patch, ...]:
    return (
        _patch(SIZES, 31, "sizes", "Sizes are a list.", "self.sizes = 1", "self.sizes = [1]"),
        _patch(HOOK, 32, "_make_runner", "The worker makes its runner in a method of its own.",
               "self.runner = self._build_runner()", "self._make_runner()"),
        _patch(SCALE, 33, "run", "A batch brings its scale.",
               "return super().run(batch)", "return super().run(batch, batch.scale)"),
    )  # fmt: skip


def digest(lane: str) -> str:
    return f"{sum(map(ord, lane)):064x}"


@cache
def matrix() -> Matrix:
    """Every check passed on every lane, but for one each on the oldest: failed, stale, unknown;
    and one that upstream itself refuses on the one after it."""
    minutes = count(10)

    def evidence(lane: str, check: str, **given: str) -> Evidence:
        date = f"2026-01-23T10:{next(minutes)}:00+00:00"
        values = {
            "status": "pass",
            "command": f"check {check} --lane {lane}",
            "date": date,
            "digest": digest(lane),
        }
        return Evidence.model_validate(values | given)

    lanes = []
    for tag, applied in _TAGS.items():
        checks = {check: evidence(tag, check) for check in CHECKS}
        if tag == "v0.30.0":
            failed, stale, unknown = CHECKS
            checks[failed] = evidence(tag, failed, status="fail", details=f"Segmentation fault {EVIL}")
            checks[stale] = evidence(tag, stale, digest="0" * 64, stale=True)
            del checks[unknown]
        refused = None
        if tag == "v0.31.0":
            del checks["simulate-qwen3-v2"]
            refused = {"qwen3": ("v2",)}
        lanes.append(
            Lane(tag=tag, wheel=tag[1:], python=">=3.11", stack={"torch": "2.13.0", "cann": None}, patches=applied,
                 sources=digest(tag), checks=checks, unsupported=refused, note="As upstream has them.")
        )  # fmt: skip
    return Matrix(upstream="vllm", baseline="v0.32.0", lanes=tuple(lanes))


@cache
def inputs() -> Inputs:
    """Return the inputs that lanes are made of."""
    return Inputs(FILES, matrix(), patches(), "vllm", "plugin")
