"""HTML pages that stand alone: one file, no script, every text escaped, pictures inside."""

from __future__ import annotations

import base64
import io
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from PIL import Image


def write_page(path: str | os.PathLike[str], template: str, filters: Mapping[str, Callable[..., Any]], **values: Any) -> Path:
    """Write the page that ``template`` (of the folder ``templates``) makes of ``values`` to ``path``, whole or not at all.

    Raises:
        ModuleNotFoundError: without Jinja2, naming the extra.
    """
    try:
        import jinja2
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(f'a page needs {error.name}: pip install "gui-gym[cli]"', name=error.name) from error

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("gui_gym.recording", "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(filters)
    page = environment.get_template(template).render(**values)
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, part = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", errors="replace") as file:
            file.write(page)
        os.chmod(part, 0o644)
        os.replace(part, target)
    except BaseException:  # whatever stopped it, the half written page goes
        Path(part).unlink(missing_ok=True)
        raise
    return target


def webp_uri(images: Sequence[Image.Image], milliseconds: Sequence[int] = (), quality: int = 82) -> str:
    """One picture, or an animation that repeats forever and shows each for so many milliseconds, as a ``data:`` address."""
    buffer = io.BytesIO()
    animation = {"save_all": True, "append_images": images[1:], "duration": list(milliseconds), "loop": 0} if len(images) > 1 else {}
    images[0].save(buffer, "WEBP", quality=quality, **animation)
    return "data:image/webp;base64," + base64.b64encode(buffer.getvalue()).decode("ascii")
