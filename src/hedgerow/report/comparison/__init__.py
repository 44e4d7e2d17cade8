"""Comparison: the reports on several learners, on learning curves, and on the model selection of `simplest`.

Start with comparison.py and comparison_section.py, then curve.py and curve_section.py; comparison_charts.py draws both.
"""
