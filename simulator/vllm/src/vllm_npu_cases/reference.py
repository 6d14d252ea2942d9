"""Makes a tiny model and asks Hugging Face transformers what the engine is asked.

Run by ``check`` in a process of its own: ``python -m vllm_npu_cases.reference``.
"""

import argparse
import json
import os
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
import transformers
from tokenizers import Tokenizer, pre_tokenizers
from tokenizers.models import WordLevel
from torch_npu_sim import torchvision_stand_in

from vllm_npu_cases import executed
from vllm_npu_cases.cases import case_of
from vllm_npu_cases.cases.case import Case
from vllm_npu_cases.engine import in_children
from vllm_npu_cases.models.recipe import END, PADDING, VOCABULARY, Recipe
from vllm_npu_cases.oracle import Oracle
from vllm_npu_cases.versions import is_at_least

#: Standard deviation of the random weights: large enough for tokens to differ from each other.
_DEVIATION = 0.15
_SEED = 0
#: The messages of a conversation, without roles.
_CHAT = "{% for message in messages %}{{ message['content'] }} {% endfor %}"


def tokenizer(special: Mapping[str, int]) -> Any:
    """Return a tokenizer of one word a token: ``w17`` is token 17. ``special`` words are kept whole anywhere."""
    named = {"<unk>": 0, "<eos>": END, "<pad>": PADDING, **special}
    taken = set(named.values())
    words = named | {f"w{i}": i for i in range(VOCABULARY) if i not in taken}
    model = Tokenizer(WordLevel(words, unk_token="<unk>"))
    model.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    # Before 5 a processor took the tokenizer of its model alone.
    new = is_at_least("transformers", "5")
    wrapped = (transformers.PreTrainedTokenizerFast if new else transformers.Qwen2TokenizerFast)(
        tokenizer_object=model,
        unk_token="<unk>",
        eos_token="<eos>",
        pad_token="<pad>",
        additional_special_tokens=list(special),
    )
    wrapped.chat_template = _CHAT
    return wrapped


def randomise(model: torch.nn.Module) -> None:
    """Fill parameters and buffers with random numbers that are the same in every run.

    Names decide, not the order of creation: it differs between versions of transformers.
    """
    with torch.no_grad():
        for name, tensor in sorted([*model.named_parameters(), *model.named_buffers()]):
            generator = torch.Generator().manual_seed(_SEED + sum(name.encode()))
            noise = torch.randn(tensor.shape, generator=generator)
            if name.endswith("e_score_correction_bias"):
                tensor.copy_(0.05 * noise)
            elif isinstance(tensor, torch.nn.Parameter):
                if tensor.dim() > 1:
                    tensor.copy_(_DEVIATION * noise)
                else:
                    tensor.copy_(("norm" in name) + 0.1 * noise)


def load(recipe: Recipe, directory: Path) -> Any:
    """Return the model that transformers reads from ``directory``, in float32."""
    loader = getattr(transformers, recipe.auto_class)
    model = loader.from_pretrained(directory, dtype=torch.float32, attn_implementation="eager")
    return model.eval()


def make(recipe: Recipe, directory: Path) -> None:
    """Write the model, its tokenizer and its processor to ``directory``."""
    configuration = recipe.configuration()
    configuration.dtype = torch.float32
    loader = getattr(transformers, recipe.auto_class)
    model = loader.from_config(configuration, dtype=torch.float32, attn_implementation="eager")
    randomise(model)
    model.generation_config.eos_token_id = END
    model.save_pretrained(directory)
    words = tokenizer(recipe.special_tokens)
    words.save_pretrained(directory)
    if recipe.processor is not None:
        recipe.processor(words).save_pretrained(directory)


def answer(case: Case, directory: Path) -> None:
    """Write the model to ``directory`` and the expected answer to ``CASE.reference.json`` in it."""
    made = directory / "executed"
    if not (directory / "config.json").exists():
        with executed.shared(made):
            make(case.model, directory)
    else:
        executed.include(made)
    oracle = Oracle(case, directory, load(case.model, directory))
    result = {
        "answer": case.expect(oracle),
        "margin": oracle.margin,
        "transformers": transformers.__version__,
    }
    (directory / f"{case.name}.reference.json").write_text(json.dumps(result))


def main() -> None:
    """Answer the cases in the JSON file ``--tasks``; a failure of one does not stop the others."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", required=True, type=Path)
    torchvision_stand_in.declare()
    in_children(json.loads(parser.parse_args().tasks.read_text()), 1, _answer)


def _answer(task: Mapping[str, Any]) -> None:
    """Work on one task in this process, which is a child made for it; never returns."""
    code = 1
    try:
        os.environ[executed.FOLDER] = task["executed"]
        executed.follow()
        answer(case_of(task["module"], task["case"]), Path(task["directory"]))
        code = 0
    except BaseException:
        Path(task["log"]).write_text(traceback.format_exc())
    finally:
        os._exit(code)


if __name__ == "__main__":
    main()
