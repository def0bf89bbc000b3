"""What the documentation takes from the program: pages of commands, of files and records, JSON Schemas, the house."""
