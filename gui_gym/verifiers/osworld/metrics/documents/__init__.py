"""Metrics on text documents."""

from gui_gym.verifiers.osworld.metrics.documents.looks import (
    check_highlighted_words,
    check_italic_font_size_14,
    check_tabstops,
    compare_font_names,
    compare_line_spacing,
    compare_subscript_contains,
    contains_page_break,
    evaluate_colored_words_in_tables,
    evaluate_strike_through_last_paragraph,
    has_page_numbers_in_footers,
    is_first_line_centered,
)
from gui_gym.verifiers.osworld.metrics.documents.texts import (
    compare_docx_files,
    compare_docx_files_and_ignore_new_lines,
    compare_docx_images,
    compare_docx_tables,
    compare_references,
    compare_unique_train_records,
    fuzzy_place_math,
)

__all__ = [
    "check_highlighted_words",
    "check_italic_font_size_14",
    "check_tabstops",
    "compare_docx_files",
    "compare_docx_files_and_ignore_new_lines",
    "compare_docx_images",
    "compare_docx_tables",
    "compare_font_names",
    "compare_line_spacing",
    "compare_references",
    "compare_subscript_contains",
    "compare_unique_train_records",
    "contains_page_break",
    "evaluate_colored_words_in_tables",
    "evaluate_strike_through_last_paragraph",
    "fuzzy_place_math",
    "has_page_numbers_in_footers",
    "is_first_line_centered",
]
