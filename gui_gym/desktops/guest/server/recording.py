"""Recordings of a session's screen, as mp4: frames of the desktop, packed by ffmpeg on this machine."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from gui_gym.desktops.base import Desktop, DesktopError
from gui_gym.desktops.guest.server.replies import RequestError
from gui_gym.desktops.guest.server.sessions import NoSessionError, Session

RATE = 5  #: frames a second
LONGEST_SECONDS = 3600.0  #: a recording that nobody ends stops by itself
MAX_BYTES = 256 << 20  #: and so does one of a screen full of noise, which cannot be packed
_FINISH_SECONDS = 60.0


class Recorder:
    """One recording, begun when made. Raises :class:`RequestError` where ffmpeg is missing."""

    def __init__(self, width: int, height: int):
        ffmpeg = shutil.which("ffmpeg")
        if ffmpeg is None:
            raise RequestError("recordings need ffmpeg on the server's machine: apt-get install ffmpeg", 501)
        self._folder = tempfile.TemporaryDirectory(prefix="gui-gym-recording-")
        self._path = Path(self._folder.name, "recording.mp4")
        given = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}", "-r", str(RATE), "-i", "-"]
        # H.264 wants even sides
        made = ["-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-pix_fmt", "yuv420p", "-preset", "ultrafast", "-fs", str(MAX_BYTES), str(self._path)]
        argv = [ffmpeg, "-nostdin", "-loglevel", "error", *given, *made]
        self._process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=self._folder.name)
        self._start, self._frames = time.monotonic(), 0
        self._stopped = False

    def follow(self, session: Session) -> None:
        """Record the screen of ``session`` from now on, in the server's event loop."""
        self._task = asyncio.create_task(self._follow(session))

    async def _follow(self, session: Session) -> None:
        while not self._stopped and time.monotonic() - self._start < LONGEST_SECONDS:
            try:
                await session.do(self._add)
            except (DesktopError, NoSessionError, OSError):  # the desktop, the session or ffmpeg is gone: the recording ends here
                return
            await asyncio.sleep(max(0.0, self._start + self._frames / RATE - time.monotonic()))

    def _add(self, desktop: Desktop) -> None:
        """Add the screen as often as time since the last frame asks for."""
        frame = desktop.screenshot().tobytes()
        due = int((time.monotonic() - self._start) * RATE) + 1
        assert self._process.stdin is not None
        for _ in range(max(1, min(due - self._frames, 60 * RATE))):
            self._process.stdin.write(frame)
            self._frames += 1

    async def finish(self) -> bytes:
        """End the recording and give the file. Raises :class:`DesktopError` if ffmpeg failed."""
        self._stopped = True
        await asyncio.wait([self._task])
        try:
            return await asyncio.to_thread(self._finish)
        finally:
            self.close()

    def _finish(self) -> bytes:
        try:
            self._process.communicate(timeout=_FINISH_SECONDS)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise DesktopError(f"ffmpeg did not end: {error}") from error
        if self._process.returncode or not self._path.exists():
            raise DesktopError(f"ffmpeg ended with status {self._process.returncode}: the recording is lost")
        return self._path.read_bytes()

    def close(self) -> None:
        """End ffmpeg and take its file away. May be called twice."""
        self._stopped = True
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        if self._process.stdin is not None and not self._process.stdin.closed:
            try:
                self._process.stdin.close()
            except BrokenPipeError:
                pass  # what was still to be written is not wanted
        self._folder.cleanup()
