"""Metrics on presentations (.pptx)."""
