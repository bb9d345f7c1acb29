"""HTTP concerns of all pages: error pages, languages, rate limits, security headers and static files."""
