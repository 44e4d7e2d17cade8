"""Clusters: the report on a clustering.

Start with clusters.py (the report) and clusters_section.py (its sections), then clusters_svg.py and dendrogram_svg.py
(its pictures).
"""
