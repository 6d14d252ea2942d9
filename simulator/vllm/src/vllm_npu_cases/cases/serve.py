"""``vllm serve``: completions, chat, a picture, streaming, and the endpoints that empty the caches."""

import base64
import io
import json
import os
import re
from typing import TYPE_CHECKING, Any

from vllm_npu_cases.cases import register
from vllm_npu_cases.cases.case import Case, equal
from vllm_npu_cases.models.qwen3_vl import RECIPE
from vllm_npu_cases.models.vision import IMAGE, START, STOP
from vllm_npu_cases.plugins import plugin
from vllm_npu_cases.question import TEXTS, Request

if TYPE_CHECKING:
    from vllm_npu_cases.server import Server
    from vllm_npu_cases.session import Session

#: In a conversation the pictures come before the words.
_SHOWN = Request((START, IMAGE, STOP, 5, 17, 99, 230), images=((1, 112, 112),))
_REQUESTS = (*TEXTS, _SHOWN)
#: Tokens of the longest prompt that fill a block of the cache.
_BLOCK = 128


def _message(request: Request) -> dict[str, Any]:
    """Return a conversation that becomes the prompt of the request."""
    from vllm_npu_cases import media

    words = [f"w{token}" for token in request.prompt if token not in (START, IMAGE, STOP)]
    parts: list[dict[str, Any]] = [{"type": "text", "text": " ".join(words)}]
    for image in request.images:
        file = io.BytesIO()
        media.image(*image).save(file, "PNG")
        address = f"data:image/png;base64,{base64.b64encode(file.getvalue()).decode()}"
        parts.append({"type": "image_url", "image_url": {"url": address}})
    return {"messages": [{"role": "user", "content": parts}]}


def _ask(session: "Session") -> Any:
    from vllm_npu_cases.server import Server

    settings = session.settings(enable_prefix_caching=True, enable_prompt_tokens_details=True)
    # The metrics tell what was found in a cache.
    del settings["disable_log_stats"]
    with Server(session.directory, settings, session.directory / f"serve.{os.getpid()}.log") as server:
        session.runners.update(server.post("/collective_rpc", {"method": "probe_runner"})["results"])
        answer = _Client(server, session.case.new_tokens).everything()
        for calls in server.post("/collective_rpc", {"method": "probe_operators"})["results"]:
            session.operators.update(calls)
    return answer


