"""The guest server: desktops of this machine over OSWorld's HTTP API and a few routes of our own. Extra ``serve``."""
