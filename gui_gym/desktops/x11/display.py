"""The X side of a desktop: a connection that never hangs, its windows, and when the screen has settled."""

from __future__ import annotations

import select
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from gui_gym.desktops.base import DesktopError
from gui_gym.desktops.windows import Window

try:
    import xcffib
    import xcffib.damage
    import xcffib.xproto as xproto
    import xcffib.xtest
    from xcffib import ffi, lib
except ModuleNotFoundError as error:
    raise ImportError('the x11 desktop needs xcffib: pip install "gui-gym[x11]"') from error

REPLY_TIMEOUT = 10.0  #: seconds after which a server that does not answer counts as dead
QUIET = 0.020  #: seconds without drawing after which a screen counts as settled
QUIET_UNPINGED = 0.060  #: the same where no program said that it has seen the input
QUIET_TYPED = 0.15  #: the same after text, which programs check and complete a while later (GTK's file dialog after 0.1 s)
SETTLE_LIMIT = 2.0  #: seconds after which a screen that never rests is shown as it is
BACKGROUND = 0x3B5F7F  #: colour of the empty desktop, red-green-blue
_TYPING_SECONDS = 0.002  # more to settle for each character typed
_ASK_AGAIN = 0.02  # seconds without an answer after which the window manager is asked again
_HANGS = 1.0  # seconds without an answer after which a program hangs
_FLOOD_SECONDS = 10.0  # longest time that events are taken in without an end
_POLL = 0.005


class XConnection(xcffib.Connection):
    """An xcffib connection over a connected socket, whose waits are bounded: any program on the desktop can stop or grab the X server."""

    core: Any
    setup: Any

    def __init__(self, fd: int, cookie: bytes):
        # not xcffib's own constructor: it lets go of the two texts before libxcb has read them
        name, data = ffi.new("char[]", b"MIT-MAGIC-COOKIE-1"), ffi.new("char[]", cookie)
        auth = ffi.new("xcb_auth_info_t *", {"name": name, "namelen": len(name) - 1, "data": data, "datalen": len(cookie)})
        self._conn = lib.xcb_connect_to_fd(fd, auth)
        self.pref_screen = 0
        self.invalid()
        self._init_x()

    def wait_readable(self, seconds: float) -> None:
        """Wait until the server has sent something, at most ``seconds``."""
        poll = select.poll()  # select() takes no descriptor above 1023
        poll.register(self.get_file_descriptor(), select.POLLIN)
        poll.poll(seconds * 1000)

    def wait_for_reply(self, sequence: int) -> Any:
        self.flush()
        deadline = time.monotonic() + REPLY_TIMEOUT
        reply, error = ffi.new("void **"), ffi.new("xcb_generic_error_t **")
        while not lib.xcb_poll_for_reply(self._conn, sequence, reply, error):
            left = deadline - time.monotonic()
            if left <= 0:
                raise DesktopError(f"the X server did not answer within {REPLY_TIMEOUT:g} s; reset starts a new one")
            self.wait_readable(left)
        self.invalid()
        if error[0] != ffi.NULL:
            self._process_error(ffi.gc(error[0], xcffib.c_free))
        if reply[0] == ffi.NULL:
            raise xcffib.XcffibException(f"no reply to request {sequence}")
        data = ffi.gc(reply[0], xcffib.c_free)
        return xcffib.CffiUnpacker(data, known_max=32 + ffi.cast("xcb_generic_reply_t *", data).length * 4)


@contextmanager
def x_errors(doing: str, state: Callable[[], str] = str) -> Iterator[None]:
    """Turn what xcffib raises into :class:`DesktopError`; ``state`` says what became of the server."""
    try:
        yield
    except (xcffib.XcffibException, xcffib.ConnectionException, xcffib.Error, OSError) as error:
        if isinstance(error, DesktopError):
            raise
        said = f" ({text})" if (text := state()) else ""
        raise DesktopError(f"the X server failed while {doing}: {type(error).__name__} {error}{said}; reset starts a new one") from error


