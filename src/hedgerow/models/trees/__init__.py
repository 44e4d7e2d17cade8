"""Trees.

Start with tree.py (the model) and nodes.py (its arrays), then text.py and parse.py (print and back);
learn/trees/by_hand/grow.py is how they grow; the kernels are kernels/trees/grow.cpp and kernels/trees/descend.cpp.
"""
