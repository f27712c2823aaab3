"""Metrics on text documents."""
