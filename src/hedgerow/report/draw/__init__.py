"""Draw: the parts of pictures: scales, axes, text, dots and bars in SVG.

Start with svg.py (elements) and scale.py (axes), then charts.py.
"""
