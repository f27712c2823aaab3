"""Pictures in palette colours: the files they are kept in, and what drawing makes of them, without windows."""
