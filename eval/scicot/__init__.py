"""Sci-CoT: key steps of a response, knowledge or logic, right or wrong (SciVerse, section 3.2)."""
