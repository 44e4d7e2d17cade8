"""Texts: Rocchio, and terms of texts as columns.

Start with rocchio.py, then text_learner.py and text_terms.py; the terms themselves are data/text/terms.py.
"""
