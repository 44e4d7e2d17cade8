"""Evaluation: splits of the rows, Results that keep every prediction once, and measures of them.

Start with results.py (Results), then splits.py and validate.py (cross-validation, holdout), catalog.py (all measures)
and compare.py (several learners).
"""
