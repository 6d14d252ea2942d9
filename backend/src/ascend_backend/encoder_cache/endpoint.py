"""``GET /encoder_cache_info`` of vLLM's API server (entry point group ``vllm.endpoint_plugins``).

vLLM serves it to those who name the plugin in ``VLLM_PLUGINS``.
"""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, FastAPI, Request

from ascend_backend.encoder_cache.counts import path, read

if TYPE_CHECKING:
    from argparse import Namespace

    from vllm.engine.protocol import EngineClient

router = APIRouter()


@router.get("/encoder_cache_info")
async def encoder_cache_info(request: Request) -> dict[str, Any]:
    """Return what every engine of this machine counts and what every worker holds on its device."""
    from vllm import envs

    client: EngineClient = request.app.state.engine_client
    config = client.vllm_config
    engines = range(config.parallel_config.data_parallel_size)
    files = [path(envs.VLLM_RPC_BASE_PATH, config.instance_id, engine) for engine in engines]
    return {
        "engines": [asdict(read(file)) for file in files],
        "workers": await client.collective_rpc("encoder_cache_info"),
    }


class EncoderCacheEndpoint:
    """What vLLM asks of a plugin."""

    name = "ascend_encoder_cache_info"
    required_tasks = ("generate",)

    def attach_router(self, app: FastAPI) -> None:
        """Add the route."""
        app.include_router(router)

    async def init_state(self, engine_client: "EngineClient | None", state: object, args: "Namespace") -> None:
        """Keep nothing: vLLM's own state has the client."""
