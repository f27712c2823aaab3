"""What families are about, for lists and the gallery."""

from __future__ import annotations

from gui_gym.tasks.sim.family import Family

#: Areas, and the modules of ``families`` that belong to each.
AREAS: dict[str, tuple[str, ...]] = {
    "Click one target": ("buttons", "targets", "messages"),
    "Boxes, lists, menus, trees": ("boxes", "choices", "lists", "menus", "trees", "unseen"),
    "Text entry and focus": ("entering", "passwords", "texts", "records"),
    "Forms": ("forms", "numbers", "date_fields", "pages"),
    "Drag, draw, geometry": ("drag", "sort", "draw", "geometry"),
    "Perception and reasoning": ("count", "perceive", "charts", "sums", "reason", "dates", "games"),
    "Windows": ("windows", "arranging"),
    "Files and terminal": ("files", "terminal", "terminal_questions"),
    "Spreadsheet and calculator": ("spreadsheet", "formulas", "calculator"),
    "Mail": ("mail", "letters", "mail_upkeep"),
    "Calendar": ("calendar", "agenda_review"),
    "Settings": ("settings",),
    "Pictures": ("pictures", "painting"),
    "Browser": ("browser", "web_forms", "web_questions"),
    "Several programs": ("errands", "errand_agenda", "errand_files", "errand_web"),
}
OTHER = "Other"  #: the area of families that are not ours


def area_of(family: type[Family]) -> str:
    """The area of a family."""
    package, _, module = family.__module__.rpartition(".")
    ours = package == "gui_gym.tasks.sim.families"
    return next((area for area, modules in AREAS.items() if ours and module in modules), OTHER)
