"""Grounding from the simulator, which knows everything: many questions about each screen, to teach a small model to see."""
