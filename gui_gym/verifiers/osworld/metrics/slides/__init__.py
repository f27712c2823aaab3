"""Metrics on presentations (.pptx)."""

from gui_gym.verifiers.osworld.metrics.slides.checks import (
    check_image_stretch_and_center,
    check_page_number_colors,
    check_slide_orientation_Portrait,
    check_transition,
    evaluate_presentation_fill_to_rgb_distance,
)
from gui_gym.verifiers.osworld.metrics.slides.compare import compare_pptx_files

__all__ = [
    "check_image_stretch_and_center",
    "check_page_number_colors",
    "check_slide_orientation_Portrait",
    "check_transition",
    "compare_pptx_files",
    "evaluate_presentation_fill_to_rgb_distance",
]
