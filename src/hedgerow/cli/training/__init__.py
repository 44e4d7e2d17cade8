"""Training on the command line: what the verbs that train and test share.

Start with evaluation.py (a test always beside a baseline), then model_selection.py (the default learner), tuning.py
(parameters chosen by cross-validation) and decisions.py (thresholds and costs).
"""
