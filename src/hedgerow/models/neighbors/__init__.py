"""Nearest neighbors: models that keep training rows and compare new ones with them.

Start with neighbors.py (classes) and base.py (the common base), then distance.py and row_search.py; the kernel is
kernels/neighbors/search_tree.cpp. local_regression.py fits a line around each row.
"""
