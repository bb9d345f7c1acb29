"""Exports results as pictures or data, and figures such as lattices as pictures; depends on tokens and fonts."""
