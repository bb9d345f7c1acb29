"""The speed of Tokenscope: ``python -m tests.benchmarks`` runs all benchmarks, ``tests.benchmarks.page`` one of them.

Speeds are printed, never asserted: they depend on the load of the machine.
Texts and vocabularies are read from the folder ``shared`` next to the checkout.
"""
