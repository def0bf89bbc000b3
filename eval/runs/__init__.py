"""A run: its specification, data, examples, messages, the folder that holds its answers."""
