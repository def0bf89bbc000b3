"""Who decides whether a response agrees with the reference, and how far they can be trusted."""
