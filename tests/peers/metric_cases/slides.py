"""The changes of ``tests/gui_gym/verifiers/test_osworld_slides.py``, each with all switches on, off, and one by one."""

from pathlib import Path
from typing import Any

from test_osworld_slides import BOLD, CHANGED, CHANGES, DECK, MOVES, OTHERS, RULES, SAME, hostile, recolor, save

_COLOR = "a color is compared only where both files write it as red, green and blue at the run itself, so that a word in another color passes"
_PROPERTIES = "a paragraph with properties that say nothing, and one without, have other bullets"
_TABLE = "in tables, texts are not compared, and the switches of what runs look like do not hold"
#: By how a case's name begins.
REASONS = {
    "text in a table": _TABLE,
    "bold in a table, its": _TABLE,
    "double underline": "an underline is compared with none only where it is the single line",
    "color": _COLOR,
    "theme color": _COLOR,
    "alignment, its": _PROPERTIES,
    "same look 3": _PROPERTIES,
    "same look 4": _PROPERTIES,
    "same look 7": "the white background that a master has anyway differs from the same, written at the slide",
    "same look 9": "an empty run counts; LibreOffice writes one or none for a text box without text",
    "run split, its": "the switch, which tasks give, is not known to this version",
    "blue: 2A6099": "of RRGGBB the digits 2-3, 4-5 and 6 are taken for the three parts",
}
UNREADABLE = "output of the agent that cannot be read is a 0; theirs raises, or looks at one part only"


def cases(folder: Path) -> list[dict[str, Any]]:
    """Each with presentations in ``folder``."""
    gold = save(folder / "gold.pptx")
    found: list[dict[str, Any]] = []

    def add(metric: str, name: str, result: str, expected: Any = None, options: dict[str, Any] | None = None, reason: str = "") -> None:
        off = ", its switches off" in name
        reason = reason or next((why for start, why in REASONS.items() if name.startswith(start) and (not off or ", its" in start)), "")
        sides = {"result": result} | ({} if expected is None else {"expected": expected})
        found.append({"name": name, "metric": metric, **sides, "options": options or {}, "reason": reason})

    for index, (name, (change, switches)) in enumerate(CHANGES.items()):
        changed = save(folder / f"change{index}.pptx", change)
        off = {f"examine_{switch}": False for switch in switches if switch}
        others = {f"examine_{switch}": False for switch in OTHERS if switch not in switches}
        for label, options in (("", {}), (", its switches off", off), (", other switches off", others)):
            add("compare_pptx_files", name + label, changed, gold, options)
            add("compare_pptx_files", name + label + ", turned", gold, changed, options)
    for index, change in enumerate(SAME):
        add("compare_pptx_files", f"same look {index}", save(folder / f"same{index}.pptx", change), gold)
        add("compare_pptx_files", f"same look {index}, turned", gold, save(folder / f"same{index}.pptx", change))
    for index, (switch, right, wrong) in enumerate(MOVES):
        for label, change in (("right", right), ("wrong", wrong)):
            path = save(folder / f"move{index}{label}.pptx", change)
            add("compare_pptx_files", f"{switch} {index} {label}", path, gold, {"examine_shape": False, f"examine_{switch}": True})
    for name, result in (("as it is", DECK), ("bold", BOLD), ("changed", CHANGED)):
        for option in ("", "font_bold", "color_rgb", "text", "bullets", "shape", "background_color", "alignment", "note"):
            add(
                "compare_pptx_files",
                f"LibreOffice's, {name}, without {option or 'any'}",
                result,
                DECK,
                {f"examine_{option}": False} if option else {},
            )
    for path, name in ((DECK, "as it is"), (CHANGED, "changed")):
        for color in ("red", "green", "blue", "black"):
            add("check_page_number_colors", f"{name}: {color}", path, {"color": color})
        add("check_image_stretch_and_center", name, path, DECK)
        for slide in (0, 1, 2):
            for kind in ("dissolve", "fade"):
                add("check_transition", f"{name}: {kind} on {slide}", path, {"slide_idx": slide, "transition_type": kind})
        for rules in ({"rgb": [0, 0, 255]}, {"rgb": [0, 0, 255], "original_rgb": [255, 255, 255]}, {"rgb": [255, 0, 0]}):
            add("evaluate_presentation_fill_to_rgb_distance", f"{name}: {rules}", path, rules)
        add("check_slide_orientation_Portrait", name, path)
    for color, values in {"red": ("FF0000", "808080"), "blue": ("2A6099", "00FFFF"), "green": ("00A933",), "black": ("111111",)}.items():
        for value in values:
            recolor(CHANGED, folder / f"{value}.pptx", value)
            add("check_page_number_colors", f"{color}: {value}", str(folder / f"{value}.pptx"), {"color": color})
    whole = Path(CHANGED).read_bytes()
    (folder / "half").write_bytes(whole[: len(whole) // 2])
    hostile(folder / "broken-xml", {"ppt/slides/slide1.xml": b"<p:sld"})
    for metric, expected in RULES.items():
        for label in ("half", "broken-xml"):
            add(metric, f"{metric}: {label}", str(folder / label), expected, reason=UNREADABLE)
    return found
