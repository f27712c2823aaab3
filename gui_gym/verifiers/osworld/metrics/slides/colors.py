"""Colours as a viewer of a presentation sees them: theme colours resolved, and what an element does not say taken from what it inherits.

After ECMA-376 part 1: a run's properties, the list styles of its shape, of the placeholders its shape stands for in layout and
master, the master's text styles, and the presentation's default. A colour is an "RRGGBB" text, or None where it cannot be told
(one that is computed from another, a gradient, a picture).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from copy import copy
from typing import Any

from pptx.oxml.ns import qn

from gui_gym.verifiers.osworld.safe_files import parse_xml

_TITLES, _BODIES = ("title", "ctrTitle"), ("body", "subTitle", "obj", "tbl", "chart", "dgm", "media", "clipArt", "pic", None)
_SOLID_BACKGROUND = 1001  #: the index of a theme's first background fill, a plain one in every theme of the known programs


class Palette:
    """The colours of a slide master's theme; ``path`` is the presentation's."""

    def __init__(self, master: Any, path: str) -> None:
        self._names: dict[str, str] = {}
        self._colors: dict[str, str] = {}
        mapping = master.element.find(qn("p:clrMap"))
        if mapping is not None:
            self._names = dict(mapping.attrib)
        for relation in master.part.rels.values():
            if relation.reltype.endswith("/theme") and not relation.is_external:
                scheme = parse_xml(relation.target_part.blob, path=path).find(f"{qn('a:themeElements')}/{qn('a:clrScheme')}")
                for entry in scheme if scheme is not None else ():
                    if len(entry):
                        self._colors[entry.tag.rpartition("}")[2]] = entry[0].get("lastClr") or entry[0].get("val", "")

    def scheme(self, name: str) -> str | None:
        """The colour that the theme has for a use, such as "tx1", the text."""
        return _valid(self._colors.get(self._names.get(name, name), ""))

    def color(self, element: Any) -> str | None:
        """The colour that the first child of ``element`` names."""
        chosen = next((child for child in element if isinstance(child.tag, str)), None)
        if chosen is None or len(chosen):  # with children it is computed: darker, lighter, more transparent
            return None
        name, value = chosen.tag.rpartition("}")[2], chosen.get("val", "")
        if name == "schemeClr":
            return self.scheme(value)
        elif name == "sysClr":
            value = chosen.get("lastClr", "")
        elif name != "srgbClr":
            return None
        return _valid(value)

    def fill(self, element: Any) -> str | None:
        """The plain colour with which ``element``, of properties, is filled."""
        solid = element.find(qn("a:solidFill"))
        return None if solid is None else self.color(solid)


def _valid(color: str) -> str | None:
    return color.upper() if re.fullmatch("[0-9A-Fa-f]{6}", color) else None


def background_color(slide: Any, palette: Palette) -> str | None:
    """The plain colour behind a slide: its own, or else its layout's, or else its master's."""
    for owner in (slide, slide.slide_layout, slide.slide_layout.slide_master):
        background = owner.element.find(f"{qn('p:cSld')}/{qn('p:bg')}")
        properties = None if background is None else background.find(qn("p:bgPr"))
        if properties is not None and properties.find(qn("a:noFill")) is None:
            return palette.fill(properties)
        reference = None if background is None else background.find(qn("p:bgRef"))
        if reference is not None:
            return palette.color(reference) if reference.get("idx") == str(_SOLID_BACKGROUND) else None
    return None


def text_color(properties: Any, level: int, shape: Any, presentation: Any, palette: Palette) -> str | None:
    """The colour of text with run ``properties`` (or None), in a paragraph of ``level``, in ``shape``."""
    for style in _styles(properties, level, shape, presentation):
        for child in style:
            if child.tag == qn("a:solidFill"):
                return palette.color(child)
            if child.tag in (qn("a:gradFill"), qn("a:pattFill"), qn("a:blipFill"), qn("a:noFill")):
                return None
    return palette.scheme("tx1")


def _styles(properties: Any, level: int, shape: Any, presentation: Any) -> Iterator[Any]:
    """Elements that may say a text's colour, the nearest first."""
    if properties is not None:
        yield properties
    owner, kind = shape, shape.element.find(f".//{qn('p:nvPr')}/{qn('p:ph')}") if shape.is_placeholder else None
    while owner is not None:
        yield from _levels(owner.element.find(f".//{qn('a:lstStyle')}"), level)
        owner = getattr(owner, "_base_placeholder", None) if owner.is_placeholder else None
    reference = shape.element.find(f"{qn('p:style')}/{qn('a:fontRef')}")
    if kind is None and reference is not None and len(reference):
        holder, fill = (reference.makeelement(qn(name)) for name in ("a:rPr", "a:solidFill"))
        fill.append(copy(reference[0]))
        holder.append(fill)
        yield holder
    master = shape.part.slide_layout.slide_master if hasattr(shape.part, "slide_layout") else None
    if kind is not None and master is not None:
        name = "titleStyle" if kind.get("type") in _TITLES else "bodyStyle" if kind.get("type") in _BODIES else "otherStyle"
        yield from _levels(master.element.find(f"{qn('p:txStyles')}/{qn('p:' + name)}"), level)
    if kind is None:
        yield from _levels(presentation.element.find(qn("p:defaultTextStyle")), level)


def _levels(styles: Any, level: int) -> Iterator[Any]:
    """The run properties that a list of styles has for a level."""
    found = None if styles is None else styles.find(f"{qn(f'a:lvl{level + 1}pPr')}/{qn('a:defRPr')}")
    if found is not None:
        yield found
