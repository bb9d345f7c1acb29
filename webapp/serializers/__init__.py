"""Results as JSON, for the API and the JSON versions of pages."""
