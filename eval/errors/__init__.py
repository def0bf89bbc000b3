"""Kinds of error of wrong answers: drawn, proposed, reviewed, counted."""
