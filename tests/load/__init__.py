"""A load test of the running site: what a visitor with a short text waits for while others send long ones."""
