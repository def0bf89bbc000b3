"""Floor 1: what things are. Records, versions, jobs, taxonomy, recipe, the workspace on disk and the image loader."""
