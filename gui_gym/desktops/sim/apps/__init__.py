"""Windows that do something."""
