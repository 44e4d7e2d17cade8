"""Evaluating clusters: by their own distances, and against known classes.

Start with evaluate_clusters.py, then distances.py and known_classes.py.
"""
