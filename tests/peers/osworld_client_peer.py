"""Drive our guest server with OSWorld's own client (PyPI ``desktop-env``), unchanged: its PythonController and SetupController.

    python tests/peers/osworld_client_peer.py --python VENV/bin/python [--only WORD ...] [--json FILE]
    python tests/peers/osworld_client_peer.py --venv DIR          # makes DIR, which takes minutes and needs a package index

Starts ``gui-gym serve`` with x11 desktops on a free port of 127.0.0.1, and gives the client the session and the token in its ``vm_ip``,
"peer:TOKEN@127.0.0.1". Every call that they have is made, and every type of setup step that needs no Internet; left out are ``googledrive``
and ``login`` (accounts), ``update_browse_history`` and ``proxy`` (downloads), and what is not written there (``tidy_desktop``, ``act``, ``replay``).

Prints a table; the exit code is 1 if a check failed.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from desktop_env_venv import make_venv

CLIENT = Path(__file__).with_name("desktop_env_client.py")
#: What their controllers import; ``desktop-env`` itself comes without its dependencies.
LIBRARIES = (
    "cssselect", "formulas", "lxml", "openpyxl", "pandas", "playwright", "pydrive", "python-dotenv", "requests", "requests_toolbelt",
    "tldextract", "xmltodict",
)  # fmt: skip
SECONDS = 900  #: most time that all checks take
WIDTH, HEIGHT = 1920, 1080


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


def drive(python: Path, only: list[str]) -> list[dict[str, Any]]:
    """What each check came to."""
    token, browser_port = secrets.token_urlsafe(24), free_port()
    size = ["--width", str(WIDTH), "--height", str(HEIGHT), "--port", "0", "--browser-port", str(browser_port)]
    server = subprocess.Popen(
        [sys.executable, "-m", "gui_gym.cli", "serve", *size], stdout=subprocess.PIPE, text=True, env={**os.environ, "GUI_GYM_GUEST_TOKEN": token}
    )
    try:
        assert server.stdout is not None
        found = next((match for line in server.stdout if (match := re.search(r"at http://127\.0\.0\.1:(\d+)", line))), None)
        if found is None:
            raise SystemExit("gui-gym serve did not start")
        with tempfile.TemporaryDirectory(prefix="gui-gym-peer-") as cache:
            asked = {
                "vm_ip": f"peer:{token}@127.0.0.1",
                "port": int(found[1]),
                "browser_port": browser_port,
                "cache": cache,
                "width": WIDTH,
                "height": HEIGHT,
                "only": only,
            }
            done = subprocess.run([python, CLIENT, json.dumps(asked)], stdout=subprocess.PIPE, text=True, timeout=SECONDS, cwd=cache)
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(60)
    if done.returncode:
        raise SystemExit(f"{CLIENT.name} failed in {python}")
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def main() -> int:
    """Run the checks; 1 if one failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("--python", type=Path, help="interpreter of an environment that has desktop-env and what its controllers import")
    where.add_argument("--venv", type=Path, help="folder of such an environment, made if it is not there")
    parser.add_argument("--only", action="append", default=[], help="only checks with this word in their name (may be repeated)")
    parser.add_argument("--json", type=Path, help="write the results to this file")
    given = parser.parse_args()
    results = drive((given.python or make_venv(given.venv, LIBRARIES)).absolute(), given.only)
    if given.json:
        given.json.write_text(json.dumps(results, indent=1, ensure_ascii=False), encoding="utf-8")
    for result in results:
        print(f"{result['verdict']:7} {result['seconds']:6.2f} s  {result['what']:16} {result['check']:48} {result['detail']}")
    failed = [result for result in results if result["verdict"] != "ok"]
    print(f"{len(results) - len(failed)} of {len(results)} checks passed")
    return int(bool(failed) or not results)


if __name__ == "__main__":
    sys.exit(main())
