"""Review by people: a managed Label Studio, jobs, push, pull and the verdicts that follow."""
