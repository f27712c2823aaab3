"""A server with the routes of vLLM 0.32 that the engine uses, over a real tiny model, which can fail in each way that is known of vLLM."""

from __future__ import annotations

import base64
import io
import threading
import time
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
import uvicorn
from PIL import Image
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from agents.engines.transformers_engine import TransformersEngine, sampling_logprobs
from agents.episodes import Frame, Sampling
from agents.models import load_model
from agents.prompts import Prompt
from agents.vision import VisionInputs

NAME = "tiny"


class VllmStub:
    """Serves the model in ``folder`` on a free port of 127.0.0.1 while a ``with`` block lasts.

    ``faults[name] = n`` fails the next n requests in that way (those that fail at start: -1, for ever). ``seen`` counts requests by
    route, ``bodies`` holds those of each route, ``changed_while_busy`` says whether weights were replaced under a request.
    """

    def __init__(self, folder: Path, max_model_len: int = 2048):
        self.folder, self.max_model_len = folder, max_model_len
        self.base, processor = load_model(folder)
        self.vision = VisionInputs(processor, self.base)
        self.lock, self.release = threading.RLock(), threading.Event()
        self.port, self.replaced, self.in_flight = 0, False, 0
        self.forget()

    def forget(self) -> None:
        """As if it were started anew with the weights it began with; requests under way are answered first."""
        self.release.set()
        while self.in_flight:  # one whose client has left would else be counted off later, from the count of the next test
            time.sleep(0.01)
        self.faults: Counter[str] = Counter()
        self.key = ""
        self.adapters: dict[str, str] = {}
        self.models_of: dict[str, Any] = {}
        self.label, self.paused, self.changed_while_busy = "default", False, False
        self.seen: Counter[str] = Counter()
        self.bodies: dict[str, list] = {}
        self.most_in_flight = 0
        if self.replaced:
            self.replace(self.folder)
        self.replaced = False
        self.release.clear()

    def replace(self, folder: Path) -> None:
        """Take the weights in ``folder``."""
        self.replaced = True
        fresh = dict(type(self.base).from_pretrained(folder, dtype=self.base.dtype).named_parameters())
        with torch.no_grad():
            for name, weight in self.base.named_parameters():
                weight.copy_(fresh[name])

    # the server

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        config = uvicorn.Config(self.app(), host="127.0.0.1", port=self.port, log_level="critical", lifespan="off", timeout_graceful_shutdown=1)
        self.server = uvicorn.Server(config)
        self.thread = threading.Thread(target=self.server.run, daemon=True)
        self.thread.start()
        while not self.server.started:
            assert self.thread.is_alive(), "the stub could not start"
        self.port = self.server.servers[0].sockets[0].getsockname()[1]

    def stop(self) -> None:
        self.release.set()
        self.server.should_exit = True
        self.thread.join()

    def __enter__(self) -> VllmStub:
        self.start()
        return self

    def __exit__(self, *_) -> None:
        self.stop()

    def fails(self, name: str) -> bool:
        with self.lock:
            left = self.faults[name]
            if left > 0:
                self.faults[name] -= 1
            return left != 0

    def app(self) -> Starlette:
        posts = {
            "/inference/v1/generate": self.generate, "/v1/load_lora_adapter": self.load, "/v1/unload_lora_adapter": self.unload,
            "/pause": self.pause, "/resume": self.resume, "/collective_rpc": self.rpc, "/update_weight_version": self.relabel,
            "/reset_prefix_cache": self.reset, "/reset_mm_cache": self.nothing, "/reset_encoder_cache": self.nothing,
            "/init_weight_transfer_engine": self.nothing, "/start_weight_update": self.nothing, "/update_weights": self.nothing,
            "/finish_weight_update": self.finish,
        }  # fmt: skip
        routes = [Route(path, self.guarded(path, handler), methods=["POST"]) for path, handler in posts.items()]
        gets = {"/health": self.health, "/v1/models": self.models, "/get_world_size": self.world}
        return Starlette(routes=routes + [Route(path, self.guarded(path, handler)) for path, handler in gets.items()])

    def guarded(self, path, handler):
        async def answer(request: Request) -> Response:
            with self.lock:
                self.seen[path] += 1
            if self.key and path.startswith(("/v1", "/inference")) and request.headers.get("authorization") != f"Bearer {self.key}":
                return JSONResponse({"error": "Unauthorized"}, 401)
            if self.fails(f"404 {path}"):
                return JSONResponse({"detail": "Not Found"}, 404)
            if self.fails(f"silence {path}"):
                await run_in_threadpool(self.release.wait)
            if self.fails(f"500 {path}"):
                return error(500, f"no such luck; your header was {request.headers.get('authorization')}")
            raw = await request.body()
            body = await request.json() if raw else {}
            self.bodies.setdefault(path, []).append(body)
            return await run_in_threadpool(handler, SimpleNamespace(body=body, query=dict(request.query_params)))

        return answer

    # routes

    def health(self, request) -> Response:
        return Response(status_code=503 if self.fails("sick") else 200)

    def world(self, request) -> Response:
        return JSONResponse({"world_size": 1})

    def nothing(self, request) -> Response:
        return Response(status_code=200)

    def models(self, request) -> Response:
        cards = [{"id": NAME, "root": str(self.folder), "parent": None, "max_model_len": self.max_model_len}]
        return JSONResponse({"object": "list", "data": cards + [{"id": n, "root": p, "parent": NAME} for n, p in self.adapters.items()]})

    def load(self, request) -> Response:
        name, path = request.body["lora_name"], request.body["lora_path"]
        if name in self.adapters:
            return error(
                400, f"The lora adapter '{name}' has already been loaded. If you want to load the adapter in place, set 'load_inplace' to True."
            )
        if not (Path(path) / "adapter_config.json").is_file():
            return error(404, f"Loading lora {name} failed: No adapter found for {path}")
        from peft import PeftModel

        model = PeftModel.from_pretrained(load_model(self.folder)[0], path).eval()
        text = set(model.get_base_model().get_decoder().modules())
        updates = [(module, module.lora_B["default"].weight.data) for module in model.modules() if hasattr(module, "lora_B")]
        if self.fails("text layers only"):  # as a server without --enable-tower-connector-lora
            for module, weight in updates:
                weight.mul_(module in text)
        if self.fails("damaged adapter"):
            updates[0][1].fill_(float("nan"))
        self.adapters[name], self.models_of[name] = path, model
        return Response(f"Success: LoRA adapter '{name}' added successfully.")

    def unload(self, request) -> Response:
        name = request.body["lora_name"]
        if self.adapters.pop(name, None) is None:
            return error(404, f"The lora adapter '{name}' cannot be found.")
        return Response(f"Success: LoRA adapter '{name}' removed successfully.")

    def pause(self, request) -> Response:
        self.paused = True
        return JSONResponse({"status": "paused"})

    def resume(self, request) -> Response:
        self.paused = False
        return JSONResponse({"status": "resumed"})

    def rpc(self, request) -> Response:
        assert request.body["method"] == "reload_weights" and self.paused
        self.changed_while_busy |= self.in_flight > 0
        if not self.fails("old weights from the cache"):
            self.replace(Path(request.body["kwargs"]["weights_path"]))
        return JSONResponse({"results": [None]})

    def relabel(self, request) -> Response:
        self.label = request.body["new_version"]
        return JSONResponse({"success": True})

    def finish(self, request) -> Response:
        self.label = request.body["weight_version"]
        return JSONResponse({"message": "Weight update finished"})

    def reset(self, request) -> Response:
        return JSONResponse({"success": not self.fails("cache in use")})

    # sampling

    def model_of(self, name: str) -> Any:
        return self.base if name == NAME or self.fails("adapter ignored") else self.models_of[name]

    def expand(self, ids: list[int], frames: list[Frame]) -> tuple[list[int], list[dict]]:
        """As vLLM: each image takes the next placeholder that is left; a placeholder without image stays."""
        out, places, waiting = [], [], list(frames)
        for i in ids:
            if i == self.vision.image_token_id and waiting:
                new = self.vision.expansion(waiting.pop(0))
                places.append({"offset": len(out), "length": len(new)})
                out += new
            else:
                out.append(i)
        if waiting:
            raise IndexError(f"Failed to apply prompt replacement for mm_items['image'][{len(places)}]")
        return out, places

    def generate(self, request) -> Response:
        with self.lock:
            self.in_flight += 1
            self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            return self._generate(request.body)
        finally:
            with self.lock:
                self.in_flight -= 1

    def _generate(self, body: dict) -> Response:
        if self.fails("scale-out disabled"):
            return JSONResponse({"error": {"message": "scale-out endpoints are disabled", "code": 403}}, 403)
        if self.fails("busy"):
            return error(503, "overloaded")
        if self.fails("slow"):
            self.release.wait(20)
        if self.fails("connection reset"):
            return StreamingResponse(iter([b'{"request_id"']), headers={"content-length": "5000"}, media_type="application/json")
        if self.fails("truncated JSON"):
            return Response('{"choices": [{"index": 0, "tok', media_type="application/json")
        name, params = body["model"], body["sampling_params"]
        if name != NAME and name not in self.adapters:
            return error(404, f"The model `{name}` does not exist. Valid aliases: {NAME}.")
        parts = [] if self.fails("image dropped") else body["content_parts"]
        frames = [picture(part["url"]) for part in parts]
        try:
            ids, places = self.expand(body["token_ids"], frames)
        except IndexError as problem:
            return error(500, str(problem))
        bias = {int(i) for i in params.get("logit_bias") or {}}
        allowed = params.get("allowed_token_ids")
        width = max(len(self.vision.tokenizer), max(self.vision.tokens.suppress) + 1)
        suppress = tuple(sorted(bias if allowed is None else set(range(width)) - set(allowed)))
        sampling = Sampling(params["temperature"], params["max_tokens"], suppress)
        inside = {i for place in places for i in range(place["offset"], place["offset"] + place["length"])}
        read = [0 if token == self.vision.image_token_id and at not in inside else token for at, token in enumerate(ids)]
        with self.lock:
            choice = self._sample(self.model_of(name), read, frames, sampling, params)
        choice["weight_versions"] = [{"version": self.label, "start": 0, "end": len(choice["token_ids"])}]
        if self.fails("weights changed under way"):
            choice["weight_versions"] = [{"version": v, "start": 0, "end": 1} for v in (self.label, "another")]
        self.spoil(choice, sampling)
        return JSONResponse(
            {"request_id": "r", "prompt_token_ids": ids, "mm_placeholders": {"image": places} if places else None, "choices": [choice]}
        )

    @torch.no_grad()
    def _sample(self, model, ids, frames, sampling: Sampling, params: dict) -> dict:
        raw = self.fails("raw log-probs")
        if params["logprobs"] > 0:
            logits = model(**self.vision.batch([ids], [frames]), logits_to_keep=1).logits[0, -1].float()
            found = logits.log_softmax(-1) if raw else sampling_logprobs(logits, sampling)
            order = [i for i in range(len(found)) if i not in set(sampling.suppress)]
            if raw:  # the likeliest of all: what is left out is not left out of them
                order = order[:1] + found.topk(params["logprobs"]).indices.tolist()
            top = [{"token_id": i, "logprob": wire(float(found[i])), "rank": 1} for i in order]
            return {"index": 0, "finish_reason": "length", "token_ids": order[:1], "logprobs": {"content": [{**top[0], "top_logprobs": top}]}}
        prompt = Prompt(tuple(ids), tuple(frames), (), "", (1, 1), ())
        said = TransformersEngine(model, self.vision).generate([prompt], sampling, [params["seed"]])[0]
        logprobs = list(said.logprobs)
        if raw:
            logits = model(**self.vision.batch([[*ids, *said.ids]], [frames])).logits[0, len(ids) - 1 : -1].float()
            logprobs = logits.log_softmax(-1)[torch.arange(len(said.ids)), list(said.ids)].tolist()
        content = [{"token_id": i, "logprob": wire(p), "rank": 1, "top_logprobs": []} for i, p in zip(said.ids, logprobs, strict=True)]
        return {"index": 0, "finish_reason": said.finish_reason, "token_ids": list(said.ids), "logprobs": {"content": content}}

    def spoil(self, choice: dict, sampling: Sampling) -> None:
        content = choice["logprobs"]["content"]
        if self.fails("no log-probs"):
            choice["logprobs"] = None
        if self.fails("a log-prob short"):
            content.pop()
        if self.fails("NaN"):
            content[0]["logprob"] = -9999.0  # what vLLM writes for it
        if self.fails("null"):
            content[0]["logprob"] = None
        if self.fails("positive log-prob"):
            content[0]["logprob"] = 0.5
        if self.fails("suppressed id"):
            choice["token_ids"][0] = content[0]["token_id"] = sampling.suppress[0]
        if self.fails("cut early"):
            choice["finish_reason"] = "length"
            del choice["token_ids"][1:], content[1:]
        if self.fails("aborted"):
            choice["finish_reason"] = "abort"
        if self.fails("no choice"):
            choice.clear()


def error(status: int, message: str) -> JSONResponse:
    return JSONResponse({"error": {"message": message, "type": "Error", "param": None, "code": status}}, status)


def wire(logprob: float) -> float:
    return logprob if np.isfinite(logprob) else -9999.0  # as vLLM writes NaN and minus infinity


def picture(url: str) -> Frame:
    head, _, data = url.partition(",")
    assert head == "data:image/png;base64"
    return Frame(np.asarray(Image.open(io.BytesIO(base64.b64decode(data))).convert("RGB")))
