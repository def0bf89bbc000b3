"""From a raw pool to the problems of a benchmark: ingest, embed, estimate, cluster, propose, problems (and release)."""
