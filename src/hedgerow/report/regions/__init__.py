"""Regions: the decision regions of a model over two columns, as a picture.

Start with regions.py (what is decided where), then regions_svg.py (the picture).
"""