class _Client:
    """Asks a server what the case is about."""

    def __init__(self, server: "Server", new_tokens: int) -> None:
        self._server = server
        self._sampling = {"model": "tiny", "temperature": 0, "ignore_eos": True, "return_token_ids": True}
        self._limit = new_tokens

    def everything(self) -> dict[str, Any]:
        """Return the tokens of every way to ask, and what each reset has done."""
        prompts = [list(request.prompt) for request in TEXTS]
        ask = {**self._sampling, "max_tokens": self._limit}
        together = self._server.post("/v1/completions", {**ask, "prompt": prompts})
        chats = [self._chat(request) for request in _REQUESTS]
        streams = [self._server.stream("/v1/completions", {**ask, "prompt": prompt}) for prompt in prompts]
        conversation = {**self._sampling, "max_completion_tokens": self._limit, **_message(_SHOWN)}
        streams.append(self._server.stream("/v1/chat/completions", conversation))
        return {
            "completions": [choice["token_ids"] for choice in together["choices"]],
            "chat": [choice["token_ids"] for choice in chats],
            "streams": [[_tokens(event) for event in events] for events in streams],
            **self._resets(),
        }

    def _chat(self, request: Request) -> Any:
        body = {**self._sampling, "max_completion_tokens": self._limit, **_message(request)}
        return self._server.post("/v1/chat/completions", body)["choices"][0]

    def _resets(self) -> dict[str, Any]:
        """Return what is in each cache before and after it is emptied."""
        found: dict[str, Any] = {"prefix": [self._cached()]}
        self._server.post("/reset_prefix_cache")
        found["prefix"] += [self._cached(), self._cached()]
        found["pictures"] = [self._hits(), self._hits()]
        self._server.post("/reset_mm_cache")
        found["pictures"] += [self._hits(), self._hits()]
        found["encoder"], found["told"] = [self._encoded()], [self._told()]
        self._server.post("/reset_encoder_cache")
        found["encoder"].append(self._encoded())
        found["told"].append(self._told())
        self._hits()
        self._server.post("/reset_mm_cache")
        found["encoder"].append(self._encoded())
        found["told"].append(self._told())
        found["afterwards"] = [self._chat(_SHOWN)["token_ids"], self._chat(TEXTS[0])["token_ids"]]
        return found

    def _cached(self) -> int:
        """Return how many tokens of the longest prompt are found in the cache."""
        body = {**self._sampling, "max_tokens": 1, "prompt": list(TEXTS[2].prompt)}
        details = self._server.post("/v1/completions", body)["usage"]["prompt_tokens_details"]
        return int((details or {}).get("cached_tokens") or 0)

    def _hits(self) -> int:
        """Ask about the picture; return how often a prepared picture was found until then."""
        self._chat(_SHOWN)
        numbers = re.findall(r"^vllm:mm_cache_hits_total\{.*\} (\S+)$", self._server.get("/metrics"), re.MULTILINE)
        return round(sum(map(float, numbers)))

    def _encoded(self) -> int:
        """Return how many pictures the workers keep encoded."""
        answer = self._server.post("/collective_rpc", {"method": "probe_encoder_cache"})
        return sum(map(int, answer["results"]))

    def _told(self) -> dict[str, int]:
        """Return how many pictures are kept encoded, and their bytes, as the engine, worker and metrics tell."""
        if "encoder_cache_bytes" not in plugin().features:
            return {}
        answer = json.loads(self._server.get("/encoder_cache_info"))
        (engine,), (worker,) = answer["engines"], answer["workers"]
        metrics = self._server.get("/metrics")
        told = {}
        for name in ("entries", "bytes"):
            (metric,) = re.findall(rf"^ascend:encoder_cache_{name}\{{.*\}} (\S+)$", metrics, re.MULTILINE)
            if not engine[name] == worker[name] == float(metric):
                raise AssertionError(f"{name}: engine {engine}, worker {worker}, metric {metric}")
            told[name] = worker[name]
        return told


def _tokens(event: Any) -> list[int]:
    return [token for choice in event["choices"] for token in choice.get("token_ids") or ()]


def _differs(answer: Any, expected: Any) -> str | None:
    streams = [[token for tokens in events for token in tokens] for events in answer["streams"]]
    asked = {
        "completions": (answer["completions"], expected[:-1]),
        "chat": (answer["chat"], expected),
        "streaming": (streams, expected),
        "after the resets": (answer["afterwards"], [expected[-1], expected[0]]),
    }
    for way, (got, wanted) in asked.items():
        if (difference := equal(got, wanted)) is not None:
            return f"{way}: {difference}"
    if answer["prefix"] != [_BLOCK, 0, _BLOCK]:
        return f"/reset_prefix_cache: found before, after and again are {answer['prefix']} tokens"
    first, second, third, fourth = answer["pictures"]
    if [second - first, third - second, fourth - third] != [1, 0, 1]:
        return f"/reset_mm_cache: pictures found until then are {answer['pictures']}"
    told = [each for each in answer["told"] if each]
    # By itself vLLM's reset of prepared inputs keeps what the encoder made of them.
    emptied = answer["encoder"][1:] if told else answer["encoder"][1:2]
    if not answer["encoder"][0] or any(emptied):
        return f"pictures kept before and after /reset_encoder_cache and after /reset_mm_cache are {answer['encoder']}"
    if told and ([each["entries"] for each in told] != answer["encoder"] or not told[0]["bytes"]):
        return f"the encoder cache: kept are {answer['encoder']}, told are {answer['told']}"
    return None


register(
    Case("serve", RECIPE, requests=_REQUESTS, ask=_ask, differs=_differs, faults=("later_slot", "prefix_cache_kept"))
)
