"""The release: problems and renders become a checked folder of Parquet files, pushed whole and verified by tag."""
