"""Comparing several learners on several data sets, all on the same folds.

Start with compare.py, then comparison.py (the result) and significance.py (its tests).
"""
