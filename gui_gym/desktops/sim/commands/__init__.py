"""The terminal's shell: its syntax and its commands, on the virtual file system alone. Nothing here reaches a program of the machine."""
