"""Many: models that consist of other models, such as committees and sets of binary classifiers.

Start with composite.py (the common base), then committee.py (bagging, boosting, forests) and output_code.py
(one-vs-rest, pairwise, output codes).
"""
