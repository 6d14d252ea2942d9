"""Multi-token prediction: DeepSeek-V3 drafts by a layer of its checkpoint, and no token changes."""

import dataclasses
import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vllm_npu_cases import drafting
from vllm_npu_cases.cases import register
from vllm_npu_cases.cases.case import Case
from vllm_npu_cases.models.deepseek_v3 import RECIPE

if TYPE_CHECKING:
    import torch

    from vllm_npu_cases.oracle import Oracle
    from vllm_npu_cases.session import Session

_DRAFTED = 2
#: What attention and experts of the draft layer add is made small, so that its fitted projection decides.
_SMALL = 0.02
_ADDING = ("o_proj.weight", "down_proj.weight")


def _folder(directory: Path) -> Path:
    return directory / "mtp"


def _fitted(oracle: "Oracle", answers: list[list[int]]) -> "torch.Tensor":
    """Return the weight that leads from a token and the state before it to the state that follows.

    It is fitted to the model's own answers, of which there are fewer than unknowns.
    """
    import torch

    given, wanted = [], []
    for request, answer in zip(oracle.case.requests, answers, strict=True):
        tokens = torch.tensor([[*request.prompt, *answer]])
        with torch.no_grad():
            states = oracle.model.model(input_ids=tokens).last_hidden_state[0]
            embedded = oracle.model.get_input_embeddings()(tokens[0])
        for place in range(len(request.prompt) - 1, tokens.shape[1] - 1):
            parts = (embedded[place + 1], states[place])
            given.append(torch.cat([torch.nn.functional.rms_norm(part, part.shape, eps=1e-6) for part in parts]))
            wanted.append(states[place + 1])
    return torch.linalg.lstsq(torch.stack(given), torch.stack(wanted), driver="gelsd").solution.T.contiguous()


def _write(oracle: "Oracle", answers: list[list[int]]) -> None:
    """Write the model with a layer more, whose attention and experts are those of the last one."""
    import torch
    from safetensors.torch import load_file, save_file

    folder, layers = _folder(oracle.directory), oracle.model.config.num_hidden_layers
    folder.mkdir(exist_ok=True)
    for name in ("generation_config.json", "tokenizer.json", "tokenizer_config.json"):
        shutil.copy(oracle.directory / name, folder)
    configuration = json.loads((oracle.directory / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(configuration | {"num_nextn_predict_layers": 1}))
    weights = load_file(oracle.directory / "model.safetensors")
    last, drafting = f"model.layers.{layers - 1}.", f"model.layers.{layers}."
    of_last = {name: each for name, each in weights.items() if name.startswith(last)}
    for name, each in of_last.items():
        weights[name.replace(last, drafting)] = each * _SMALL if name.endswith(_ADDING) else each.clone()
    ones = torch.ones(oracle.model.config.hidden_size)
    weights |= {f"{drafting}{name}.weight": ones.clone() for name in ("enorm", "hnorm", "shared_head.norm")}
    weights[f"{drafting}eh_proj.weight"] = _fitted(oracle, answers)
    weights[f"{drafting}embed_tokens.weight"] = weights["model.embed_tokens.weight"].clone()
    weights[f"{drafting}shared_head.head.weight"] = weights["lm_head.weight"].clone()
    save_file(weights, folder / "model.safetensors", {"format": "pt"})


def _expect(oracle: "Oracle") -> Any:
    answers = [oracle.greedy(request) for request in oracle.case.requests]
    _write(oracle, answers)
    return answers


def _ask(session: "Session") -> Any:
    its_folder = dataclasses.replace(session, directory=_folder(session.directory))
    llm = its_folder.llm(speculative_config={"method": "mtp", "num_speculative_tokens": _DRAFTED}, **drafting.COUNTS)
    return drafting.answered(its_folder, llm, session.case.requests)


register(
    Case(
        "mtp",
        RECIPE,
        engine={"enforce_eager": False},
        expect=_expect,
        ask=_ask,
        differs=drafting.differs,
        faults=("drafts_unverified", "attention_scale"),
    )
)
