"""What ``gui-agents bench`` measures, each figure beside another way to do the same in the same run."""
