"""Training: what `hedgerow train` and `hedgerow.fit` have in common: a learner is chosen, trained and evaluated.

Start with fit.py (the function for Python), then train.py (the steps), evaluation.py (a test beside a baseline),
model_selection.py (the evaluation of a choice among learners) and monitor.py (how a long job is followed).
"""
