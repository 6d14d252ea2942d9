"""Hugging Face transformers, asked a question."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import transformers

from vllm_npu_cases import media
from vllm_npu_cases.question import Question, Request


@dataclass
class Oracle:
    """transformers' view of a question."""

    case: Question
    directory: Path
    model: Any
    #: The smallest lead of a chosen token over the next best: how far rounding is from changing a token.
    margin: float = float("inf")

    def inputs(self, request: Request) -> dict[str, Any]:
        """Return the model's inputs for a request, by transformers' own processor where there are media."""
        if not (request.images or request.videos or request.sounds):
            return {"input_ids": torch.tensor([list(request.prompt)])}
        processor = transformers.AutoProcessor.from_pretrained(self.directory)
        if request.sounds:
            (sound,) = request.sounds
            heard = processor.feature_extractor(
                media.sound(*sound), sampling_rate=media.SAMPLING_RATE, return_tensors="pt"
            )
            return {**heard, "decoder_input_ids": torch.tensor([list(request.prompt)])}
        words = processor.tokenizer.convert_ids_to_tokens(list(request.prompt))
        arguments: dict[str, Any] = {}
        if request.images:
            arguments["images"] = [media.image(*each) for each in request.images]
        if request.videos:
            arguments["videos"] = [media.video(*each) for each in request.videos]
            facts = [media.facts(each[1]) for each in request.videos]
            arguments["videos_kwargs"] = {"do_sample_frames": False, "video_metadata": facts}
        # Processors look for the words of a medium side by side, to put time stamps between its frames.
        text = " ".join(words).replace("|> <|", "|><|")
        return dict(processor(text=[text], return_tensors="pt", **arguments))

    def logits(self, inputs: Mapping[str, Any], answer: list[int]) -> torch.Tensor:
        """Return the logits after ``answer`` to the inputs, float32."""
        further = torch.tensor([answer], dtype=torch.long)
        extended = dict(inputs)
        longer = {
            "input_ids": further,
            "decoder_input_ids": further,
            "attention_mask": torch.ones_like(further),
            "mm_token_type_ids": torch.zeros_like(further),
        }
        for name, fill in longer.items():
            if name in inputs:
                extended[name] = torch.cat((inputs[name], fill.to(inputs[name].dtype)), dim=1)
        with torch.no_grad():
            return self.model(**extended).logits[0, -1].float()

    def greedy(self, request: Request, allowed: Collection[int] | None = None) -> list[int]:
        """Return the greedy continuation, of ``allowed`` tokens alone where they are given."""
        inputs = self.inputs(request)
        answer: list[int] = []
        for _ in range(self.case.new_tokens):
            logits = self.logits(inputs, answer)
            if allowed is not None:
                barred = torch.ones_like(logits, dtype=torch.bool)
                barred[list(allowed)] = False
                logits = logits.masked_fill(barred, float("-inf"))
            best = logits.topk(2).values
            self.margin = min(self.margin, float(best[0] - best[1]))
            answer.append(int(logits.argmax()))
        return answer
