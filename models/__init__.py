"""Who answers: chat models behind one protocol, the scheduler and store of their calls, embedders, answer rules.

Floor 2 of the package: it imports `benchwright.schemas` and nothing above.
"""
