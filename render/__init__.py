"""From a problem to pictures: typesetting, layout, placement on diagrams, and the record of what was drawn."""
