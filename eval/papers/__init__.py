"""The papers' own rows, what does not add up in them, and tables in their shapes."""
