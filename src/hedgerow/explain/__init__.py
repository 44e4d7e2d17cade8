"""Explaining models: which columns matter, and why a row is decided as it is."""
