"""Multiclass classification by binary learners.

Start with one_vs_rest.py, then pairwise.py and output_codes.py; base.py is their common base.
"""
