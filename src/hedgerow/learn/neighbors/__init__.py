"""Nearest neighbors: rows are kept, and the nearest ones decide.

Start with knn.py, then neighbor_learner.py (what learners share), leave_one_out.py (choosing k) and noise_filter.py;
prediction is in models/neighbors.
"""
