"""Results that are kept: what is kept of one, and how it is shown again, for the pages and for programs."""
