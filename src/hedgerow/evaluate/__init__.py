"""Evaluation: splits of the rows, Results that keep every prediction once, and measures of them.

Start with results.py (Results), then splits.py and validate.py (cross-validation, holdout), metrics/catalog.py
(all measures) and learner_comparison/compare.py (several learners).
"""
