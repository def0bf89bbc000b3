"""A release in the form of other harnesses: one module each, all asking with the same words."""
