"""The looks of cells: their own styles, and conditional formats where the condition holds."""

from __future__ import annotations

import colorsys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from openpyxl.cell.cell import Cell, MergedCell
from openpyxl.styles.colors import COLOR_INDEX, Color
from openpyxl.styles.differential import DifferentialStyle

from gui_gym.verifiers.osworld.metrics.tables.books import Books, Sheet, cells
from gui_gym.verifiers.osworld.metrics.tables.conditions import active_formats
from gui_gym.verifiers.osworld.safe_files import parse_xml, reading

#: Properties that only a cell with a value shows.
_OF_TEXT = {
    "font_name": "name",
    "font_family": "family",
    "font_color": "color",
    "font_bold": "bold",
    "font_italic": "italic",
    "font_underline": "underline",
    "font_size": "size",
}
NO_FILL = "00000000"
BLACK = "FF000000"


def style(books: Books, rule: Mapping[str, Any]) -> bool:
    """Two sheets (``sheet_idx0``, ``sheet_idx1``) look the same in the ``props``, see :func:`cell_style`.

    Conditional formats count where their condition holds. One whose formula cannot be calculated here is left out of the
    agent's sheet, and is an error in the author's.
    """
    first, second = (books.sheet(rule[side]) for side in ("sheet_idx0", "sheet_idx1"))
    names = [check_property(name) for name in rule["props"]]
    looks = [_looks(sheet, names, strict=sheet.book is books.expected) for sheet in (first, second)]
    plain = [_PLAIN.get(name) for name in names]
    return all(looks[0].get(place, plain) == looks[1].get(place, plain) for place in {*looks[0], *looks[1]})


#: What an empty cell without a style looks like; other properties are None.
_PLAIN = {"fill_type": "patternFill", "bgcolor": NO_FILL, "fgcolor": NO_FILL, "merge": False}


def check_property(name: str) -> str:
    """``name``, if :func:`cell_style` knows it."""
    known = (*_OF_TEXT, *_PLAIN, "number_format", "hyperlink")
    if name not in known:
        raise ValueError(f"style: expected some of {', '.join(known)}, got {name!r}")
    return name


def _looks(sheet: Sheet, names: Sequence[str], strict: bool) -> dict[tuple[int, int], list[Any]]:
    written = cells(sheet.written)
    with reading(sheet.book.path):
        looks = {place: [cell_style(name, cell, sheet.values.get(place)) for name in names] for place, cell in written.items()}
        for place, formats in active_formats(sheet, strict).items():
            for index, name in enumerate(names):
                strongest = next((changed for changed in formats if _changes(name, changed)), None)
                if strongest is not None:
                    looks[place][index] = cell_style(name, written[place], sheet.values.get(place), strongest)
    return looks


def _changes(name: str, changed: DifferentialStyle) -> bool:
    """Whether a conditional format says something about a property."""
    if name in _OF_TEXT:
        return changed.font is not None and getattr(changed.font, _OF_TEXT[name]) is not None
    if name == "number_format":
        return changed.numFmt is not None
    return name in ("fill_type", "bgcolor", "fgcolor") and changed.fill is not None


def cell_style(name: str, cell: Cell | MergedCell, value: Any, changed: DifferentialStyle | None = None) -> Any:
    """Property ``name`` of a cell that shows ``value``, or of the conditional format ``changed`` on it.

    ``number_format`` (of numbers and dates), ``font_name``, ``font_family``, ``font_color``, ``font_bold``,
    ``font_italic``, ``font_underline``, ``font_size`` and ``hyperlink`` (its target, or "") are None where the cell is
    empty. ``fill_type`` ("patternFill" or "gradientFill"), ``bgcolor`` and ``fgcolor`` (the color that fills the cell),
    ``merge`` (whether the cell is under a merged range and not its first). Colors are "AARRGGBB"; alpha is FF, and 00 where
    there is no fill; an automatic font color is black.
    """
    source = changed or cell
    if name in _OF_TEXT:
        if value is None:
            return None
        found = getattr(source.font, _OF_TEXT[name])
        return color_of(found, cell, BLACK) if name == "font_color" else found
    if name == "number_format":
        return None if value is None or isinstance(value, (str, bool)) else cell.number_format if changed is None else changed.numFmt.formatCode
    if name == "hyperlink":
        link = getattr(cell, "hyperlink", None)
        return None if value is None else (link.target or link.location or "") if link else ""
    if name == "merge":
        return isinstance(cell, MergedCell)
    if name == "fill_type":
        return source.fill.tagname
    fill = source.fill
    if fill.tagname != "patternFill":
        return None
    if changed is not None:  # a solid fill of a conditional format has its color as the background
        return color_of(fill.bgColor, cell, NO_FILL)
    return color_of(fill.fgColor, cell, NO_FILL) if fill.patternType not in (None, "none") else NO_FILL


def color_of(color: Color | None, cell: Cell | MergedCell, otherwise: str) -> str:
    """A color as "FFRRGGBB"; ``otherwise`` if it is automatic. Theme colors get their tint (ECMA-376 part 1, 18.8.3)."""
    if color is None or color.type == "auto" or (color.type == "indexed" and color.indexed >= len(COLOR_INDEX)):
        return otherwise
    if color.type == "indexed":
        text = COLOR_INDEX[color.indexed]
    elif color.type == "theme":
        scheme = list(_theme_colors(cell.parent.parent.loaded_theme))
        if color.theme >= len(scheme):
            return otherwise
        text = scheme[color.theme]
    else:
        text = color.rgb
    red, green, blue = (int(text[-6:][at : at + 2], 16) / 255 for at in (0, 2, 4))
    if color.tint:
        hue, light, saturation = colorsys.rgb_to_hls(red, green, blue)
        light = light * (1 + color.tint) if color.tint < 0 else light * (1 - color.tint) + color.tint
        red, green, blue = colorsys.hls_to_rgb(hue, min(max(light, 0.0), 1.0), saturation)
    return "FF" + "".join(f"{round(part * 255):02X}" for part in (red, green, blue))


def _theme_colors(theme: bytes | None) -> Iterator[str]:
    """A theme's colors as "RRGGBB", in the order of a cell's theme index: light and dark change places in the two first pairs."""
    scheme = parse_xml(theme).find(".//{*}clrScheme") if theme else None
    found = [] if scheme is None else [next((part.get("lastClr") or part.get("val") for part in entry), "000000") for entry in scheme]
    yield from (found[index] for index in [1, 0, 3, 2, *range(4, len(found))] if index < len(found))
