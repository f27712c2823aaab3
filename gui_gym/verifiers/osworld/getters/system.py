"""Getters of what programs print, and of the screen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from gui_gym.tasks.fields import COMMAND, FLAG
from gui_gym.tasks.setup import Stage
from gui_gym.tasks.setup.commands import COMMAND_SECONDS, NOT_FOUND, argv_of, check_program, program_of
from gui_gym.verifiers.osworld.getters import Getter

#: Types of video (RFC 6838, and names older than their registration) that players know.
VIDEO_TYPES = (
    "3gp 3gpp 3gpp2 avi divx dv fli flv mp2t mp4 mp4v-es mpeg mpeg-system msvideo ogg quicktime vnd.divx vnd.mpegurl vnd.rn-realvideo webm x-anim "
    "x-avi x-flc x-fli x-flv x-m4v x-matroska x-mpeg x-mpeg-system x-mpeg2 x-ms-asf x-ms-asf-plugin x-ms-asx x-ms-wm x-ms-wmv x-ms-wmx x-ms-wvx "
    "x-msvideo x-nsv x-ogm x-ogm+ogg x-theora x-theora+ogg"
).split()


def _command(stage: Stage, spec: Mapping[str, Any]) -> tuple[str, str]:
    argv = argv_of(stage.desktop, spec["command"], spec.get("shell"))
    done = stage.desktop.run(argv, timeout=COMMAND_SECONDS)
    program = program_of(argv)
    if done.returncode == NOT_FOUND and "/" not in program:  # in a shell's script; one in a folder may be the agent's to keep
        check_program(stage.desktop, program)
    return done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")


def _default_video_player(stage: Stage, spec: Mapping[str, Any]) -> str | None:
    """The desktop file of the program that opens the most types of video; None if nothing opens any."""
    script = 'for kind; do xdg-mime query default "video/$kind"; done'
    done = stage.desktop.run(["bash", "-c", script, "bash", *VIDEO_TYPES], timeout=COMMAND_SECONDS)
    found = Counter(done.stdout.decode(errors="replace").split())
    return found.most_common(1)[0][0] if found else None


vm_command_line = Getter(lambda stage, spec: _command(stage, spec)[0], {"command": COMMAND}, {"shell": FLAG})
vm_command_error = Getter(lambda stage, spec: _command(stage, spec)[1], {"command": COMMAND}, {"shell": FLAG})
vm_screen_size = Getter(lambda stage, spec: {"width": stage.desktop.width, "height": stage.desktop.height}, from_author=True)
default_video_player = Getter(_default_video_player)
