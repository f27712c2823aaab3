"""Metrics: pure functions ``metric(result, expected, **options) -> float in [0, 1]``, by OSWorld's names.

``result`` and ``expected`` are what the getters gave: values, or paths of files. A metric is not called where the
agent's side is None. Output of the agent that cannot be read is 0; what the task's author got wrong raises. ``**options``
where there is one: OSWorld's metric of that name takes and ignores options that it does not know. A module
imports what it needs at its top, so that :func:`load_metric` finds out before an episode whether it is installed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gui_gym.registry import Registry, UnknownNameError

Metric = Callable[..., float]

_HERE = "gui_gym.verifiers.osworld.metrics"
#: Modules here, and the metrics that each defines.
MODULES: dict[str, tuple[str, ...]] = {
    "values": (
        "exact_match", "match_in_list", "is_in_list", "literal_match", "check_include_exclude", "check_direct_json_object", "compare_answer",
    ),
    "system": ("is_utc_0", "check_text_enlarged", "check_gnome_favorite_apps", "check_moved_jpgs", "is_in_vm_clickboard"),
    "text": (
        "compare_text_file", "diff_text_file", "compare_config", "file_contains", "check_line_number", "check_list", "compare_python_pure_text",
        "compare_result_files",
    ),
    "records": ("check_json", "check_csv", "compare_csv", "check_json_settings", "check_json_keybindings", "run_sqlite3"),
    "fuzzy": ("fuzzy_match",),
    "tables": ("compare_table", "compare_conference_city_in_order"),
    "documents.texts": (
        "compare_docx_files", "compare_docx_files_and_ignore_new_lines", "compare_docx_tables", "compare_docx_images", "compare_references",
        "compare_unique_train_records", "fuzzy_place_math",
    ),
    "documents.looks": (
        "compare_line_spacing", "has_page_numbers_in_footers", "compare_font_names", "check_italic_font_size_14", "compare_subscript_contains",
        "evaluate_strike_through_last_paragraph", "evaluate_colored_words_in_tables", "is_first_line_centered", "contains_page_break",
        "check_tabstops", "check_highlighted_words",
    ),
    "office_settings": ("find_default_font", "check_presenter_console_disable", "check_left_panel", "check_auto_saving_time"),
    "slides.compare": ("compare_pptx_files",),
    "slides.checks": (
        "check_slide_orientation_Portrait", "check_page_number_colors", "check_image_stretch_and_center", "check_transition",
        "evaluate_presentation_fill_to_rgb_distance",
    ),
    "pdfs": ("compare_pdfs", "compare_pdf_images", "check_pdf_pages"),
    "archives": ("compare_archive", "compare_zip_files", "compare_epub", "compare_htmls"),
    "images": (
        "compare_images", "compare_image_list", "check_structure_sim", "check_structure_sim_with_threshold",
        "check_brightness_decrease_and_structure_sim", "check_image_size", "check_image_file_size", "check_palette_and_structure_sim",
        "check_green_background", "check_contrast_increase_and_structure_sim", "check_image_mirror", "check_structure_sim_resized",
        "check_saturation_increase_and_structure_sim", "check_triangle_position", "check_textbox_on_leftside",
        "check_file_exists_and_structure_sim",
    ),
    "ocr": ("compare_image_text",),
    "media": ("compare_audios", "compare_videos", "check_mp3_meta", "is_vlc_playing", "is_vlc_fullscreen"),
    "vlc_settings": (
        "check_qt_slider_colours", "check_play_and_exit", "check_qt_bgcone", "check_qt_minimal_view", "is_vlc_recordings_folder",
        "check_one_instance_when_started_from_file", "check_global_key_play_pause", "check_qt_max_volume",
    ),
    "gimp_settings": ("check_config_status",),
    "code": ("is_extension_installed", "check_python_file_by_test_suite"),
    "mail": ("check_thunderbird_prefs", "check_thunderbird_folder", "check_thunderbird_filter"),
    "screen": ("check_accessibility_tree",),
    "browser": (
        "is_expected_url_pattern_match", "is_expected_active_tab", "is_expected_active_tab_approximate", "is_expected_tabs",
        "is_expected_bookmarks", "is_expected_installed_extensions", "is_expected_search_query", "is_cookie_deleted", "check_history_deleted",
        "is_shortcut_on_desktop", "is_added_to_steam_cart", "check_font_size",
    ),
}  # fmt: skip

#: Metrics of OSWorld's that are not there, and why.
UNSUPPORTED_METRICS: dict[str, str] = {}

#: Metrics by an evaluator's ``func``.
METRICS: Registry[Metric] = Registry("metric", {name: f"{_HERE}.{module}:{name}" for module, names in MODULES.items() for name in names})
register_metric = METRICS.register

#: Metrics that act on the desktop: they get the verification's ``stage`` (:class:`~gui_gym.tasks.setup.Stage`) as a keyword.
ON_DESKTOP: set[Metric] = set()


def on_desktop(metric: Metric) -> Metric:
    """Mark ``metric`` as one that acts on the desktop."""
    ON_DESKTOP.add(metric)
    return metric


def metric_problems(name: str) -> list[str]:
    """Why the metric ``name`` cannot work in this installation, one line each."""
    try:
        load_metric(name)
    except UnknownNameError:
        return [f"metric {name!r} is not supported" + (f": {UNSUPPORTED_METRICS[name]}" if name in UNSUPPORTED_METRICS else "")]
    except ImportError as error:
        return [f"metric {name!r}: {error}"]
    return []


def load_metric(name: str) -> Metric:
    """The metric called ``name``.

    Raises:
        UnknownNameError: there is none.
        ImportError: a library or program it needs is not installed; the message says what to install.
    """
    try:
        return METRICS.get(name)
    except ModuleNotFoundError as error:
        raise ImportError(f'{error.name} is not installed: pip install "gui-gym[osworld]"') from error


def is_ours(name: str) -> bool:
    """Whether the metric is of this package, so that a process of its own can run it by name; a user's may be registered here alone."""
    return METRICS.get(name).__module__.startswith(f"{_HERE}.")


def as_score(value: Any) -> float:
    """A metric's return as a float; ValueError unless it is a number in [0, 1]."""
    number = float(value)
    if not 0.0 <= number <= 1.0:
        raise ValueError(f"expected a metric in [0, 1], got {value!r}")
    return number
