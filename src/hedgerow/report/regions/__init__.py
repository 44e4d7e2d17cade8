"""Regions: what a model decides in the plane of two columns, as a picture.

Start with regions.py (what is decided where), then regions_svg.py (the picture).
"""
