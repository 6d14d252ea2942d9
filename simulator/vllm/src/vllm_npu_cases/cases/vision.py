"""Vision models: text alone, one picture, several pictures of different sizes, a short video."""

from vllm_npu_cases.cases import register
from vllm_npu_cases.cases.case import Case
from vllm_npu_cases.models import qwen2_5_vl, qwen3_vl
from vllm_npu_cases.models.vision import IMAGE, START, STOP, VIDEO
from vllm_npu_cases.question import Request

_PICTURE = (START, IMAGE, STOP)
_VIDEO = (START, VIDEO, STOP)

_IMAGES = (
    Request((5, 17, 99, 230, 4, 8)),
    Request((5, 17, *_PICTURE, 99, 230), images=((1, 112, 112),)),
    Request((700, *_PICTURE, 3, *_PICTURE, 12, 9, *_PICTURE), images=((2, 56, 112), (3, 112, 84), (4, 64, 64))),
)
_FILMS = (Request((42, *_VIDEO, 900, 901), videos=((5, 4, 64, 96),)),)

_FAULTS = ("encoder_attention", "attention_scale")

for _model in (qwen3_vl, qwen2_5_vl):
    register(Case(_model.RECIPE.name, _model.RECIPE, requests=_IMAGES, faults=_FAULTS))
    register(Case(f"{_model.RECIPE.name}_video", _model.RECIPE, requests=_FILMS, faults=_FAULTS))
