"""Comparison: the reports on several learners, and on learning curves.

Start with comparison.py and curve.py (the reports), then comparison_text.py (how they are shown).
"""
