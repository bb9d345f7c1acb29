"""The speed of Tokenscope: ``python -m tests.benchmarks`` runs all benchmarks, ``tests.benchmarks.page`` one of them.

Speed is printed in tables here and never asserted in a test: a result that depends on how busy the machine is
proves nothing.
Texts and vocabularies are read from the folder ``shared`` next to the checkout.
"""
