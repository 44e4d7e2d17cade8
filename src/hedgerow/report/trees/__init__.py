"""Trees: pictures of trees.

Start with tree_layout.py (where nodes stand), then tree_boxes.py, tree_rows.py and tree_svg.py (the picture).
"""
