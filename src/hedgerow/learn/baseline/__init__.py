"""Baselines: predictions that use no column, which other learners should beat.

Start with majority.py (classes); mean.py does the same for numbers.
"""
