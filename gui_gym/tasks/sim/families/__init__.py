"""The families, related ones in one file."""
