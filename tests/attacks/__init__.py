"""Attacks on a running site: one request, or one client, must not stop it or read its files."""
