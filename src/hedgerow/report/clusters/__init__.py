"""Clusters: the report on groups of rows.

Start with clusters.py (the report) and clusters_section.py (its sections), then clusters_svg.py and dendrogram_svg.py
(its pictures).
"""
