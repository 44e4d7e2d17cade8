"""Fuzzers: odd input for every reader, learner and file format, and the laws that must hold for all of it.

`python -m fuzz` runs them; `fuzz/target.py` says what a fuzzer is.
"""
