"""``gui-gym serve``: desktops of this machine for clients on other machines or in other processes."""

from __future__ import annotations

import ipaddress
import secrets
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

import tyro

from gui_gym.desktops import DESKTOPS, Desktop, make_desktop
from gui_gym.desktops.guest.wire import TOKEN_FILE_VARIABLE, TOKEN_VARIABLE, read_token


@dataclass
class Serve:
    """Offer desktops over OSWorld's HTTP API: to GuiDesktop-v0 elsewhere, and to OSWorld's own clients.

    Each session (the user name in a client's address) has a desktop of its own, made when it is first asked for. Whoever holds the
    token can run programs inside the desktops' sandboxes; what is sent is not encrypted, so use a network you trust, or a tunnel (ssh -L).
    The token is taken from GUI_GYM_GUEST_TOKEN or the file that GUI_GYM_GUEST_TOKEN_FILE names; without either one is made and printed.
    """

    desktop: str = "x11"
    """Kind of desktop: x11, or sim, which runs no programs."""
    width: int = 1920
    """Width of the screens, in pixels."""
    height: int = 1080
    """Height of the screens, in pixels."""
    host: str = "127.0.0.1"
    """Address of this machine to listen on; 127.0.0.1 is reached from this machine alone, 0.0.0.0 from every network."""
    port: int = 5000
    """TCP port; 0 takes a free one."""
    browser_port: int | None = None
    """TCP port on which OSWorld's clients look for the browser of their session (their chromium_port, 9222); by default none."""
    max_sessions: int = 4
    """Most desktops at a time; a request for one more is refused."""
    idle_seconds: float = 3600.0
    """A desktop that nobody has used for so long is closed."""
    max_upload_mb: int = 256
    """Longest file that is taken, in MiB."""
    spares: int | None = None
    """Desktops kept started for the next reset, on kinds that take time to start; by default the kind's own number."""
    allow_host: Annotated[tuple[str, ...], tyro.conf.UseAppendAction] = ()
    """Name of this machine that clients may use besides IP addresses and localhost; may be given several times."""
    unsafe_no_sandbox: bool = False
    """Run the desktops' programs without a sandbox: clients then act as the user that runs this."""
    unsafe_no_token: bool = False
    """Ask for no token: any user and program of this machine can then run programs in the desktops."""
    unsafe_open_network: bool = False
    """With --unsafe-no-token and a --host that others reach: let everybody on the network do that."""

    def run(self) -> int:
        from gui_gym.desktops.guest.server.app import guest_app, listen, run

        token, made = self._token()
        make, about = self._desktops()
        app = guest_app(make, about, token, self.max_sessions, self.idle_seconds, self.max_upload_mb << 20, self.allow_host)
        listeners = [listen(self.host, port) for port in (self.port, self.browser_port) if port is not None]
        print(self._greeting(listeners[0].getsockname()[1], token, made), flush=True)
        run(app, listeners)
        return 0

    def _token(self) -> tuple[str | None, bool]:
        """The token, and whether it was made here."""
        for name in ("max_sessions", "idle_seconds", "max_upload_mb"):
            if getattr(self, name) <= 0:
                raise ValueError(f"--{name.replace('_', '-')} is {getattr(self, name)}: expected more than 0")
        if not self.unsafe_no_token:
            token = read_token()
            return (token, False) if token else (secrets.token_urlsafe(24), True)
        if not _loopback(self.host) and not self.unsafe_open_network:
            raise ValueError(
                f"--unsafe-no-token with --host {self.host} lets everybody on the network run programs here: "
                "leave it out, or add --unsafe-open-network if that is what you want"
            )
        return None, False

    def _desktops(self) -> tuple[Any, dict[str, Any]]:
        """What makes a desktop, and what clients are told of them. One is made at once, so that what is wrong is said at the start."""
        DESKTOPS.get(self.desktop)
        if self.desktop == "guest":
            raise ValueError("--desktop guest is a desktop of another machine: start gui-gym serve there")
        options: dict[str, Any] = {"unsafe_no_sandbox": True} if self.unsafe_no_sandbox else {}
        if self.spares is not None:
            options["spares"] = self.spares
        make = partial(make_desktop, self.desktop, self.width, self.height, **options)
        desktop: Desktop = make()
        desktop.close()
        about = {name: getattr(desktop, name) for name in ("width", "height", "real", "network")}
        return make, {"desktop": desktop.kind, **about}

    def _greeting(self, port: int, token: str | None, made: bool) -> str:
        host = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(self.host, f"[{self.host}]" if ":" in self.host else self.host)
        if token is None:
            said, secret = "UNSAFE: no token is asked for; whoever can connect runs programs in the desktops.", ""
        elif made:
            said, secret = f"Token: {token}", f"{token}@"
        else:
            said, secret = f"The token is the one of {TOKEN_VARIABLE} or {TOKEN_FILE_VARIABLE}.", "TOKEN@"
        user = f"{'session:' + secret if secret else ''}{host}"
        export = f"  export {TOKEN_VARIABLE}={secret.removesuffix('@')}\n" if made else ""
        return (
            f"Up to {self.max_sessions} desktops of kind {self.desktop}, {self.width}x{self.height}, at http://{host}:{port}\n{said}\n"
            f"Gymnasium:\n{export}"
            f'  gym.make("GuiDesktop-v0", suite="osworld", tasks=..., desktop="http://{host}:{port}")\n'
            f"OSWorld's clients (any name in place of session is a desktop of its own):\n"
            f'  PythonController(vm_ip="{user}", server_port={port})\n'
            f"A clean desktop: curl -X POST http://{user}:{port}/gui-gym/reset\n"
            "Stop with Ctrl+C."
        )


def _loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
