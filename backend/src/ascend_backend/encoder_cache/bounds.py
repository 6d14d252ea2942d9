"""The bound of the encoder cache, vLLM's in tokens and ours in bytes, and who keeps it."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vllm.config import VllmConfig

#: Members of vLLM's ``--additional-config``.
MAX_BYTES = "encoder_cache_bytes"
TOKEN_BYTES = "encoder_cache_bytes_per_token"


def choose_scheduler(config: "VllmConfig") -> None:
    """Name the scheduler that keeps the bound and counts, where there are encoders and the user names none."""
    scheduling, model = config.scheduler_config, config.model_config
    # A diffusion model has a scheduler of its own, which vLLM names afterwards.
    diffusion = getattr(config, "diffusion_config", None) is not None
    if model is not None and model.is_multimodal_model and scheduling.scheduler_cls is None and not diffusion:
        name = "NPUAsyncScheduler" if scheduling.async_scheduling else "NPUScheduler"
        scheduling.scheduler_cls = f"ascend_backend.encoder_cache.scheduler.{name}"


def token_bytes(config: "VllmConfig") -> int:
    """Return the bytes of an encoder's output for one token.

    An output is as wide as the decoder's embeddings; with features of several encoder layers
    (``deepstack_visual_indexes``) those lie beside it. ``encoder_cache_bytes_per_token`` overrules that.
    """
    given = config.additional_config.get(TOKEN_BYTES)
    if given is not None:
        return int(given)
    model = config.model_config
    vision = getattr(model.hf_config, "vision_config", None)
    levels = getattr(vision, "deepstack_visual_indexes", None) or ()
    return int(model.get_inputs_embeds_size()) * (1 + len(levels)) * int(model.dtype.itemsize)


def max_bytes(config: "VllmConfig") -> int | None:
    """Return the bound in bytes (``encoder_cache_bytes``), or None. Raises ValueError unless it is positive."""
    given = config.additional_config.get(MAX_BYTES)
    if given is None:
        return None
    if int(given) <= 0:
        raise ValueError(f"--additional-config: {MAX_BYTES} is {given}, but has to be a positive number of bytes")
    return int(given)


def tokens(budget: int, largest: int, of_token: int, limit: int | None) -> int:
    """Return how many tokens the cache may hold: vLLM's ``budget``, or as many as ``limit`` bytes hold.

    Raises ValueError if the ``largest`` input of a request would never fit, so that it would wait for ever.
    """
    if limit is None:
        return budget
    fit = limit // of_token
    if fit < largest:
        raise ValueError(
            f"--additional-config: {MAX_BYTES} of {limit} bytes holds {fit} tokens of {of_token} bytes each, but one "
            f"input may have {largest}: set at least {largest * of_token}, or limit the size of inputs "
            "(--mm-processor-kwargs)"
        )
    return min(budget, fit)
