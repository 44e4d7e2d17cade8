"""Designs: columns of a table as the numbers that linear models, distances and clusters work on, and counts by class.

Start with design.py and blocks.py (one block per column); class_counts.py counts levels and numbers by class,
discretize.py cuts numbers into intervals.
"""
