"""Associations: which items occur together, and rules derived from them.

Start with apriori.py (the learner) and levels.py (the level-wise search in Python), then rules.py and cba.py (class
association rules); functions.py has `mine` and `association_rules`. The kernels are kernels/items/apriori.cpp and
kernels/items/frequent_sets.cpp.
"""