class Display:
    """A connection to one X server, with its window manager running.

    Args:
        fd: connected socket; taken over.
        cookie: the server's MIT-MAGIC-COOKIE-1.
    """

    def __init__(self, fd: int, cookie: bytes, timeout: float = 20.0):
        self._atoms: dict[str, int] = {}
        self._damaged = 0.0  # when something was last drawn or a window came up
        self._serial = 0
        self._pongs: set[int] = set()
        self._deaf: set[int] = set()  # windows that did not answer their last ping
        self._awaited = 0  # the window whose answer is waited for, 0 once it is gone
        self._framed = False  # whether the window manager has answered
        with x_errors("connecting"):
            self.x = XConnection(fd, cookie)
            try:
                self._prepare(time.monotonic() + timeout)
            except BaseException:  # whatever stopped it, the connection must not leak
                self.x.disconnect()
                raise

    def _prepare(self, deadline: float) -> None:
        self.root = self.x.setup.roots[0].root
        self.xtest = self.x(xcffib.xtest.key)
        damage = self.x(xcffib.damage.key)
        damage.QueryVersion(1, 1).reply()
        damage.Create(self.x.generate_id(), self.root, xcffib.damage.ReportLevel.RawRectangles)
        # pongs go to the root window; with SubstructureNotify alone Qt's never arrive
        mask = xproto.EventMask.SubstructureNotify | xproto.EventMask.StructureNotify
        self.x.core.ChangeWindowAttributes(self.root, xproto.CW.BackPixel | xproto.CW.EventMask, [BACKGROUND, mask])
        self.x.core.ClearArea(False, self.root, 0, 0, 0, 0)
        self._probe = self.x.generate_id()  # never shown: what the window manager is asked about
        mask = xproto.EventMask.PropertyChange
        self.x.core.CreateWindow(0, self._probe, self.root, -1, -1, 1, 1, 0, xproto.WindowClass.InputOnly, 0, xproto.CW.EventMask, [mask])
        while not self._cardinals(self.root, "_NET_SUPPORTING_WM_CHECK"):
            if time.monotonic() > deadline:
                raise DesktopError("the window manager openbox did not start in time")
            time.sleep(_POLL)

    def close(self) -> None:
        self.x.disconnect()

    def sync(self) -> None:
        """Wait until the server has handled every request so far."""
        self.x.core.GetInputFocus().reply()

    def pointer(self) -> tuple[int, int, int]:
        """``x``, ``y`` and the mask of held buttons and modifiers."""
        reply = self.x.core.QueryPointer(self.root).reply()
        return reply.root_x, reply.root_y, reply.mask

    # -- windows -----------------------------------------------------------------------------------------------------

    def atom(self, name: str) -> int:
        if name not in self._atoms:
            self._atoms[name] = self.x.core.InternAtom(False, len(name), name).reply().atom
        return self._atoms[name]

    def _property(self, window: int, name: str) -> Any:
        try:
            return self.x.core.GetProperty(False, window, self.atom(name), 0, 0, 4096).reply()
        except xproto.WindowError:  # it closed meanwhile
            return None

    def _cardinals(self, window: int, name: str) -> list[int]:
        reply = self._property(window, name)
        return list(reply.value.to_atoms()) if reply is not None and reply.format == 32 else []

    def _text(self, window: int, name: str) -> str:
        reply = self._property(window, name)
        return bytes(reply.value.buf()).decode(errors="replace") if reply is not None and reply.format == 8 else ""

    def windows(self) -> list[Window]:
        """Windows of programs, oldest first; not what a program shows while it starts."""
        found = []
        for window in self._cardinals(self.root, "_NET_CLIENT_LIST"):
            if self.atom("_NET_WM_WINDOW_TYPE_SPLASH") in self._cardinals(window, "_NET_WM_WINDOW_TYPE"):
                continue
            try:
                size = self.x.core.GetGeometry(window).reply()
                place = self.x.core.TranslateCoordinates(window, self.root, 0, 0).reply()
            except (xproto.DrawableError, xproto.WindowError):  # it closed meanwhile
                continue
            title = self._text(window, "_NET_WM_NAME") or self._text(window, "WM_NAME")
            wm_class = ".".join(self._text(window, "WM_CLASS").rstrip("\0").split("\0"))
            found.append(Window(window, title, wm_class, (place.dst_x, place.dst_y, size.width, size.height)))
        return found

    def active(self) -> int:
        """Id of the window with the focus, 0 if none has it."""
        return next(iter(self._cardinals(self.root, "_NET_ACTIVE_WINDOW")), 0)

    def ask_manager(self, window: int, name: str) -> None:
        """Send the window manager a request about ``window``, as a pager does."""
        self._send(self.root, window, name, [2, 0, 0, 0, 0] if name == "_NET_ACTIVE_WINDOW" else [0, 2, 0, 0, 0])

    def _send(self, to: int, window: int, name: str, data: list[int]) -> None:
        union = xproto.ClientMessageData.synthetic(data, "IIIII")
        event = xproto.ClientMessageEvent.synthetic(32, window, self.atom(name), union)
        mask = xproto.EventMask.SubstructureRedirect | xproto.EventMask.SubstructureNotify if to == self.root else 0
        self.x.core.SendEvent(False, to, mask, event.pack())
        self.x.flush()

    # -- settling ----------------------------------------------------------------------------------------------------

    def settle(self, characters: int = 0, only_if_drawn: bool = False) -> dict[str, float]:
        """Wait until the active window's program has seen its input, nothing was drawn for a short time, and the program answers again.

        That it answers twice matters where an input begins with a question to the X server: GTK asks what is in the clipboard
        before it shows a menu. At most a limit.

        Args:
            characters: how much text was typed before: more time then.
            only_if_drawn: do not wait where nothing was drawn since the screen settled last.

        Returns:
            ``settled``: 1.0 if the screen has come to rest, 0.0 if it is shown as it was at the limit. In seconds: ``settle`` in all,
            ``ping`` until the program answered, ``quiet`` without drawing that was waited for, and the limit, ``settle_limit``.
        """
        limit, quiet = (SETTLE_LIMIT + characters * _TYPING_SECONDS, QUIET_TYPED) if characters else (SETTLE_LIMIT, QUIET)
        start = time.monotonic()
        deadline = start + limit
        needed = 0.0

        def figures(settled: bool) -> dict[str, float]:
            seconds = {"settle": time.monotonic() - start, "ping": answered - start, "quiet": needed, "settle_limit": limit}
            return {"settled": float(settled), **seconds}

        asked = 0
        pinged, answered = False, start
        if only_if_drawn:
            self.sync()
            last = self._damaged
            self._pump()
            if self._damaged == last:
                return figures(True)
        self._ask_manager_to_answer(deadline)
        while True:
            active = self.active()
            if active != asked:  # another window came to the front: it has not seen the input yet
                asked = active
                pinged = bool(active) and self._ping(active, deadline)
                answered = time.monotonic()
                continue  # it may have closed instead of answering
            self._pump()
            needed = quiet if pinged else max(quiet, QUIET_UNPINGED)
            last = self._damaged
            now = time.monotonic()
            if now >= deadline:
                return figures(False)
            left = min(max(last, answered) + needed, deadline) - now
            if left > 0:
                self._wait(left)
            elif not pinged or (self._ping(active, deadline) and self._damaged == last):
                return figures(True)

    def _ask_manager_to_answer(self, deadline: float) -> None:
        """Wait until the window manager has handled all input sent before: it passes on what it does not keep."""
        self._framed = False
        while not self._framed and (now := time.monotonic()) < deadline:
            self._send(self.root, self._probe, "_NET_REQUEST_FRAME_EXTENTS", [0, 0, 0, 0, 0])
            again = min(now + _ASK_AGAIN, deadline)  # while it starts it loses requests
            while not self._framed and (left := again - time.monotonic()) > 0:
                self._wait(left)
                self._pump()

    def _ping(self, window: int, deadline: float) -> bool:
        """Whether the program of ``window`` answered: it has then handled all input sent before. False once the window is gone."""
        if window in self._deaf or self.atom("_NET_WM_PING") not in self._cardinals(window, "WM_PROTOCOLS"):
            return False
        self._serial += 1
        self._awaited = window
        self.x.core.ChangeWindowAttributes(window, xproto.CW.EventMask, [xproto.EventMask.StructureNotify])
        self._send(window, window, "WM_PROTOCOLS", [self.atom("_NET_WM_PING"), self._serial, window, 0, 0])
        start = time.monotonic()
        while self._serial not in self._pongs and self._awaited:
            self._pump()
            left = deadline - time.monotonic()
            if left <= 0:
                if deadline - start > _HANGS:  # wait for it once, not at every action
                    self._deaf.add(window)
                return False
            if self._serial not in self._pongs and self._awaited:
                self._wait(left)
        self._pongs.clear()
        return bool(self._awaited)

    def _wait(self, seconds: float) -> None:
        self.x.flush()
        if seconds > 0:
            self.x.wait_readable(seconds)

    def _pump(self) -> None:
        """Take in every event that is there. :class:`DesktopError` if they come faster than that, as when a program sends them itself."""
        deadline = time.monotonic() + _FLOOD_SECONDS
        while True:
            try:
                event = self.x.poll_for_event()
            except xcffib.Error:  # of a window that closed before our request about it was handled
                continue
            if event is None:
                return
            if time.monotonic() > deadline:
                raise DesktopError("programs on the desktop send the X server's clients more events than can be taken in; reset starts a new one")
            if isinstance(event, (xcffib.damage.NotifyEvent, xproto.MapNotifyEvent)):  # a window that has come up is drawn next
                self._damaged = time.monotonic()
            elif isinstance(event, xproto.PropertyNotifyEvent) and event.window == self._probe:
                self._framed = True
            elif isinstance(event, (xproto.DestroyNotifyEvent, xproto.UnmapNotifyEvent)) and event.window == self._awaited:
                self._awaited = 0
            elif isinstance(event, xproto.ClientMessageEvent) and event.type == self.atom("WM_PROTOCOLS"):
                data = event.data.data32
                if data[1] == self._serial:
                    self._pongs.add(data[1])
                self._deaf.discard(data[2])

    def rest(self, seconds: float) -> None:
        """Sleep while taking in events; a server that dies meanwhile is noticed."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            self._pump()
            self._wait(min(left, 0.5))
