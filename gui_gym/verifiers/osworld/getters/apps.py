"""Getters of applications' settings and states, and of the media inside a presentation."""

from __future__ import annotations

import base64
import http.client
import posixpath
import zipfile
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import unquote, urlsplit

from gui_gym.desktops.base import DesktopError
from gui_gym.desktops.windows import windows_of
from gui_gym.tasks.fields import NAME, PATH, TEXT, Field
from gui_gym.tasks.setup import Stage
from gui_gym.verifiers.osworld.getters import Getter
from gui_gym.verifiers.osworld.getters.files import new_folder, read_output
from gui_gym.verifiers.osworld.safe_files import UnreadableFile, check_zip, parse_xml, reading

VLC_PORT = 8080  #: of VLC's HTTP interface
VLC_PASSWORD = "password"  # noqa: S105  OSWorld's, the same on every guest
MAX_STATUS = 1 << 20  #: most bytes of what VLC says about its state
STATUS_SECONDS = 10.0  #: longest wait for a part of that

_DRAWING = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_SLIDE = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_EMBED = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}embed"

_INDEX = Field("an index from 0", lambda v: (isinstance(v, int) and not isinstance(v, bool) and v >= 0) or (isinstance(v, str) and v.isdecimal()))


def _keep(stage: Stage, spec: Mapping[str, Any], data: bytes) -> str:
    path = new_folder(stage) / spec["dest"]
    path.write_bytes(data)
    return str(path)


def _file(stage: Stage, spec: Mapping[str, Any], path: str) -> str | None:
    data = read_output(stage.desktop, path)
    return None if data is None else _keep(stage, spec, data)


def _vlc_playing_info(stage: Stage, spec: Mapping[str, Any]) -> str | None:
    """VLC's ``status.xml``; None if VLC does not run."""
    if stage.desktop.run(["pgrep", "-x", "vlc"]).returncode:
        return None
    connection = http.client.HTTPConnection("127.0.0.1", VLC_PORT)
    login = base64.b64encode(f":{VLC_PASSWORD}".encode()).decode()
    with stage.desktop.connect(VLC_PORT) as connection.sock:
        connection.sock.settimeout(STATUS_SECONDS)
        try:
            connection.request("GET", "/requests/status.xml", headers={"Authorization": f"Basic {login}"})
            response = connection.getresponse()
            data = response.read(MAX_STATUS)
        except (OSError, http.client.HTTPException) as error:
            raise DesktopError(f"VLC's HTTP interface on port {VLC_PORT} did not answer: {error}") from error
    if response.status != http.HTTPStatus.OK:
        raise DesktopError(f"VLC's HTTP interface on port {VLC_PORT} answered {response.status} {response.reason}: expected 200")
    return _keep(stage, spec, data)


def _vm_wallpaper(stage: Stage, spec: Mapping[str, Any]) -> str | None:
    """The picture that GNOME's settings name as the background; None if it is not there."""
    said = stage.desktop.run(["gsettings", "get", "org.gnome.desktop.background", "picture-uri"])
    if said.returncode:
        raise DesktopError(f"gsettings does not know the background: {said.stderr.decode(errors='replace').strip()!r:.200}")
    address = urlsplit(said.stdout.decode(errors="replace").strip().strip("'\""))
    return _file(stage, spec, unquote(address.path)) if address.scheme in ("", "file") and address.path else None


def _vm_window_size(stage: Stage, spec: Mapping[str, Any]) -> dict[str, int] | None:
    """``{"width", "height"}``, pixels without the frame, of the newest window of a class; None if there is none."""
    window = windows_of(stage.desktop).find_window(spec["app_class_name"], by_class=True)
    return {"width": window.bounds[2], "height": window.bounds[3]} if window else None


def _audio_in_slide(stage: Stage, spec: Mapping[str, Any]) -> str | None:
    return _medium(stage, spec, "/audio", lambda archive, slide: None)


def _background_image_in_slide(stage: Stage, spec: Mapping[str, Any]) -> str | None:
    return _medium(stage, spec, "/image", _background)


def _background(archive: zipfile.ZipFile, slide: str) -> str:
    """The id of the relation that a slide's background is, "" if it has none."""
    for background in parse_xml(archive.read(slide)).iter(f"{_SLIDE}bgPr"):
        for blip in background.iter(f"{_DRAWING}blip"):
            return str(blip.get(_EMBED, ""))
    return ""


_Chooser = Callable[[zipfile.ZipFile, str], str | None]  # from archive and slide to the id of a relation; None is any


def _medium(stage: Stage, spec: Mapping[str, Any], kind: str, chosen: _Chooser) -> str | None:
    """The first medium of a kind that the slide relates to, in the presentation or beside it; ``chosen`` may say which relation.

    None if the presentation, the slide or the medium is not there or cannot be read.
    """
    presentation = _file(stage, {"dest": posixpath.basename(spec["ppt_file_path"])}, spec["ppt_file_path"])
    if presentation is None:
        return None
    try:
        check_zip(presentation)
        with reading(presentation), zipfile.ZipFile(presentation) as archive:
            medium = _related(archive, f"ppt/slides/slide{int(spec['slide_index']) + 1}.xml", kind, chosen)
    except UnreadableFile:
        return None
    return _keep(stage, spec, medium) if isinstance(medium, bytes) else _file(stage, spec, medium) if medium else None


def _related(archive: zipfile.ZipFile, slide: str, kind: str, chosen: _Chooser) -> bytes | str | None:
    """What the slide relates to: the content of an entry, or the path of a file outside; None if there is none."""
    names = set(archive.namelist())
    relations = f"ppt/slides/_rels/{posixpath.basename(slide)}.rels"
    if not {slide, relations} <= names:
        return None
    wanted = chosen(archive, slide)
    for relation in parse_xml(archive.read(relations)):
        if not relation.get("Type", "").endswith(kind) or (wanted is not None and relation.get("Id") != wanted):
            continue
        target = relation.get("Target", "")
        if relation.get("TargetMode") == "External" or target.startswith("file:"):
            return unquote(urlsplit(target).path)
        entry = posixpath.normpath(posixpath.join(posixpath.dirname(slide), target)).lstrip("/")
        return archive.read(entry) if entry in names else None
    return None


_DEST = {"dest": NAME}
_IN_SLIDE = {"ppt_file_path": PATH, "slide_index": _INDEX, **_DEST}
gimp_config_file = Getter(lambda stage, spec: _file(stage, spec, f"~/.config/GIMP/2.10/{spec['file_name']}"), {"file_name": NAME, **_DEST})
vlc_config = Getter(lambda stage, spec: _file(stage, spec, "~/.config/vlc/vlcrc"), _DEST)
vlc_playing_info = Getter(_vlc_playing_info, _DEST)
vm_wallpaper = Getter(_vm_wallpaper, _DEST)
vm_window_size = Getter(_vm_window_size, {"app_class_name": TEXT})
audio_in_slide = Getter(_audio_in_slide, _IN_SLIDE, needs=("lxml",))
background_image_in_slide = Getter(_background_image_in_slide, _IN_SLIDE, needs=("lxml",))
