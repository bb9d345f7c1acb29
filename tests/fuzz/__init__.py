"""Inputs that nobody would write: files, split patterns and texts, mutated by `atheris` or by Hypothesis.

``python -m tests.fuzz files|patterns|texts [atheris' options]`` runs until it finds something; `atheris` must be
installed (``pip install atheris``). The tests run a bounded share.
"""
