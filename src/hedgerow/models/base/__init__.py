"""Base: the common part of all models.

Start with model.py (the Model class), then condition.py and rule.py; kinds.py lists the kinds of models that files
may hold.
"""
