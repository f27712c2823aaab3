"""What the shipped OSWorld tasks start from and are compared with: data, and functions that make files of it."""
