"""Clusters: learners that find groups of rows.

Start with lloyd_by_hand.py and kmeans.py (k-means), agglomerative.py (linkage) and cobweb_by_hand.py (concepts); the
kernels are kernels/clusters/kmeans.cpp, kernels/clusters/linkage.hpp and kernels/clusters/cobweb.cpp.
"""
