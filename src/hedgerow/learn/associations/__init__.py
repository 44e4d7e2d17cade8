"""Associations: which items occur together, and rules of them.

Start with apriori.py (the learner) and levels.py (the level-wise search in Python), then rules.py and cba.py (class
association rules); the kernels are kernels/items/apriori.cpp and kernels/items/frequent_sets.cpp.
"""
