"""Results as JSON: what the API answers, and the twins of the pages."""
