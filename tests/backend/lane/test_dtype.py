"""The engine refuses a dtype that the operators of a model do not take, before it loads anything."""

from __future__ import annotations

from pathlib import Path

import pytest
from vllm.config import VllmConfig
from vllm.engine.arg_utils import EngineArgs
from vllm.model_executor.models import registry
from vllm_npu_cases.models import deepseek_v3, qwen3, qwen3_next
from vllm_npu_cases.models.recipe import Recipe

#: Which class vLLM has for a model that nobody wrote weights of.
ARCHITECTURES = {
    "deepseek_v3": "DeepseekV3ForCausalLM",
    "qwen3": "Qwen3ForCausalLM",
    "qwen3_next": "Qwen3NextForCausalLM",
}


def configured(recipe: Recipe, folder: Path, dtype: str, monkeypatch: pytest.MonkeyPatch) -> VllmConfig:
    """Return vLLM's configuration for a model without weights; its class is looked at in this process."""
    monkeypatch.setattr(registry, "_run_in_subprocess", lambda look: look())
    configuration = recipe.configuration()
    configuration.architectures = [ARCHITECTURES[recipe.name]]
    configuration.save_pretrained(folder)
    arguments = EngineArgs(
        model=str(folder), dtype=dtype, max_model_len=512, skip_tokenizer_init=True, enforce_eager=True
    )
    return arguments.create_engine_config()


@pytest.mark.parametrize(
    ("recipe", "what"),
    [(deepseek_v3.RECIPE, r"latent attention \(MLA\)"), (qwen3_next.RECIPE, "a hybrid model")],
)
def test_float16_is_refused_where_operators_take_bfloat16_alone(
    recipe: Recipe, what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ValueError, match=rf"{what} is not supported on NPU in float16.*--dtype bfloat16"):
        configured(recipe, tmp_path, "float16", monkeypatch)


@pytest.mark.parametrize("recipe", [deepseek_v3.RECIPE, qwen3_next.RECIPE, qwen3.RECIPE])
def test_every_model_is_checked_on_a_device_in_a_dtype_that_is_accepted(
    recipe: Recipe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = configured(recipe, tmp_path, recipe.dtype, monkeypatch).model_config
    assert str(model.dtype) == f"torch.{recipe.dtype}"
