"""Views: what is made of a model for reading.

Start with tree_view.py (a tree as boxes and branches); predictions.py writes predictions as columns.
"""
