"""Plots of a release: first what they show (`plan`), then the pictures (`draw`)."""
