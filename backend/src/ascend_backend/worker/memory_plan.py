"""How the memory of a device is divided: weights, what the profile run needed, and what is left for the KV cache."""

from dataclasses import asdict, dataclass

_GIB = 1 << 30


@dataclass(frozen=True)
class Plan:
    """Bytes of a device. The pieces of ``requested`` are weights, activations, the rest and the KV cache."""

    total: int
    #: What vLLM may use (``--gpu-memory-utilization``).
    requested: int
    weights: int
    #: The peak of the profile run above what stays, the larger one of encoder and decoder.
    activations: int
    #: The peak that the encoder's profile alone reached; 0 without one.
    encoder: int
    kv_cache: int

    @property
    def rest(self) -> int:
        """What belongs to none of the others: buffers, and what the driver and collectives hold."""
        return self.requested - self.weights - self.activations - self.kv_cache

    def line(self) -> str:
        """Return the plan in one line."""
        profile = f" (encoder profile {_gib(self.encoder)})" if self.encoder else ""
        return (
            f"NPU memory of {_gib(self.total)} GiB, {_gib(self.requested)} GiB requested: model weights "
            f"{_gib(self.weights)}, peak activations {_gib(self.activations)}{profile}, the rest {_gib(self.rest)}, "
            f"available KV cache memory {_gib(self.kv_cache)}"
        )

    def pieces(self) -> dict[str, int]:
        """Return all numbers by name."""
        return {**asdict(self), "rest": self.rest}


def _gib(size: int) -> str:
    return f"{size / _GIB:.2f}"


def unmeasured(total: int, weights: int, kv_cache: int) -> str:
    """Return what is known where the KV cache's size was given, so that the profile run is not measured."""
    return (
        f"NPU memory of {_gib(total)} GiB: model weights {_gib(weights)}, KV cache {_gib(kv_cache)} as given "
        "(--kv-cache-memory-bytes); activations and the rest were not measured"
    )


def no_room(plan: Plan) -> str:
    """Return what to say where nothing is left for the KV cache, which no ``max_model_len`` would mend."""
    return (
        f"{plan.line()}: no max_model_len fits; raise --gpu-memory-utilization, or lower --max-num-batched-tokens "
        "or the size of multimodal inputs (--mm-processor-kwargs), which the profile run follows"
    )
