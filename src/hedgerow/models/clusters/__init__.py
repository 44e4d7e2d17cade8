"""Clusters: centers, dendrograms and concept trees.

Start with cluster_model.py (the common base), then centers.py (k-means), dendrogram.py (agglomerative) and
concept_tree.py (Cobweb); profile.py describes clusters.
"""
