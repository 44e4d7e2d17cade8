"""C4.5rules: the paths of a tree generalized, chosen among and put in order.

Start with c45_rules.py one folder above, the learner that takes these steps: generalize.py, subset.py, order.py;
work.py prints them.
"""
