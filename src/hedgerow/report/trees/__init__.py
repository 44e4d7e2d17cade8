"""Trees: pictures of trees.

Start with tree_layout.py (the positions of nodes), then tree_boxes.py, tree_rows.py and tree_svg.py (the picture).
"""
