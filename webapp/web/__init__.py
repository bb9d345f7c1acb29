"""What every page needs: errors, languages, rates, security, static files."""
