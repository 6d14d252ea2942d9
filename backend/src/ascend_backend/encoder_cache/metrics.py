"""The encoder cache in vLLM's Prometheus metrics (entry point group ``vllm.stat_logger_plugins``)."""

from functools import cache
from typing import TYPE_CHECKING, Any

from prometheus_client import Counter, Gauge
from vllm import envs
from vllm.v1.metrics.loggers import StatLoggerBase

from ascend_backend.encoder_cache.counts import Counts, path, read

if TYPE_CHECKING:
    from vllm.config import VllmConfig

_LABELS = ("model_name", "engine")
_GAUGES = {
    "entries": "Encoder outputs kept on the NPU.",
    "tokens": "Tokens of the encoder outputs kept on the NPU.",
    "bytes": "Bytes of the encoder outputs kept on the NPU.",
    "budget_tokens": "Tokens that the encoder cache may hold.",
    "budget_bytes": "Bytes that the encoder cache may hold; 0 without a bound.",
}
_COUNTERS = {
    "queries": "Inputs that the encoder cache was asked for.",
    "hits": "Inputs whose output was in the encoder cache.",
    "evictions": "Encoder outputs that were evicted to make room.",
}


@cache
def _metrics() -> tuple[dict[str, Gauge], dict[str, Counter]]:
    """Make the metrics once in a process, for Prometheus takes a name only once."""
    prefix = "ascend:encoder_cache"
    gauges = {
        name: Gauge(f"{prefix}_{name}", text, _LABELS, multiprocess_mode="mostrecent") for name, text in _GAUGES.items()
    }
    return gauges, {name: Counter(f"{prefix}_{name}", text, _LABELS) for name, text in _COUNTERS.items()}


class EncoderCacheStatLogger(StatLoggerBase):
    """Brings the numbers of one engine into the metrics of the API server."""

    def __init__(self, vllm_config: "VllmConfig", engine_index: int = 0) -> None:
        """Fulfil ``StatLoggerBase.__init__``: the metrics of this engine, read from what it publishes."""
        self._file = path(envs.VLLM_RPC_BASE_PATH, vllm_config.instance_id, engine_index)
        labels = (vllm_config.model_config.served_model_name, str(engine_index))
        gauges, counters = _metrics()
        self._gauges = {name: gauge.labels(*labels) for name, gauge in gauges.items()}
        self._counters = {name: counter.labels(*labels) for name, counter in counters.items()}
        self._last = Counts()
        for name, gauge in self._gauges.items():
            # Read when Prometheus asks, for a reset is no step; where several API servers share their
            # metrics through files, what ``record`` has set counts.
            gauge.set_function(lambda name=name: getattr(read(self._file), name))

    def record(self, *arguments: Any, **keywords: Any) -> None:
        """Fulfil ``StatLoggerBase.record``, called after a step."""
        counts = read(self._file)
        for name, gauge in self._gauges.items():
            gauge.set(getattr(counts, name))
        for name, counter in self._counters.items():
            counter.inc(max(0, getattr(counts, name) - getattr(self._last, name)))
        self._last = counts

    def log(self) -> None:
        """Fulfil ``StatLoggerBase.log``, called every few seconds."""
        self.record()

    def log_engine_initialized(self) -> None:
        """Fulfil ``StatLoggerBase.log_engine_initialized``."""
        self.record()
