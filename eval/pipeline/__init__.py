"""From a plan to a scored run: asking, judging, scoring again, people in place of a model."""
