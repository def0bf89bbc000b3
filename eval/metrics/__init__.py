"""From outcomes and steps to figures: cells, intervals, pairs, repeats, item statistics."""
