"""Benchwright builds, curates, reviews, renders, publishes and evaluates multi-modal science benchmarks."""

__version__ = "0.1.0"
