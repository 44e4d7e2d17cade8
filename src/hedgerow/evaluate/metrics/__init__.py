"""Metrics: pure functions of Results, with standard errors and intervals.

Start with measures.py (classes) and regression.py (numbers), then ranking.py (ROC, AUC) and intervals.py; catalog.py
lists them all by name.
"""
