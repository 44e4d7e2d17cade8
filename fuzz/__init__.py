"""Fuzzers: random malformed input for every reader, learner and file format, and the properties that must hold.

`python -m fuzz` runs them; `fuzz/target.py` defines a fuzz target.
"""
