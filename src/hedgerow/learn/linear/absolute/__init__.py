"""Least absolute errors and quantiles.

Start with least_absolute.py (the learner), then simplex.py (exact) and interior_point.py (many rows).
"""
