"""Bags: tables in which one row contains many instances, as multiple-instance learning needs them.

Start with bags.py (flat rows into bags), then instances.py and summary.py (bags back into rows), align.py (a learned
schema) and source.py (files).
"""
