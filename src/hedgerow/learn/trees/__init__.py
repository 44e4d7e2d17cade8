"""Trees: how they are grown and pruned.

Start with by_hand/grow.py and by_hand/prune.py (plain Python that shows its work), then tree_learner.py, c45.py and
cart.py; the kernels are kernels/trees/grow.cpp and kernels/trees/prune.cpp. Larger than memory: streamed/grow.py.
"""
