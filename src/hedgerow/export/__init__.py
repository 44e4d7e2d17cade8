"""Export: models in the forms that other programs read.

Start with dot.py (trees for Graphviz) and associations.py (rules as tables).
"""
