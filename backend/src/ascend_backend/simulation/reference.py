"""Makes a tiny model and the tokens that Hugging Face transformers generates greedily with it.

Run by ``check`` in a process of its own: ``python -m ascend_backend.simulation.reference``.
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
import transformers
from tokenizers import Tokenizer, pre_tokenizers
from tokenizers.models import WordLevel

from ascend_backend.simulation.models import recipes
from ascend_backend.simulation.models.recipe import END, PADDING, VOCABULARY, Recipe

#: Standard deviation of the random weights: large enough for tokens to differ from each other.
_DEVIATION = 0.15
_SEED = 0


def write_tokenizer(directory: Path) -> None:
    """Write a tokenizer of one word a token: ``w17`` is token 17."""
    words = {"<unk>": 0, "<eos>": END, "<pad>": PADDING}
    words |= {f"w{i}": i for i in range(len(words), VOCABULARY)}
    tokenizer = Tokenizer(WordLevel(words, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    wrapped = transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, unk_token="<unk>", eos_token="<eos>", pad_token="<pad>"
    )
    wrapped.save_pretrained(directory)


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
    """Write the model and its tokenizer to ``directory``."""
    configuration = recipe.configuration()
    configuration.dtype = torch.float32
    loader = getattr(transformers, recipe.auto_class)
    model = loader.from_config(configuration, dtype=torch.float32, attn_implementation="eager")
    randomise(model)
    model.generation_config.eos_token_id = END
    model.save_pretrained(directory)
    write_tokenizer(directory)


def generate(model: Any, prompt: Sequence[int], new_tokens: int) -> tuple[list[int], float]:
    """Return the greedy continuation, and the smallest lead of a chosen token over the next best."""
    tokens = torch.tensor([list(prompt)])
    margin = float("inf")
    for _ in range(new_tokens):
        with torch.no_grad():
            logits = model(input_ids=tokens).logits[0, -1].float()
        best = logits.topk(2).values
        margin = min(margin, float(best[0] - best[1]))
        tokens = torch.cat((tokens, logits.argmax().view(1, 1)), dim=1)
    return tokens[0, len(prompt) :].tolist(), margin


def main() -> None:
    """Write the model to ``--directory`` and its tokens to ``reference.json`` in it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", required=True, choices=sorted(recipes()))
    parser.add_argument("--directory", required=True, type=Path)
    arguments = parser.parse_args()
    recipe = recipes()[arguments.model]
    make(recipe, arguments.directory)
    model = load(recipe, arguments.directory)
    answers = [generate(model, prompt, recipe.new_tokens) for prompt in recipe.prompts]
    result = {
        "tokens": [tokens for tokens, _ in answers],
        "margin": min(margin for _, margin in answers),
        "transformers": transformers.__version__,
    }
    (arguments.directory / "reference.json").write_text(json.dumps(result))


if __name__ == "__main__":
    main()
