"""Many: models made of other models, such as committees and classifiers of two sides each.

Start with composite.py (what they share), then committee.py (bagging, boosting, forests) and output_code.py
(one-vs-rest, pairwise, output codes).
"""
