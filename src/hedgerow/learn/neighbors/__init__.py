"""Nearest neighbors: training rows are stored, and the nearest ones decide.

Start with knn.py, then neighbor_learner.py (the common base), leave_one_out.py (choosing k) and noise_filter.py;
prediction is in models/neighbors.
"""
