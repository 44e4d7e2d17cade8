"""About: the parts of reports that describe a model and how it was trained, and the available learners.

Start with model_report.py (the report on a model), then learners.py.
"""
