"""The process that renders templates: `sandbox.py` starts it, apart from the site, of which it imports nothing else."""
