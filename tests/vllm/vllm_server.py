"""vLLM itself as a process: started as docs/vllm.md says, with settings for a tiny model on a CPU, and ended with all its children."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from pathlib import Path

import httpx

VENV = Path(os.environ.get("VLLM_VENV", Path(__file__).parents[2] / ".venv-vllm"))
SETTINGS = {
    "VLLM_ALLOW_RUNTIME_LORA_UPDATING": "True", "VLLM_SERVER_DEV_MODE": "1", "VLLM_CPU_KVCACHE_SPACE": "1", "VLLM_CPU_OMP_THREADS_BIND": "nobind",
    "VLLM_NO_USAGE_STATS": "1", "DO_NOT_TRACK": "1", "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "2", "OMP_WAIT_POLICY": "passive",
}  # fmt: skip
ARGUMENTS = (
    "--enable-scale-out --enable-lora --max-loras 2 --max-lora-rank 16 --dtype float32 --max-model-len 2048 --max-num-seqs 16 --enforce-eager"
).split()


class VllmServer:
    """Serves the model in ``folder`` while a ``with`` block lasts; its words go to the file ``log``."""

    def __init__(self, folder: Path, log: Path, logprobs_mode: str = "processed_logprobs", *more: str):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.folder, self.log, self.mode, self.more = folder, log, logprobs_mode, more
        self.url = f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> VllmServer:
        command = [VENV / "bin" / "vllm", "serve", self.folder, "--served-model-name", "tiny", "--host", "127.0.0.1", "--port", str(self.port)]
        command += [*ARGUMENTS, "--logprobs-mode", self.mode, "--limit-mm-per-prompt", '{"image": 8}', *self.more]
        env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | SETTINGS
        with self.log.open("w") as log:
            self.process = subprocess.Popen([str(part) for part in command], stdout=log, stderr=log, env=env, start_new_session=True)
        until = time.monotonic() + 280
        while True:
            try:
                if httpx.get(self.url + "/health", timeout=5).status_code == 200:
                    return self
            except httpx.TransportError:
                pass
            if self.process.poll() is not None or time.monotonic() > until:
                self.__exit__()
                raise RuntimeError(f"vLLM did not start:\n{self.log.read_text()[-3000:]}")
            time.sleep(0.5)

    def __exit__(self, *_: object) -> None:
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
