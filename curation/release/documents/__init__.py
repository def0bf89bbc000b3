"""Documents that lie beside the data, filled from what the workspace knows."""
