"""Ensembles: many models of one learner: bagging, boosting, random forests.

Start with bagging.py, then members.py (how members are trained), adaboost.py and random_forest.py.
"""
