"""About: what reports say of a model and how it came about, and of the learners that there are.

Start with model_report.py (the report on a model), then learners.py.
"""
