"""How fast Tokenscope is: ``python -m tests.benchmarks`` for all of it, ``tests.benchmarks.page`` for a part.

Speed is told in tables here and never asserted in a test: one that depends on how busy the machine is
proves nothing.
Texts and vocabularies are read from the folder ``shared`` beside the checkout.
"""
