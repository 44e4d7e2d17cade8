"""Clusters: the report on groups of rows.

Start with clusters.py (the report), then clusters_svg.py and dendrogram_svg.py (its pictures).
"""
