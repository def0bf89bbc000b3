"""Floor 5: the commands. Imported by nothing."""
