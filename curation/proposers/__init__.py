"""Proposers: machines that answer a job for each selected question, for people to review."""
