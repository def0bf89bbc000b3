"""What is written of runs: pages, tables, the page to look at every answer, exports."""
