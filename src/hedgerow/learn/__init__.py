"""Learn: how models are learned, a folder per family, a file per algorithm.

Start with base.py (Learner) and supervised.py, then params.py (parameters, declared once) and inputs.py (user
input becomes a table); then a family, such as trees/tree_learner.py or rules/one_r.py.
"""
