"""Rules: ordered rule lists, rule sets and rules that vote.

Start with rule_list.py (the model) and base.py (the common base), then parse_model.py (print and back). How
they are learned: learn/rules/ripper.py, learn/rules/prism.py.
"""
