"""Views: readable forms of models.

Start with tree_view.py (a tree as boxes and branches); predictions.py writes predictions as columns.
"""
