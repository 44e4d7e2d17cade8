"""Explaining models: the importance of columns, and the reasons for single predictions.

Start with decision.py (why a row is decided so), then importance.py (columns) and cards.py (rules one by one). What a
decision rests on is told by the model itself: models/base/reason.py, models/trees/reason.py.
"""
