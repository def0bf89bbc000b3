"""Released split -> scores: run specification, messages, judges, metrics, report."""
